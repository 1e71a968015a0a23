// Names of keys in the server's grammar: "a", "ctrl+c", "shift+tab", "f5". The engine encodes them.

/** @type {Record<string, string>} */
const NAMES = {
  Enter: "enter", Tab: "tab", Escape: "esc", Backspace: "backspace", Delete: "delete", Insert: "insert", Home: "home", End: "end",
  PageUp: "pageup", PageDown: "pagedown", ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", " ": "space",
};

/**
 * @param {KeyboardEvent} event
 * @returns {string | null} null: not for the session, or it comes as text
 */
export function keyOf(event) {
  if (event.isComposing || event.keyCode === 229) return null;
  // Keys of the system and the browser.
  if (event.metaKey) return null;
  const named = NAMES[event.key] ?? (/^F([1-9]|1\d|2[0-4])$/.test(event.key) ? event.key.toLowerCase() : undefined);
  const graph = event.getModifierState("AltGraph");
  if (named) {
    const plainSpace = named === "space" && !event.ctrlKey && !event.altKey;
    return prefix(event.ctrlKey, event.altKey, event.shiftKey && !plainSpace) + named;
  }
  if ([...event.key].length !== 1) return null;
  if (graph || !(event.ctrlKey || event.altKey)) return event.key;
  // With Alt, some systems produce another character: use the key itself.
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1]?.toLowerCase();
  const digit = /^Digit(\d)$/.exec(event.code)?.[1];
  const ascii = /^[\x21-\x7e]$/.test(event.key);
  const base = ascii ? event.key.toLowerCase() : (letter ?? digit ?? event.key);
  const shifted = event.shiftKey && /^[a-z]$/.test(base);
  return prefix(event.ctrlKey, event.altKey, shifted) + base;
}

/** @param {boolean} ctrl @param {boolean} alt @param {boolean} shift */
export function prefix(ctrl, alt, shift) {
  return (ctrl ? "ctrl+" : "") + (alt ? "alt+" : "") + (shift ? "shift+" : "");
}

/** Bits as the server reads them. @param {MouseEvent} event */
export function mouseModifiers(event) {
  return (event.shiftKey ? 1 : 0) | (event.altKey ? 2 : 0) | (event.ctrlKey ? 4 : 0) | (event.metaKey ? 8 : 0);
}
