// One session's frames, shared by all parts of the page that show it: a frame is acknowledged after all have drawn it.

/** @typedef {import("./types").ViewMessage} ViewMessage */
import { Screen } from "./screen.js";

/**
 * @typedef {object} Viewer
 * @property {number} pace milliseconds between frames
 * @property {(rows: Set<number> | null) => void} draw
 * @property {(status: Status) => void} [changed]
 * @property {(message: ViewMessage) => void} [heard] bells and refusals
 */

/** @typedef {{ kind: "waiting" | "live" | "exited" | "away" | "gone", text: string }} Status */

export class Feed {
  screen = new Screen();
  /** @type {Status} */ status = { kind: "waiting", text: "" };
  frames = 0;
  /** @type {Set<Viewer>} */ #viewers = new Set();
  #view = 0;
  #pace = 0;
  /** @type {Set<number> | null} */ #dirty = new Set();
  /** @type {[number, number] | null} */ #size = null;

  /**
   * @param {import("./connection.js").Connection} connection
   * @param {string} coordinator
   * @param {string} session
   * @param {string} name
   */
  constructor(connection, coordinator, session, name) {
    this.connection = connection;
    this.coordinator = coordinator;
    this.session = session;
    this.name = name;
  }

  /** @param {Viewer} viewer */
  add(viewer) {
    this.#viewers.add(viewer);
    if (this.#viewers.size === 1) {
      this.#pace = viewer.pace;
      this.#view = this.connection.open({ start: () => this.#start(), take: (message) => this.#take(message) });
    } else {
      this.#setPace();
    }
    if (this.screen.rows) viewer.draw(null);
    viewer.changed?.(this.status);
  }

  /** @param {Viewer} viewer */
  remove(viewer) {
    if (!this.#viewers.delete(viewer)) return;
    if (this.#viewers.size === 0) {
      this.connection.close(this.#view);
      this.status = { kind: "waiting", text: "" };
    } else this.#setPace();
  }

  #setPace() {
    const pace = Math.min(...[...this.#viewers].map((viewer) => viewer.pace));
    if (pace !== this.#pace) {
      this.#pace = pace;
      this.send({ t: "pace", pace });
    }
  }

  #start() {
    if (this.#size) queueMicrotask(() => this.#size && this.resize(...this.#size));
    return { t: "watch", coordinator: this.coordinator, session: this.session, name: this.name, pace: this.#pace };
  }

  /** @param {ViewMessage} message */
  #take(message) {
    switch (message.t) {
      case "frame": {
        const rows = this.screen.apply(message);
        if (!rows || !this.#dirty) this.#dirty = null;
        else for (const row of rows) this.#dirty.add(row);
        this.frames++;
        if (message.id) this.session = message.id;
        if (message.name) this.name = message.name;
        this.#set({ kind: "live", text: "" });
        // Not in a hidden tab: it draws no frame, acknowledges none, and so gets no more.
        requestAnimationFrame(() => {
          const dirty = this.#dirty;
          this.#dirty = new Set();
          for (const viewer of this.#viewers) viewer.draw(dirty);
          this.send({ t: "ack", version: message.version });
        });
        break;
      }
      case "exited":
        this.#set({ kind: "exited", text: message.signal ? `ended by ${message.signal}` : `exited with ${message.code}` });
        break;
      case "away":
        this.#set({ kind: "away", text: message.reason });
        break;
      case "gone":
        this.#set({ kind: "gone", text: message.reason });
        break;
      default:
        for (const viewer of this.#viewers) viewer.heard?.(message);
    }
  }

  /** @param {Status} status */
  #set(status) {
    if (status.kind === this.status.kind && status.text === this.status.text) return;
    this.status = status;
    for (const viewer of this.#viewers) viewer.changed?.(status);
  }

  /** @param {Record<string, unknown>} message */
  send(message) {
    this.connection.send({ ...message, view: this.#view });
  }

  /** Cells that fit where it is typed to. @param {number} cols @param {number} rows */
  resize(cols, rows) {
    this.#size = [cols, rows];
    this.send({ t: "size", cols, rows });
  }

  /** The theme or the font changed. */
  redraw() {
    for (const viewer of this.#viewers) if (this.screen.rows) viewer.draw(null);
  }
}

/** The feeds of the page, by session. */
export class Feeds {
  /** @type {Map<string, Feed>} */ #feeds = new Map();

  /** @param {import("./connection.js").Connection} connection */
  constructor(connection) {
    this.connection = connection;
  }

  /** @param {string} coordinator @param {string} session @param {string} name */
  of(coordinator, session, name) {
    const key = `${coordinator}\n${session}`;
    let feed = this.#feeds.get(key);
    if (!feed) {
      feed = new Feed(this.connection, coordinator, session, name);
      this.#feeds.set(key, feed);
    }
    return feed;
  }

  /** Forgets those of sessions that are gone. @param {(feed: Feed) => boolean} kept */
  prune(kept) {
    for (const [key, feed] of this.#feeds) if (!kept(feed)) this.#feeds.delete(key);
  }

  redraw() {
    for (const feed of this.#feeds.values()) feed.redraw();
  }

  /** Frames so far, for measuring. */
  get frames() {
    let frames = 0;
    for (const feed of this.#feeds.values()) frames += feed.frames;
    return frames;
  }
}
