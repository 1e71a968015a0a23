// Menus and dialogs. Dialogs are native, so they keep the focus and close on Escape.

import { h } from "./dom.js";

/** @typedef {{ label: string, action: () => void, danger?: boolean }} MenuItem */

/**
 * @param {HTMLElement} button
 * @param {MenuItem[]} items
 */
export function menu(button, items) {
  document.querySelector(".menu")?.remove();
  const close = () => {
    list.remove();
    removeEventListener("pointerdown", outside, true);
    button.setAttribute("aria-expanded", "false");
  };
  const outside = (/** @type {Event} */ event) => {
    if (!list.contains(/** @type {Node} */ (event.target))) close();
  };
  const list = h("div", {
    class: "menu", role: "menu",
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      const buttons = [...list.querySelectorAll("button")];
      const at = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) buttons[(at + step + buttons.length) % buttons.length]?.focus();
      else if (event.key === "Escape" || event.key === "Tab") {
        close();
        button.focus();
      } else return;
      event.preventDefault();
    },
  }, ...items.map((item) => h("button", {
    type: "button", role: "menuitem", class: item.danger ? "danger" : "",
    onclick: () => { close(); button.focus(); item.action(); },
  }, item.label)));
  const box = button.getBoundingClientRect();
  list.style.top = `${box.bottom + 4}px`;
  list.style.right = `${Math.max(8, innerWidth - box.right)}px`;
  document.body.append(list);
  button.setAttribute("aria-expanded", "true");
  addEventListener("pointerdown", outside, true);
  list.querySelector("button")?.focus();
}

/**
 * Shows a dialog; returns the fields' values, or null if it was cancelled.
 * @param {string} title
 * @param {string} accept what the button says
 * @param {...(Node | string)} body
 * @returns {Promise<Record<string, string> | null>}
 */
export function ask(title, accept, ...body) {
  return new Promise((resolve) => {
    const form = h("form", { method: "dialog" },
      h("h2", {}, title), ...body,
      h("div", { class: "buttons" },
        h("button", { type: "button", onclick: () => dialog.close() }, "Cancel"),
        h("button", { type: "submit", class: "primary", value: "yes" }, accept)));
    const dialog = h("dialog", { "aria-label": title }, form);
    dialog.addEventListener("close", () => {
      /** @type {Record<string, string>} */ const values = {};
      for (const [name, value] of new FormData(form)) values[name] = String(value);
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? values : null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/**
 * @param {string} label
 * @param {string} name
 * @param {Record<string, unknown>} [more]
 */
export function field(label, name, more = {}) {
  return h("label", { class: "field" }, h("span", {}, label),
    h("input", { name, autocomplete: "off", autocapitalize: "off", spellcheck: false, ...more }));
}

/**
 * @param {string} label
 * @param {string} name
 * @param {string[]} options
 */
export function choice(label, name, options) {
  return h("label", { class: "field" }, h("span", {}, label),
    h("select", { name }, ...options.map((option) => h("option", { value: option }, option))));
}
