// Keys that phone keyboards lack. Ctrl and Alt apply to the next key.

/** @typedef {import("./terminal.js").Terminal} Terminal */
import { h, toast } from "./dom.js";

const KEYS = [["Esc", "esc"], ["Tab", "tab"], ["←", "left"], ["↓", "down"], ["↑", "up"], ["→", "right"], ["^C", "ctrl+c"], ["^D", "ctrl+d"],
  ["PgUp", "pageup"], ["PgDn", "pagedown"], ["Home", "home"], ["End", "end"], ["|", "|"], ["/", "/"], ["-", "-"], ["~", "~"]];
/** @type {Record<string, string>} */
const LABELS = { "←": "Left", "↓": "Down", "↑": "Up", "→": "Right", "^C": "Control C", "^D": "Control D", PgUp: "Page up", PgDn: "Page down" };

/**
 * @param {HTMLElement} root
 * @param {() => Terminal | null} current
 */
export function keyBar(root, current) {
  const hold = (/** @type {"ctrl" | "alt"} */ which, /** @type {string} */ label) => {
    const button = h("button", {
      type: "button", "aria-pressed": "false", class: "held",
      onclick: () => {
        const terminal = current();
        if (!terminal) return;
        terminal.held[which] = !terminal.held[which];
        show();
        terminal.onHeld = show;
        terminal.focus();
      },
    }, label);
    const show = () => {
      for (const [other, name] of /** @type {const} */ ([[ctrl, "ctrl"], [alt, "alt"]])) {
        other.setAttribute("aria-pressed", String(current()?.held[name] ?? false));
      }
    };
    return button;
  };
  const ctrl = hold("ctrl", "Ctrl");
  const alt = hold("alt", "Alt");
  const keys = KEYS.map(([label, key]) => h("button", {
    type: "button", "aria-label": LABELS[label ?? ""] ?? label,
    // Taking the focus would close the phone's keyboard.
    onpointerdown: (/** @type {Event} */ event) => event.preventDefault(),
    onclick: () => current()?.press(key ?? ""),
  }, label ?? ""));
  const paste = h("button", {
    type: "button",
    onclick: async () => {
      const text = await navigator.clipboard?.readText?.().catch(() => null);
      if (typeof text === "string") current()?.paste(text);
      else toast("The browser does not allow reading the clipboard.", "Long-press the screen to paste.");
      current()?.focus();
    },
  }, "Paste");
  for (const button of [ctrl, alt]) button.addEventListener("pointerdown", (event) => event.preventDefault());
  root.append(...keys.slice(0, 2), ctrl, alt, ...keys.slice(2), paste);
}
