// The screen as transparent text over the canvas, for selection, the browser's find, and screen readers.

/** @typedef {import("./types").Metrics} Metrics */
/** @typedef {import("./types").Run} Run */
/** @typedef {import("./screen.js").Screen} Screen */
import { h } from "./dom.js";
import { SHAPE } from "./screen.js";

export class TextLayer {
  /** @type {Metrics | null} */ #metrics = null;
  /** @type {WeakMap<Element, import("./types").Line>} */ #lines = new WeakMap();

  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
  }

  /**
   * @param {Screen} screen
   * @param {Set<number> | null} rows
   * @param {Metrics} metrics
   */
  draw(screen, rows, metrics) {
    if (metrics !== this.#metrics) {
      this.#metrics = metrics;
      const { style } = this.root;
      style.font = `${metrics.size}px ${metrics.family}`;
      style.lineHeight = `${metrics.height / metrics.ratio}px`;
      style.letterSpacing = `${(metrics.cell - metrics.advance) / metrics.ratio}px`;
      rows = null;
    }
    while (this.root.children.length > screen.rows) this.root.lastElementChild?.remove();
    while (this.root.children.length < screen.rows) this.root.append(h("div", { class: "row" }));
    if (rows) for (const row of rows) this.#row(screen, row, metrics);
    else for (let row = 0; row < screen.rows; row++) this.#row(screen, row, metrics);
  }

  /**
   * @param {Screen} screen
   * @param {number} row
   * @param {Metrics} metrics
   */
  #row(screen, row, metrics) {
    const element = this.root.children[row];
    const line = screen.lines[row];
    // Unchanged text keeps its place in a selection.
    if (!element || !line || this.#lines.get(element) === line) return;
    this.#lines.set(element, line);
    const text = screen.text(row);
    if (/^[\x20-\x7e]*$/.test(text) && !line.runs.some((run) => run.link)) {
      if (element.textContent !== text || element.firstElementChild) element.textContent = text;
      return;
    }
    element.replaceChildren(...line.runs.map((run) => this.#run(run, metrics)));
  }

  /** @param {Run} run @param {Metrics} metrics */
  #run(run, metrics) {
    const link = /^(https?|mailto):/i.test(run.link);
    const plain = /^[\x20-\x7e]*$/.test(run.text);
    if (plain && !link) return document.createTextNode(run.text);
    const width = (/** @type {HTMLElement} */ element, /** @type {number} */ cols) => {
      // Whichever font has the character, the next one starts at its own column.
      if (!plain) element.style.width = `${(cols * metrics.cell) / metrics.ratio}px`;
      return element;
    };
    if (link) {
      const anchor = h("a", { href: run.link, target: "_blank", rel: "noopener noreferrer", title: run.link, tabIndex: -1, draggable: false }, run.text);
      return width(anchor, run.cols);
    }
    if (run.shape === SHAPE.wide) {
      const span = h("span", { class: "cells" });
      for (const character of run.text) span.append(width(h("span", { class: "cells" }, character), 2));
      return width(span, run.cols);
    }
    return width(h("span", { class: "cells" }, run.text), run.cols);
  }

  /** The row that holds a node, or -1. @param {Node | null} node */
  rowOf(node) {
    for (let at = node; at; at = at.parentNode) {
      if (at.parentNode === this.root) return [...this.root.children].indexOf(/** @type {Element} */ (at));
    }
    return -1;
  }

  /**
   * The selected text as it is copied: wrapped rows joined, trailing blanks of rows left out.
   * @param {Screen} screen
   */
  selected(screen) {
    const selection = getSelection();
    if (!selection || selection.isCollapsed || selection.rangeCount === 0) return "";
    const range = selection.getRangeAt(0);
    if (!range.intersectsNode(this.root)) return "";
    let text = "";
    let first = true;
    for (const [number, row] of [...this.root.children].entries()) {
      if (!range.intersectsNode(row)) continue;
      const part = document.createRange();
      part.selectNodeContents(row);
      if (part.compareBoundaryPoints(Range.START_TO_START, range) < 0) part.setStart(range.startContainer, range.startOffset);
      if (part.compareBoundaryPoints(Range.END_TO_END, range) > 0) part.setEnd(range.endContainer, range.endOffset);
      const before = screen.lines[number - 1];
      if (!first && !before?.wrapped) text = text.replace(/ +$/, "") + "\n";
      first = false;
      text += part.toString();
    }
    return text.replace(/ +$/, "");
  }
}
