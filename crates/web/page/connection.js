// The page's WebSocket: it reconnects whenever it is lost, and reopens all views.

/** @typedef {import("./types").FromServer} FromServer */
/** @typedef {import("./types").ViewHandler} ViewHandler */
/** @typedef {"connecting" | "open" | "lost" | "crowded" | "logged-out"} State */
import { loginKey } from "./key.js";

// Milliseconds.
const RETRY = { first: 250, last: 5000 };
const PING_EVERY = 20_000;
const PONG_WITHIN = 5_000;

export class Connection {
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {Map<number, ViewHandler>} */ #views = new Map();
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */ #asked = new Map();
  #nextView = 1;
  #nextAsk = 1;
  #pause = RETRY.first;
  /** @type {number | undefined} */ #retry;
  /** @type {number | undefined} */ #pong;
  /** @type {State} */ state = "connecting";

  /**
   * @param {(message: FromServer) => void} onMessage
   * @param {(state: State) => void} onState
   */
  constructor(onMessage, onState) {
    this.onMessage = onMessage;
    this.onState = onState;
    // After sleep or a change of networks, check the connection at once instead of waiting for a timeout.
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.#look(); });
    addEventListener("online", () => this.#look());
    addEventListener("pageshow", () => this.#look());
    setInterval(() => { if (!document.hidden) this.#look(); }, PING_EVERY);
    this.#open();
  }

  #open() {
    clearTimeout(this.#retry);
    const url = new URL("/ws", location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    // A page can't set headers on a WebSocket, but it can name protocols. The key is read each time: another tab may have logged in.
    const socket = new WebSocket(url, ["vtr", `key.${loginKey()}`]);
    this.#socket = socket;
    socket.onopen = () => {
      this.#pause = RETRY.first;
      this.#set("open");
      for (const [view, handler] of this.#views) this.send({ ...handler.start(), view });
    };
    socket.onmessage = (event) => this.#take(JSON.parse(event.data));
    socket.onclose = () => { if (this.#socket === socket) this.#lost(); };
  }

  /** @param {FromServer} message */
  #take(message) {
    if (message.t === "pong") {
      clearTimeout(this.#pong);
      this.#pong = undefined;
    } else if (message.t === "answer") {
      const asked = this.#asked.get(message.number);
      this.#asked.delete(message.number);
      if (message.error) asked?.reject(new Error([message.error.message, message.error.hint].filter(Boolean).join(" ")));
      else asked?.resolve(message.value);
    } else if ("view" in message) {
      this.#views.get(message.view)?.take(message);
    } else {
      this.onMessage(message);
    }
  }

  async #lost() {
    this.#socket = null;
    clearTimeout(this.#pong);
    this.#pong = undefined;
    for (const asked of this.#asked.values()) asked.reject(new Error("The connection was lost."));
    this.#asked.clear();
    if (this.state !== "logged-out") this.#set("lost");
    // Browsers don't tell why a WebSocket was refused; a plain request does.
    const answer = await fetch("/whoami", { headers: { authorization: `Bearer ${loginKey()}` } }).catch(() => null);
    if (answer?.status === 401) {
      this.#set("logged-out");
      return;
    }
    if (answer?.status === 503) this.#set("crowded");
    this.#retry = setTimeout(() => this.#open(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, RETRY.last);
  }

  /** Checks whether the connection is alive. */
  #look() {
    const socket = this.#socket;
    // Also when logged out, since another tab may have opened a new link.
    if (!socket) {
      this.#pause = RETRY.first;
      this.#open();
    } else if (socket.readyState === WebSocket.OPEN && this.#pong === undefined) {
      this.send({ t: "ping" });
      this.#pong = setTimeout(() => {
        this.#pong = undefined;
        socket.close();
        if (this.#socket === socket) this.#lost();
      }, PONG_WITHIN);
    }
  }

  /** @param {State} state */
  #set(state) {
    if (this.state === state && state !== "open") return;
    this.state = state;
    this.onState(state);
  }

  /** @param {Record<string, unknown>} message */
  send(message) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /**
   * @param {ViewHandler} handler
   * @returns {number} the view's number
   */
  open(handler) {
    const view = this.#nextView++;
    this.#views.set(view, handler);
    this.send({ ...handler.start(), view });
    return view;
  }

  /** @param {number} view */
  close(view) {
    this.#views.delete(view);
    this.send({ t: "close", view });
  }

  /**
   * @param {string} ask
   * @param {Record<string, unknown>} [details]
   * @returns {Promise<any>}
   */
  ask(ask, details = {}) {
    if (this.state !== "open") return Promise.reject(new Error("Not connected at the moment."));
    const number = this.#nextAsk++;
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject });
      this.send({ t: "ask", number, ask, ...details });
    });
  }
}
