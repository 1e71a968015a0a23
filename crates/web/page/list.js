// The sessions of all coordinators with live thumbnails, and the recordings: the whole page when nothing is open, a
// sidebar otherwise.

/** @typedef {import("./types").Place} Place */
/** @typedef {import("./types").SessionInfo} SessionInfo */
/** @typedef {import("./feed.js").Feeds} Feeds */
/** @typedef {import("./feed.js").Feed} Feed */
import { age, h, icon, iconButton } from "./dom.js";
import { Painter, measure } from "./painter.js";
import { settings } from "./settings.js";
import { Colors, css } from "./theme.js";

// Milliseconds between two frames of a thumbnail.
const PACE = 500;

/** @param {SessionInfo} session */
export function statusOf(session) {
  if (session.running) return session.state === "running" ? "" : session.state;
  if (session.state === "errored") return "never ran";
  return session.signal ? `ended by ${session.signal}` : `exited ${session.exit_code}`;
}

/** Without the shell that runs it. @param {string} command */
function plainCommand(command) {
  return command.replace(/^\S*sh -l?c /, "");
}

/** What a coordinator names by itself has a time at its end. @param {string} file */
export function recordingName(file) {
  const name = file.replace(/\.cast$/, "");
  const made = /^(.+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\d*Z$/.exec(name);
  if (!made) return { name, time: "" };
  const [, session, year, month, day, hour, minute, second] = made;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)));
  return { name: session ?? name, time: date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }) };
}

class Card {
  pace = PACE;
  #canvas = h("canvas", { "aria-hidden": "true" });
  #thumb = h("div", { class: "thumb" }, this.#canvas);
  #name = h("span", { class: "name" });
  #detail = h("span", { class: "detail" });
  #badge = h("span", { class: "badge" });
  #age = h("span", { class: "age" });
  #painter = new Painter(this.#canvas);
  #seen = false;
  #visible = false;
  #width = 0;
  #height = 0;
  #lastDetail = "";

  /**
   * @param {Place} place
   * @param {SessionInfo} session
   * @param {Feed} feed
   * @param {(event: MouseEvent) => void} open
   * @param {() => void} beside
   */
  constructor(place, session, feed, open, beside) {
    this.session = session;
    this.feed = feed;
    this.button = h("button", { type: "button", class: "card-main", onclick: open },
      this.#thumb, h("span", { class: "card-line" }, this.#name, " ", this.#badge, " ", this.#age), " ", this.#detail);
    this.root = h("li", { class: "card", "data-session": `${place.key}/${session.name}` }, this.button,
      iconButton("split", "Open beside the others", (event) => { event.stopPropagation(); beside(); }, "beside"));
    this.update(session);
  }

  /** @param {SessionInfo} session */
  update(session) {
    this.session = session;
    this.#name.textContent = session.name;
    this.#age.textContent = age(session.created);
    this.#badge.textContent = statusOf(session);
    this.root.classList.toggle("ended", !session.running);
    this.root.classList.toggle("failed", !session.running && (session.signal !== "" || session.exit_code !== 0));
    this.#tell();
  }

  #tell() {
    const title = this.feed.screen.title || this.session.title;
    const detail = title || plainCommand(this.session.command);
    if (detail === this.#lastDetail) return;
    this.#lastDetail = detail;
    this.#detail.textContent = detail;
    this.#detail.title = this.session.command;
  }

  /** Only those in sight are watched, and none without a picture. @param {boolean} seen */
  show(seen = this.#seen) {
    this.#seen = seen;
    const visible = seen && !settings.plainList;
    if (visible === this.#visible) return;
    this.#visible = visible;
    if (visible) this.feed.add(this);
    else this.feed.remove(this);
  }

  /** @param {Set<number> | null} rows */
  draw(rows) {
    const { screen } = this.feed;
    const box = this.#thumb;
    // Without its padding.
    if (!rows) [this.#width, this.#height] = [box.clientWidth - 12, box.clientHeight - 12];
    if (this.#width <= 0 || !screen.rows) return;
    // Cell heights are rounded at some sizes: shrink until everything fits.
    let size = Math.min(12, this.#width / (screen.cols * 0.55));
    let metrics = measure(size);
    const fits = () => screen.cols * metrics.cell <= this.#width * metrics.ratio && screen.rows * metrics.height <= this.#height * metrics.ratio;
    while (size > 1 && !fits()) {
      size = Math.max(1, Math.floor(size * 19.4) / 20);
      metrics = measure(size);
    }
    const colors = new Colors(settings.theme, screen.colors, screen.reverse);
    this.#painter.draw(screen, rows, metrics, colors);
    box.style.background = css(colors.ground);
    this.#tell();
  }

  remove() {
    this.show(false);
    this.root.remove();
  }
}

export class List {
  /** @type {Map<string, Place>} */ places = new Map();
  /** @type {string[]} */ #order = [];
  /** @type {Map<string, Card>} */ #cards = new Map();
  /** @type {WeakMap<Element, Card>} */ #byElement = new WeakMap();
  /** @type {Map<string, { root: HTMLElement, list: HTMLElement, state: HTMLElement }>} */ #groups = new Map();
  #filter = h("input", {
    type: "search", placeholder: "Filter sessions", "aria-label": "Filter sessions; Enter opens the first", title: "Words, or host:session. Enter opens the first",
    oninput: () => this.#show(),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      const first = this.#body.querySelector(".card");
      if (event.key !== "Enter" || !(first instanceof HTMLElement)) return;
      event.preventDefault();
      this.page.open(first.dataset.session ?? "", event.ctrlKey || event.metaKey || event.shiftKey);
    },
  });
  #body = h("div", { class: "groups" });
  #recordings = h("ul", { class: "recordings" });
  #recordingsGroup = h("section", { class: "group", hidden: true, "aria-label": "Recordings" }, h("h2", {}, "Recordings"), this.#recordings);
  #empty = h("p", { class: "empty", hidden: true });
  /** @type {Set<string>} */ #open = new Set();
  #observer = new IntersectionObserver((entries) => {
    for (const entry of entries) this.#byElement.get(entry.target)?.show(entry.isIntersecting);
  }, { rootMargin: "80px" });

  /**
   * @param {HTMLElement} root
   * @param {Feeds} feeds
   * @param {{ open(item: string, beside: boolean): void, create(coordinator: string): void, readOnly(): boolean }} page
   */
  constructor(root, feeds, page) {
    this.feeds = feeds;
    this.page = page;
    root.append(h("div", { class: "list-top" }, this.#filter), this.#body, this.#empty, this.#recordingsGroup);
    settings.onChange(() => { for (const card of this.#cards.values()) card.show(); });
    new ResizeObserver(() => { for (const card of this.#cards.values()) card.draw(null); }).observe(this.#body);
    setInterval(() => { if (!document.hidden) this.#show(); }, 30_000);
  }

  /** @param {string[]} order @param {Place[]} changed */
  update(order, changed) {
    this.#order = order;
    for (const place of changed) this.places.set(place.key, place);
    for (const key of this.places.keys()) if (!order.includes(key)) this.places.delete(key);
    this.#show();
  }

  /** What is in view, to be marked. @param {Set<string>} items */
  mark(items) {
    this.#open = items;
    for (const card of this.#cards.values()) card.root.classList.toggle("open", items.has(card.root.dataset.session ?? ""));
  }

  /** @param {string} coordinator @param {string} name or id */
  find(coordinator, name) {
    const sessions = this.places.get(coordinator)?.sessions ?? [];
    return sessions.find((session) => session.name === name) ?? sessions.find((session) => session.id === name);
  }

  /** In the order shown. */
  get items() {
    return this.#order.flatMap((key) => (this.places.get(key)?.sessions ?? []).map((session) => `${key}/${session.name}`));
  }

  #show() {
    const words = this.#filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const several = this.#order.length > 1;
    /** @type {Set<string>} */ const kept = new Set();
    let total = 0;
    for (const key of this.#order) {
      const place = this.places.get(key);
      if (!place) continue;
      const group = this.#group(place, several);
      let before = null;
      const matches = (/** @type {string} */ text) => words.every((word) => text.toLowerCase().includes(word));
      for (const session of place.sessions) {
        total++;
        if (!matches(`${key} ${key}:${session.name} ${session.title} ${session.command}`)) continue;
        const id = `${key}\n${session.id}`;
        kept.add(id);
        let card = this.#cards.get(id);
        if (card) card.update(session);
        else {
          const item = () => `${key}/${this.#cards.get(id)?.session.name ?? session.name}`;
          card = new Card(place, session, this.feeds.of(key, session.id, session.name),
            (event) => this.page.open(item(), event.ctrlKey || event.metaKey || event.shiftKey), () => this.page.open(item(), true));
          this.#cards.set(id, card);
          this.#byElement.set(card.root, card);
          this.#observer.observe(card.root);
        }
        card.root.dataset.session = `${key}/${session.name}`;
        if (card.root.parentElement !== group.list || card.root.previousElementSibling !== before) {
          if (before) before.after(card.root);
          else group.list.prepend(card.root);
        }
        before = card.root;
      }
      // A heading that matches the filter stays.
      group.root.hidden = words.length > 0 && !before && !matches(key);
      group.root.classList.toggle("bare", !before && place.standing === "up");
    }
    for (const [id, card] of this.#cards) {
      if (kept.has(id)) continue;
      this.#observer.unobserve(card.root);
      card.remove();
      this.#cards.delete(id);
    }
    for (const [key, group] of this.#groups) {
      if (this.#order.includes(key)) continue;
      group.root.remove();
      this.#groups.delete(key);
    }
    const up = this.#order.some((key) => this.places.get(key)?.standing === "up");
    this.#empty.hidden = kept.size > 0 || (this.#order.length > 0 && !up) || (total === 0 && words.length > 0 && this.#order.length > 0);
    this.#empty.textContent = total ? "No session matches the filter."
      : this.#order.length ? (this.page.readOnly() ? "There are no sessions." : "There are no sessions yet: start one with the button above.")
      : "No coordinators found. Start one with “vtr serve --daemon”.";
    this.mark(this.#open);
  }

  /** @param {Place} place @param {boolean} several */
  #group(place, several) {
    let group = this.#groups.get(place.key);
    if (!group) {
      const state = h("span", { class: "standing" });
      const list = h("ul", { class: "cards" });
      const create = h("button", {
        type: "button", class: "new", title: `New session on ${place.key}`, "aria-label": `New session on ${place.key}`, onclick: () => this.page.create(place.key),
      }, /** @type {any} */ (icon("plus")), h("span", {}, "New session"));
      const root = h("section", { class: "group", "aria-label": `Sessions of ${place.key}` },
        h("div", { class: "group-head" }, h("h2", { title: place.address }, place.key), create, state), list);
      group = { root, list, state };
      this.#groups.set(place.key, group);
      this.#body.append(root);
    }
    group.root.dataset.standing = place.standing;
    group.root.classList.toggle("several", several);
    group.state.textContent = place.standing === "up" ? "" : place.standing === "away" ? `Disconnected, retrying: ${place.reason}` : "Connecting…";
    group.root.classList.toggle("read-only", this.page.readOnly());
    return group;
  }

  /** @param {{ name: string, bytes: number, changed: number }[]} recordings */
  showRecordings(recordings) {
    this.#recordingsGroup.hidden = recordings.length === 0;
    this.#recordings.replaceChildren(...recordings.map((recording) => h("li", {},
      h("button", { type: "button", class: "recording", onclick: (/** @type {MouseEvent} */ event) => this.page.open(`play:${recording.name}`, event.ctrlKey || event.metaKey || event.shiftKey) },
        /** @type {any} */ (icon("film")), h("span", { class: "what" },
          h("span", { class: "name" }, recordingName(recording.name).name),
          h("span", { class: "age" }, `${recordingName(recording.name).time || age(recording.changed) + " ago"} · ${size(recording.bytes)}`))))));
  }
}

/** @param {number} bytes */
function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
