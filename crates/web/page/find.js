// Find in a session, history included: the coordinator searches, this lists what it found.

/** @typedef {import("./feed.js").Feed} Feed */
import { h, iconButton } from "./dom.js";

const PAUSE = 200;

export class Find {
  #input = h("input", { type: "search", placeholder: "Find in screen and history", "aria-label": "Find in screen and history" });
  #found = h("ol", { class: "found", "aria-live": "polite" });
  #count = h("span", { class: "count", role: "status" });
  /** @type {number | undefined} */ #timer;
  #asked = 0;

  /** @param {Feed} feed @param {() => void} close */
  constructor(feed, close) {
    this.feed = feed;
    this.#input.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#search(), PAUSE);
    });
    this.root = h("div", {
      class: "find", role: "search",
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Escape") close();
        else if (event.key === "Enter") this.#search();
        else return;
        event.preventDefault();
        event.stopPropagation();
      },
    }, h("div", { class: "find-line" }, this.#input, this.#count, iconButton("close", "Close", close)), this.#found);
  }

  focus() {
    this.#input.focus();
    this.#input.select();
  }

  async #search() {
    clearTimeout(this.#timer);
    const text = this.#input.value;
    const number = ++this.#asked;
    if (!text) {
      this.#found.replaceChildren();
      this.#count.textContent = "";
      return;
    }
    // What was typed is meant as it is; small letters also find large ones.
    const plain = text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const pattern = text === text.toLowerCase() ? `(?i)${plain}` : plain;
    const { coordinator, session } = this.feed;
    const answer = await this.feed.connection.ask("find", { coordinator, session, pattern }).catch((error) => ({ error: String(error.message) }));
    if (number !== this.#asked) return;
    /** @type {[number, string][]} */ const matches = answer.matches ?? [];
    this.#count.textContent = answer.error ?? (matches.length ? `${matches.length}${answer.more ? "+" : ""} lines` : "nothing");
    this.#found.replaceChildren(...matches.toReversed().map(([line, content]) => h("li", {}, h("span", { class: "line" }, String(line + 1)), ...marked(content, text))));
  }
}

/** @param {string} content @param {string} text */
function marked(content, text) {
  const at = text === text.toLowerCase() ? content.toLowerCase().indexOf(text) : content.indexOf(text);
  if (at < 0) return [content];
  return [content.slice(0, at), h("mark", {}, content.slice(at, at + text.length)), content.slice(at + text.length)];
}
