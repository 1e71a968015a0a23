// Preferences, stored in this browser only.

import { THEMES } from "./theme.js";

const FONT = { least: 8, most: 32, usual: 14 };
/** @typedef {"auto" | "dark" | "light"} ThemeChoice */

const light = matchMedia("(prefers-color-scheme: light)");

/** @param {string} key @param {string} usual */
function stored(key, usual) {
  try {
    return localStorage.getItem(`vtr.${key}`) ?? usual;
  } catch {
    return usual; // storage is disabled
  }
}

/** @param {string} key @param {string} value */
function store(key, value) {
  try {
    localStorage.setItem(`vtr.${key}`, value);
  } catch {
    // Storage is disabled: the setting lasts as long as the page.
  }
}

class Settings {
  /** @type {Set<() => void>} */ #listeners = new Set();
  fontSize = Math.min(FONT.most, Math.max(FONT.least, Number(stored("font", String(FONT.usual))) || FONT.usual));
  /** @type {ThemeChoice} */ choice = /** @type {ThemeChoice} */ (stored("theme", "auto"));
  announce = stored("announce", "no") === "yes";
  /** Whether the list shows names only, without thumbnails. */
  plainList = stored("list", "no") === "yes";

  constructor() {
    light.addEventListener("change", () => this.#changed());
    // The window moved to another display, or was zoomed.
    const watchRatio = () => {
      matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", () => { this.#changed(); watchRatio(); }, { once: true });
    };
    watchRatio();
    this.#show();
  }

  get theme() {
    const name = this.choice === "auto" ? (light.matches ? "light" : "dark") : this.choice;
    return THEMES[name];
  }

  /** @param {number} steps 0: back to the usual one */
  changeFont(steps) {
    this.fontSize = steps ? Math.min(FONT.most, Math.max(FONT.least, this.fontSize + steps)) : FONT.usual;
    store("font", String(this.fontSize));
    this.#changed();
  }

  nextTheme() {
    this.choice = this.choice === "auto" ? "light" : this.choice === "light" ? "dark" : "auto";
    store("theme", this.choice);
    this.#changed();
  }

  toggleAnnounce() {
    this.announce = !this.announce;
    store("announce", this.announce ? "yes" : "no");
    this.#changed();
  }

  togglePlainList() {
    this.plainList = !this.plainList;
    store("list", this.plainList ? "yes" : "no");
    this.#changed();
  }

  #show() {
    document.documentElement.dataset.theme = this.theme.name;
    document.documentElement.dataset.cards = this.plainList ? "names" : "pictures";
  }

  #changed() {
    this.#show();
    for (const listener of this.#listeners) listener();
  }

  /** @param {() => void} listener */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export const settings = new Settings();
