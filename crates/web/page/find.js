// Find in a session: in its history and screen, from the newest match backwards, or on a full-screen program's screen.

/** @typedef {import("./terminal.js").Terminal} Terminal */
import { h, iconButton } from "./dom.js";

// Debounce of typing, in milliseconds.
const PAUSE = 200;
// Maximum lines searched, and matches marked: more than anyone steps through.
const MOST_LINES = 50_000;
const MOST_MATCHES = 5_000;
const MARKS = { all: "found", current: "found-current" };

export class Find {
  #input = h("input", { type: "search", placeholder: "Find in screen and history", "aria-label": "Find in screen and history" });
  #count = h("span", { class: "count", role: "status" });
  /** @type {number | undefined} */ #timer;
  #run = 0;
  /** Newest first. @type {Range[]} */ #matches = [];
  #current = -1;
  #more = false;
  #done;

  /** @param {Terminal} terminal @param {() => void} done */
  constructor(terminal, done) {
    this.terminal = terminal;
    this.#done = done;
    this.#input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#search(), PAUSE);
    });
    terminal.onDrawn = () => this.#redrawn();
    this.root = h("div", {
      class: "find", role: "search",
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Escape") this.close();
        else if (event.key === "Enter" && event.target === this.#input) this.#step(event.shiftKey ? -1 : 1);
        else return;
        event.preventDefault();
        event.stopPropagation();
      },
    }, this.#input, this.#count,
      iconButton("up", "Older match (Enter)", () => this.#step(1)),
      iconButton("down", "Newer match (Shift+Enter)", () => this.#step(-1)),
      iconButton("close", "Close (Escape)", () => this.close()));
  }

  focus() {
    this.#input.focus();
    this.#input.select();
  }

  close() {
    this.#forget();
    this.terminal.onDrawn = () => {};
    this.root.remove();
    this.#done();
    this.terminal.letGo();
  }

  #forget() {
    clearTimeout(this.#timer);
    this.#run++;
    this.#matches = [];
    this.#current = -1;
    this.#more = false;
    this.#tell();
  }

  async #search() {
    this.#forget();
    const run = this.#run;
    const text = this.#input.value;
    if (!text) return;
    if (this.terminal.feed.screen.alternate) {
      this.#collect([...this.terminal.picture.text.children].reverse(), text);
      this.#go(0);
      return;
    }
    const history = this.terminal.lookBack();
    this.#more = true;
    /** @type {Element | null} */ let oldest = null;
    while (this.#more) {
      await history.loaded();
      if (run !== this.#run) return;
      this.#collect(history.olderThan(oldest), text);
      oldest = history.oldest;
      this.#more = history.more && history.length < MOST_LINES && this.#matches.length < MOST_MATCHES;
      if (this.#current < 0 && this.#matches.length > 0) this.#go(0);
      else this.#tell();
      if (this.#more) history.load();
    }
  }

  /** A full-screen program drew: the matches may have moved. */
  #redrawn() {
    if (!this.terminal.feed.screen.alternate || !this.#input.value || this.#matches.length === 0) return;
    const current = this.#current;
    this.#matches = [];
    this.#collect([...this.terminal.picture.text.children].reverse(), this.#input.value);
    this.#current = Math.min(current, this.#matches.length - 1);
    this.#tell();
  }

  /** @param {Element[]} lines newest first @param {string} text */
  #collect(lines, text) {
    // A lower-case query ignores case.
    const fold = text === text.toLowerCase();
    for (const line of lines) {
      if (this.#matches.length >= MOST_MATCHES) return;
      this.#matches.push(...occurrences(line, text, fold).reverse());
    }
  }

  /** @param {number} by */
  #step(by) {
    const { length } = this.#matches;
    // The history was closed, or the text changed after the search.
    if (length === 0 || !this.#matches[0]?.startContainer.isConnected) this.#search();
    else this.#go((this.#current + by + length) % length);
  }

  /** @param {number} number from the newest */
  #go(number) {
    this.#current = Math.min(number, this.#matches.length - 1);
    this.#tell();
    const match = this.#matches[this.#current];
    if (match) this.terminal.reveal(match);
  }

  #tell() {
    const { length } = this.#matches;
    const total = `${length}${this.#more || length >= MOST_MATCHES ? "+" : ""}`;
    this.#count.textContent = length ? `${this.#current + 1} of ${total}` : !this.#input.value ? "" : this.#more ? "searching" : "nothing";
    const current = this.#matches[this.#current];
    CSS.highlights?.set(MARKS.all, new Highlight(...this.#matches));
    if (current) CSS.highlights?.set(MARKS.current, new Highlight(current));
    else CSS.highlights?.delete(MARKS.current);
  }
}

/**
 * The places of the text in a line, in order.
 * @param {Element} line
 * @param {string} text
 * @param {boolean} fold
 */
function occurrences(line, text, fold) {
  const plain = line.textContent ?? "";
  let content = fold ? plain.toLowerCase() : plain;
  // Some letters have a longer lower-case form, which would shift positions.
  if (content.length !== plain.length) content = plain;
  /** @type {Range[]} */ const found = [];
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + text.length)) {
    const [start, end] = [place(line, at), place(line, at + text.length)];
    if (!start || !end) break;
    const range = document.createRange();
    range.setStart(...start);
    range.setEnd(...end);
    found.push(range);
  }
  return found;
}

/** @param {Element} line @param {number} at @returns {[Text, number] | null} */
function place(line, at) {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  for (let node = /** @type {Text | null} */ (walker.nextNode()); node; node = /** @type {Text | null} */ (walker.nextNode())) {
    if (at <= node.length) return [node, at];
    at -= node.length;
  }
  return null;
}
