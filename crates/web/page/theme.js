// Colours: the page's two themes, and how a cell's colours are adapted to them.

/** @typedef {import("./types").Theme} Theme */
/** @typedef {import("./types").Run} Run */
import { LOOK } from "./screen.js";

// xterm's colours 1 to 14, which the server sends by value. Black and white stay as they are: programs mean them.
const XTERM = [0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00,
  0x5c5cff, 0xff00ff, 0x00ffff];
// The engine's default colours: unless a program set others, they stand for the theme's.
const ENGINE = { foreground: 0xe5e5e5, background: 0x000000, cursor: 0xe5e5e5 };

/** @param {number[]} colors */
const asMap = (colors) => new Map(XTERM.map((color, at) => [color, colors[at] ?? color]));

const DARK = asMap([0xf0757d, 0x86cf80, 0xe5bf70, 0x6ea8fe, 0xc797f0, 0x5fcbd8, 0xd8dee9, 0x717b8c, 0xff8f96, 0xa8e6a1, 0xf7d98f,
  0x96c3ff, 0xe0b8ff, 0x8fe6f0]);
const LIGHT = asMap([0xc4302b, 0x2a7a2f, 0x8a6100, 0x1f5fd0, 0x8b3fb5, 0x0c7080, 0x4c5563, 0x737c8c, 0xd63f39, 0x2f8a36, 0xa06f00,
  0x3574ea, 0xa04fcd, 0x11849a]);
const LIGHT_GROUND = new Map([...LIGHT, [0xe5e5e5, 0xdfe3ea], [0x7f7f7f, 0xb4bbc7]]);

/** @type {Record<"dark" | "light", Theme>} */
export const THEMES = {
  dark: { name: "dark", foreground: 0xd8dee9, background: 0x0e1116, cursor: 0x8ab8ff, text: DARK, ground: DARK, contrast: 1.6 },
  light: { name: "light", foreground: 0x1f2430, background: 0xffffff, cursor: 0x2b6be4, text: LIGHT, ground: LIGHT_GROUND, contrast: 4 },
};

/** @param {number} color */
export const css = (color) => `#${color.toString(16).padStart(6, "0")}`;

/** @param {number} color */
function luminance(color) {
  const part = (/** @type {number} */ value) => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(color >> 16) + 0.7152 * part((color >> 8) & 255) + 0.0722 * part(color & 255);
}

/** @param {number} one @param {number} other @param {number} share of the other */
function mix(one, other, share) {
  const part = (/** @type {number} */ shift) =>
    Math.round(((one >> shift) & 255) * (1 - share) + ((other >> shift) & 255) * share) << shift;
  return part(16) | part(8) | part(0);
}

/** @param {number} text @param {number} ground @param {number} least */
function readable(text, ground, least) {
  const below = luminance(ground);
  const ratio = (/** @type {number} */ color) => {
    const above = luminance(color);
    return (Math.max(above, below) + 0.05) / (Math.min(above, below) + 0.05);
  };
  const towards = below > 0.4 ? 0x000000 : 0xffffff;
  let color = text;
  for (let step = 1; step <= 8 && ratio(color) < least; step++) color = mix(text, towards, step / 8);
  return color;
}

/** The colours of one screen in one theme. */
export class Colors {
  /** @type {Map<number, number>} */ #readable = new Map();

  /**
   * @param {Theme} theme
   * @param {[number, number, number]} defaults of the session
   * @param {boolean} reverse
   */
  constructor(theme, defaults, reverse) {
    this.theme = theme;
    const [foreground, background, cursor] = defaults;
    const text = foreground === ENGINE.foreground ? theme.foreground : foreground;
    const ground = background === ENGINE.background ? theme.background : background;
    this.text = reverse ? ground : text;
    this.ground = reverse ? text : ground;
    this.cursor = cursor === ENGINE.cursor ? theme.cursor : cursor;
    this.key = [theme.name, ...defaults, reverse].join();
  }

  /**
   * @param {Run} run
   * @returns {{ text: number, ground: number }}
   */
  of(run) {
    let text = run.fg < 0 ? this.text : (this.theme.text.get(run.fg) ?? run.fg);
    let ground = run.bg < 0 ? this.ground : (this.theme.ground.get(run.bg) ?? run.bg);
    if (run.attributes & LOOK.inverse) [text, ground] = [ground, text];
    else if (run.fg >= 0 && run.bg < 0) {
      let better = this.#readable.get(text);
      if (better === undefined) {
        better = readable(text, ground, this.theme.contrast);
        if (this.#readable.size > 4096) this.#readable.clear();
        this.#readable.set(text, better);
      }
      text = better;
    }
    if (run.attributes & LOOK.dim) text = mix(text, ground, 0.45);
    return { text, ground };
  }

  /** @param {number} color of an underline */
  line(color) {
    return this.theme.text.get(color) ?? color;
  }
}
