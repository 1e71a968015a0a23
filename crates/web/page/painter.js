// Draws a screen's rows on a canvas, both for a session's tile and for its thumbnail.

/** @typedef {import("./types").Metrics} Metrics */
/** @typedef {import("./types").Run} Run */
/** @typedef {import("./screen.js").Screen} Screen */
/** @typedef {import("./theme.js").Colors} Colors */
import { drawShape } from "./boxes.js";
import { LOOK, SHAPE, eachCell } from "./screen.js";
import { css } from "./theme.js";

const FAMILY = 'ui-monospace, "Cascadia Mono", "JetBrains Mono", "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
const measuring = document.createElement("canvas").getContext("2d");

/** @type {Map<string, Metrics>} */
const measured = new Map();

/**
 * @param {number} size in CSS pixels
 * @param {number} [ratio] device pixels in one
 * @returns {Metrics}
 */
export function measure(size, ratio = devicePixelRatio) {
  const key = `${size} ${ratio}`;
  let metrics = measured.get(key);
  if (!metrics) {
    if (!measuring) throw new Error("this browser has no canvas");
    measuring.font = `${size * ratio}px ${FAMILY}`;
    const box = measuring.measureText("0".repeat(64));
    const advance = box.width / 64;
    const [above, below] = [box.fontBoundingBoxAscent, box.fontBoundingBoxDescent];
    // An underscore may reach below the font's descent, and the next row would paint over it.
    const lowest = Math.max(below, measuring.measureText("_").actualBoundingBoxDescent);
    // Whole pixels, or lines between cells would blur; for tiny cells rounding would be off by too much.
    const whole = advance > 4;
    const cell = whole ? Math.round(advance) : advance;
    const height = whole ? Math.ceil((above + below) * 1.06) : (above + below) * 1.06;
    const baseline = Math.min(Math.round((height - above - below) / 2 + above), Math.floor(height - lowest));
    metrics = { size, ratio, family: FAMILY, cell, height, baseline, advance };
    if (measured.size > 200) measured.clear();
    measured.set(key, metrics);
  }
  return metrics;
}

export class Painter {
  #context;
  /** @type {Metrics | null} */ #metrics = null;
  #colors = "";
  #size = "";

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    const context = canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this browser has no canvas");
    this.#context = context;
  }

  /**
   * @param {Screen} screen
   * @param {Set<number> | null} rows that changed; null: all
   * @param {Metrics} metrics
   * @param {Colors} colors
   */
  draw(screen, rows, metrics, colors) {
    const size = `${screen.cols}x${screen.rows}`;
    if (metrics !== this.#metrics || size !== this.#size || colors.key !== this.#colors) {
      this.#metrics = metrics;
      this.#size = size;
      this.#colors = colors.key;
      this.canvas.width = Math.ceil(screen.cols * metrics.cell);
      this.canvas.height = Math.floor(screen.rows * metrics.height);
      this.canvas.style.width = `${this.canvas.width / metrics.ratio}px`;
      this.canvas.style.height = `${this.canvas.height / metrics.ratio}px`;
      rows = null;
    }
    if (rows) for (const row of rows) this.#row(screen, row, metrics, colors);
    else for (let row = 0; row < screen.rows; row++) this.#row(screen, row, metrics, colors);
  }

  /**
   * @param {Screen} screen
   * @param {number} row
   * @param {Metrics} metrics
   * @param {Colors} colors
   */
  #row(screen, row, metrics, colors) {
    const context = this.#context;
    // Thumbnails have rows of fractional height, which must still meet.
    const top = Math.floor(row * metrics.height);
    const height = Math.floor((row + 1) * metrics.height) - top;
    context.fillStyle = css(colors.ground);
    context.fillRect(0, top, this.canvas.width, height);
    let col = 0;
    for (const run of screen.lines[row]?.runs ?? []) {
      const { text, ground } = colors.of(run);
      const x = col * metrics.cell;
      if (ground !== colors.ground) {
        context.fillStyle = css(ground);
        const from = Math.floor(x);
        context.fillRect(from, top, Math.ceil((col + run.cols) * metrics.cell) - from, height);
      }
      if (!(run.attributes & LOOK.invisible)) this.#run(run, x, top, css(text), metrics, colors);
      col += run.cols;
    }
  }

  /**
   * @param {Run} run
   * @param {number} x
   * @param {number} top
   * @param {string} color
   * @param {Metrics} metrics
   * @param {Colors} colors
   */
  #run(run, x, top, color, metrics, colors) {
    const context = this.#context;
    if (run.shape !== SHAPE.blank && run.text.trim()) {
      const weight = run.attributes & LOOK.bold ? "bold " : "";
      const slant = run.attributes & LOOK.italic ? "italic " : "";
      const font = `${slant}${weight}${metrics.size * metrics.ratio}px ${metrics.family}`;
      if (context.font !== font) context.font = font;
      context.fillStyle = color;
      // Never zero: any letter spacing stops fonts from joining letters.
      const spacing = metrics.cell - metrics.advance || 0.001;
      if (run.shape === SHAPE.narrow && /^[\x20-\u024f]*$/.test(run.text) && "letterSpacing" in context) {
        context.letterSpacing = `${spacing}px`;
        context.fillText(run.text, x, top + metrics.baseline);
      } else {
        if ("letterSpacing" in context) context.letterSpacing = "0px";
        eachCell(run, (text, col, cols) => {
          if (text === " ") return;
          const [left, right] = [x + col * metrics.cell, x + (col + cols) * metrics.cell];
          const code = text.codePointAt(0) ?? 32;
          if (drawShape(context, code, Math.round(left), top, Math.round(right) - Math.round(left), metrics.height, color)) return;
          context.fillStyle = color;
          context.fillText(text, left, top + metrics.baseline, cols * metrics.cell);
        });
      }
    }
    if (run.underline || run.link || run.attributes & (LOOK.strike | LOOK.overline | LOOK.underline)) {
      this.#lines(run, x, top, color, metrics, colors);
    }
  }

  /**
   * @param {Run} run
   * @param {number} x
   * @param {number} top
   * @param {string} color
   * @param {Metrics} metrics
   * @param {Colors} colors
   */
  #lines(run, x, top, color, metrics, colors) {
    const context = this.#context;
    const width = run.cols * metrics.cell;
    const thin = Math.max(1, Math.round(metrics.height / 18));
    context.fillStyle = color;
    if (run.attributes & LOOK.strike) context.fillRect(x, top + Math.round(metrics.height * 0.52), width, thin);
    if (run.attributes & LOOK.overline) context.fillRect(x, top, width, thin);
    const style = run.underline || (run.attributes & LOOK.underline ? 1 : run.link ? 4 : 0);
    if (!style) return;
    const y = Math.min(top + metrics.baseline + 2 * thin, top + metrics.height - thin);
    const ink = run.underlineColor >= 0 ? css(colors.line(run.underlineColor)) : color;
    context.fillStyle = ink;
    if (style === 1) context.fillRect(x, y, width, thin);
    else if (style === 2) {
      context.fillRect(x, y - thin, width, thin);
      context.fillRect(x, Math.min(y + thin, top + metrics.height - thin), width, thin);
    } else {
      context.strokeStyle = ink;
      context.lineWidth = thin;
      context.setLineDash(style === 4 ? [thin, 2 * thin] : style === 5 ? [4 * thin, 3 * thin] : []);
      context.beginPath();
      if (style === 3) {
        const wave = metrics.cell / 2;
        context.moveTo(x, y);
        for (let at = 0; at < width; at += wave) {
          context.quadraticCurveTo(x + at + wave / 2, y + (Math.round(at / wave) % 2 ? 2 : -2) * thin, x + at + wave, y);
        }
      } else {
        context.moveTo(x, y + thin / 2);
        context.lineTo(x + width, y + thin / 2);
      }
      context.stroke();
      context.setLineDash([]);
    }
  }
}
