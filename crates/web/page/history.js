// What has scrolled off, in its colours, as plain text of the page: its own scrolling, selection and find do the rest.

/** @typedef {import("./feed.js").Feed} Feed */
/** @typedef {import("./types").WireRun} WireRun */
import { h, toast } from "./dom.js";
import { LOOK, readRun } from "./screen.js";
import { settings } from "./settings.js";
import { Colors, css } from "./theme.js";

const NEAR = 40;

export class History {
  #lines = h("div", { class: "history-lines", tabIndex: 0, role: "document", "aria-label": "History" });
  #status = h("span", {}, "History");
  /** @type {number | undefined} */ #first;
  #more = true;
  #asking = false;

  /**
   * @param {Feed} feed
   * @param {import("./types").Metrics} metrics
   * @param {() => void} close
   */
  constructor(feed, metrics, close) {
    this.feed = feed;
    this.close = close;
    this.root = h("div", {
      class: "history",
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Escape" || event.key === "q") {
          event.preventDefault();
          close();
        }
        event.stopPropagation();
      },
    }, this.#lines, h("div", { class: "history-bar" }, this.#status, h("button", { type: "button", onclick: close }, "Back to live")));
    const { style } = this.#lines;
    style.font = `${metrics.size}px ${metrics.family}`;
    style.lineHeight = `${metrics.height / metrics.ratio}px`;
    style.letterSpacing = `${(metrics.cell - metrics.advance) / metrics.ratio}px`;
    this.#lines.addEventListener("scroll", () => this.#scrolled());
    this.#load();
  }

  async #load() {
    if (this.#asking || !this.#more) return;
    this.#asking = true;
    const { coordinator, session } = this.feed;
    try {
      const answer = await this.feed.connection.ask("history", { coordinator, session, ...(this.#first === undefined ? {} : { before: this.#first }) });
      const colors = new Colors(settings.theme, this.feed.screen.colors, false);
      /** @type {WireRun[][]} */ const lines = answer.lines;
      const elements = lines.map((line) => row(line, colors));
      const first = this.#first === undefined;
      const before = this.#lines.scrollHeight - this.#lines.scrollTop;
      this.#lines.prepend(...elements);
      if (first && answer.screen) {
        this.#lines.append(...answer.screen.lines.map((/** @type {[number, boolean, WireRun[]]} */ line) => row(line[2], colors)));
        this.#lines.style.background = css(colors.ground);
        this.#lines.style.color = css(colors.text);
      }
      this.#first = answer.first;
      this.#more = answer.more && lines.length > 0;
      this.#status.textContent = this.#more ? "History" : "History, to its beginning";
      if (first) {
        // One step above the live screen.
        this.#lines.scrollTop = this.#lines.scrollHeight - this.#lines.clientHeight - 3 * NEAR;
        this.#lines.focus({ preventScroll: true });
        if (this.#lines.scrollHeight <= this.#lines.clientHeight + 1) this.close();
      } else this.#lines.scrollTop = this.#lines.scrollHeight - before;
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
      this.close();
    } finally {
      this.#asking = false;
    }
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.#lines;
    if (scrollTop < 10 * NEAR) this.#load();
    if (scrollTop + clientHeight >= scrollHeight - 1 && this.#first !== undefined && !this.#asking && (getSelection()?.isCollapsed ?? true)) this.close();
  }
}

/** @param {WireRun[]} runs @param {Colors} colors */
function row(runs, colors) {
  return h("div", { class: "history-line" }, ...runs.map((wire) => {
    const run = readRun(wire);
    const plain = run.fg < 0 && run.bg < 0 && run.attributes === 0;
    if (plain) return run.text;
    const { text, ground } = colors.of(run);
    const span = h("span", {}, run.text);
    if (text !== colors.text) span.style.color = css(text);
    if (ground !== colors.ground) span.style.background = css(ground);
    if (run.attributes & LOOK.bold) span.style.fontWeight = "bold";
    if (run.attributes & LOOK.italic) span.style.fontStyle = "italic";
    const lines = [run.attributes & LOOK.underline ? "underline" : "", run.attributes & LOOK.strike ? "line-through" : "", run.attributes & LOOK.overline ? "overline" : ""].filter(Boolean);
    if (lines.length) span.style.textDecoration = lines.join(" ");
    if (run.attributes & LOOK.invisible) span.style.visibility = "hidden";
    return span;
  }));
}
