// The history in its colours, as plain text of the page: the browser does scrolling and selection.

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
  /** @type {Promise<void> | null} */ #loading = null;
  /** Whether it stays open while the keyboard is elsewhere. */
  staying = false;
  /** @type {() => void} */ onFind = () => {};

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
        const find = event.ctrlKey && event.shiftKey && event.code === "KeyF";
        if (find) this.onFind();
        if (event.key === "Escape" || event.key === "q") close();
        else if (!find) return event.stopPropagation();
        event.preventDefault();
        event.stopPropagation();
      },
    }, this.#lines, h("div", { class: "history-bar" }, this.#status, h("button", { type: "button", onclick: close }, "Back to live")));
    const { style } = this.#lines;
    style.font = `${metrics.size}px ${metrics.family}`;
    style.lineHeight = `${metrics.height / metrics.ratio}px`;
    style.letterSpacing = `${(metrics.cell - metrics.advance) / metrics.ratio}px`;
    this.#lines.addEventListener("scroll", () => this.#scrolled());
    this.load();
  }

  /** Whether there are older lines than the loaded ones. */
  get more() {
    return this.#more;
  }

  get length() {
    return this.#lines.children.length;
  }

  get oldest() {
    return this.#lines.firstElementChild;
  }

  /** Newest first. @param {Element | null} line */
  olderThan(line) {
    /** @type {Element[]} */ const lines = [];
    for (let at = line ? line.previousElementSibling : this.#lines.lastElementChild; at; at = at.previousElementSibling) lines.push(at);
    return lines;
  }

  /** Resolves when loading is done. */
  async loaded() {
    await this.#loading;
  }

  /** Loads the next older lines. */
  load() {
    if (this.#loading || !this.#more) return;
    this.#loading = this.#load().finally(() => { this.#loading = null; });
  }

  async #load() {
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
        this.#lines.append(...joined(answer.open, answer.screen.lines).map((runs) => row(runs, colors)));
        this.#lines.style.background = css(colors.ground);
        this.#lines.style.color = css(colors.text);
      }
      this.#first = answer.first;
      this.#more = answer.more && lines.length > 0;
      this.#status.textContent = this.#more ? "History" : "History, from the beginning";
      if (first) {
        // Start one step above the live screen.
        this.#lines.scrollTop = this.#lines.scrollHeight - this.#lines.clientHeight - 3 * NEAR;
        if (!this.staying) this.focus();
        if (!this.staying && this.#lines.scrollHeight <= this.#lines.clientHeight + 1) this.close();
      } else this.#lines.scrollTop = this.#lines.scrollHeight - before;
    } catch (error) {
      this.#more = false;
      toast(error instanceof Error ? error.message : String(error));
      this.close();
    }
  }

  focus() {
    this.#lines.focus({ preventScroll: true });
  }

  /** Brings a place into the middle. @param {Range} place */
  reveal(place) {
    const [there, view] = [place.getBoundingClientRect(), this.#lines.getBoundingClientRect()];
    this.#lines.scrollTop += (there.top + there.bottom) / 2 - (view.top + view.bottom) / 2;
  }

  get atEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.#lines;
    return scrollTop + clientHeight >= scrollHeight - 1;
  }

  #scrolled() {
    if (this.#lines.scrollTop < 10 * NEAR) this.load();
    if (this.atEnd && !this.staying && this.#first !== undefined && !this.#loading && (getSelection()?.isCollapsed ?? true)) this.close();
  }
}

/**
 * Joins a screen's wrapped rows into lines.
 * @param {WireRun[] | null} above what is above the screen of the line that its first row goes on with
 * @param {[number, boolean, WireRun[]][]} rows
 */
function joined(above, rows) {
  const lines = above ? [[...above]] : [];
  let open = lines.length > 0;
  for (const [, wrapped, runs] of rows) {
    if (open) lines.at(-1)?.push(...runs);
    else lines.push([...runs]);
    open = wrapped;
  }
  return lines;
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
