// Creates elements. The page never makes HTML from strings, so a child's output can't become HTML.

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, unknown>} [properties] `class`, `on…` listeners, `aria-…` and other attributes, or properties
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else if (name === "class") element.className = String(value);
    else if (name in element && !name.includes("-") && name !== "list" && name !== "form") {
      /** @type {any} */ (element)[name] = value;
    } else element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** @param {string} id */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`there is no element ${id}`);
  return element;
}

const PATHS = {
  close: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  more: "M3 8h.7M7.65 8h.7M12.3 8h.7",
  find: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3",
  share: "M8 10V2M5 5l3-3 3 3M3 9v4.5h10V9",
  leave: "M6 2.5H2.5v11H6M10 5l3 3-3 3M13 8H6",
  download: "M8 2v8M5 7l3 3 3-3M3 13.5h10",
  split: "M2.5 3h11v10h-11zM8 3v10",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z",
  auto: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 2v12M8 5h4.5M8 8h6M8 11h4.5",
  play: "M5 3l8 5-8 5z",
  pause: "M5.5 3v10M10.5 3v10",
  grid: "M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
  back: "M10 3L5 8l5 5",
  keyboard: "M1.5 4.5h13v7h-13zM4 7h.01M6.5 7h.01M9 7h.01M11.5 7h.01M5 9.5h6",
  film: "M2.5 3h11v10h-11zM5 3v10M11 3v10M2.5 6.3H5M2.5 9.6H5M11 6.3h2.5M11 9.6h2.5",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
};

/** @param {keyof typeof PATHS} name */
export function icon(name) {
  const space = "http" + "://www.w3.org/2000/svg"; // a name, not an address
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/**
 * @param {keyof typeof PATHS} name
 * @param {string} label
 * @param {(event: MouseEvent) => void} action
 * @param {string} [extra] classes
 */
export function iconButton(name, label, action, extra = "") {
  return h("button", { type: "button", class: `plain-button ${extra}`, title: label, "aria-label": label, onclick: action },
    /** @type {any} */ (icon(name)));
}

/** @param {number} seconds since 1970 */
export function age(seconds) {
  const past = Math.max(0, Math.floor(Date.now() / 1000 - seconds));
  if (past < 60) return `${past}s`;
  if (past < 3600) return `${Math.floor(past / 60)}m`;
  if (past < 86400) return `${Math.floor(past / 3600)}h`;
  return `${Math.floor(past / 86400)}d`;
}

/**
 * Shows a short message for a moment; screen readers announce it.
 * @param {string} text
 * @param {string} [more]
 */
export function toast(text, more = "") {
  const list = byId("toasts");
  const item = h("div", { class: "toast" }, h("strong", {}, text), more ? " " + more : "");
  while (list.children.length > 3) list.firstElementChild?.remove();
  list.append(item);
  setTimeout(() => item.remove(), 5000);
}
