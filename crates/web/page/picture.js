// A full screen: the canvas, the text layer over it, and the cursor; as large as fits.

/** @typedef {import("./screen.js").Screen} Screen */
import { h } from "./dom.js";
import { Painter, measure } from "./painter.js";
import { settings } from "./settings.js";
import { TextLayer } from "./textlayer.js";
import { Colors, css } from "./theme.js";

// Minimum font size: nobody reads smaller text, so a larger screen is scrolled.
const LEAST_FONT = 6;
// Milliseconds between two updates of the text layer: it costs more than the canvas, which people look at.
const TEXT_PAUSE = 100;

export class Picture {
  canvas = h("canvas", { "aria-hidden": "true" });
  text = h("div", { class: "text", translate: "no" });
  cursor = h("div", { class: "cursor", "aria-hidden": "true", translate: "no" });
  stage = h("div", { class: "stage" }, this.canvas, this.text, this.cursor);
  root = h("div", { class: "picture" }, this.stage);
  focused = false;
  #painter = new Painter(this.canvas);
  layer = new TextLayer(this.text);
  /** @type {Colors | null} */ #colors = null;
  /** @type {Set<number> | null} */ #textRows = new Set();
  #textAt = 0;
  /** @type {number | undefined} */ #textTimer;
  metrics = measure(settings.fontSize);

  /** @param {Screen} screen @param {string} label */
  constructor(screen, label) {
    this.screen = screen;
    this.label = label;
  }

  /** @param {string} label */
  set label(label) {
    this.text.setAttribute("role", "document");
    this.text.setAttribute("aria-label", label);
  }

  /** The size in cells that fits at the chosen font size. */
  room() {
    const metrics = measure(settings.fontSize);
    const cols = Math.floor((this.root.clientWidth * metrics.ratio) / metrics.cell);
    const rows = Math.floor((this.root.clientHeight * metrics.ratio) / metrics.height);
    return { cols, rows };
  }

  /** The chosen font, or a smaller one in which the whole screen fits. */
  #fit() {
    const { clientWidth: width, clientHeight: height } = this.root;
    let size = settings.fontSize;
    let metrics = measure(size);
    const fits = () => this.screen.cols * metrics.cell <= width * metrics.ratio + 0.5 && this.screen.rows * metrics.height <= height * metrics.ratio + 0.5;
    while (width && height && size > LEAST_FONT && !fits()) {
      size -= 0.5;
      metrics = measure(size);
    }
    this.metrics = metrics;
  }

  /** @param {Set<number> | null} rows */
  draw(rows) {
    const { screen } = this;
    if (!screen.rows) return;
    if (!rows) this.#fit();
    const colors = new Colors(settings.theme, screen.colors, screen.reverse);
    // Reuse the previous object: it caches contrast-adjusted colours.
    const used = this.#colors?.key === colors.key ? this.#colors : colors;
    this.#colors = used;
    this.#painter.draw(screen, rows, this.metrics, used);
    if (!rows) {
      // Shows the edge of a session that is smaller than its tile.
      const { cols, rows } = this.room();
      this.stage.classList.toggle("smaller", screen.cols < cols || screen.rows < rows);
    }
    this.root.style.background = css(used.ground);
    this.#drawCursor(used);
    if (!rows || !this.#textRows) this.#textRows = null;
    else for (const row of rows) this.#textRows.add(row);
    const wait = this.#textAt + TEXT_PAUSE - performance.now();
    if (wait <= 0) this.#drawText();
    else this.#textTimer ??= setTimeout(() => this.#drawText(), wait);
  }

  #drawText() {
    clearTimeout(this.#textTimer);
    this.#textTimer = undefined;
    this.#textAt = performance.now();
    this.layer.draw(this.screen, this.#textRows, this.metrics);
    this.#textRows = new Set();
    this.text.dataset.version = String(this.screen.version);
  }

  /** @param {Colors} colors */
  #drawCursor(colors) {
    const [x, y, visible, shape, blinking] = this.screen.cursor;
    const { cell, height, ratio } = this.metrics;
    const { style } = this.cursor;
    this.cursor.hidden = !visible;
    const under = this.screen.underCursor();
    this.cursor.className = `cursor ${shape}${blinking && this.focused ? " blinking" : ""}${this.focused ? "" : " idle"}`;
    style.transform = `translate(${(x * cell) / ratio}px, ${(y * height) / ratio}px)`;
    style.width = `${(cell * under.cols) / ratio}px`;
    style.height = style.lineHeight = `${height / ratio}px`;
    style.font = this.text.style.font;
    style.lineHeight = `${height / ratio}px`;
    style.setProperty("--cursor", css(colors.cursor));
    style.color = css(colors.ground);
    this.cursor.textContent = shape === "block" && this.focused ? under.text : "";
  }

  /** The cell under the pointer. @param {{ clientX: number, clientY: number }} event */
  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const { cell, height, ratio } = this.metrics;
    const clamp = (/** @type {number} */ value, /** @type {number} */ most) => Math.max(0, Math.min(most - 1, Math.floor(value)));
    return {
      x: clamp(((event.clientX - box.left) * ratio) / cell, this.screen.cols),
      y: clamp(((event.clientY - box.top) * ratio) / height, this.screen.rows),
    };
  }
}
