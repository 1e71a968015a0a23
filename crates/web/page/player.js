// A recording with its scrubber. The server replays it; the page asks for the frame of a time, one request at a time.

/** @typedef {import("./types").AboutRecording} About */
import { h, icon, iconButton, toast } from "./dom.js";
import { loginKey } from "./key.js";
import { Picture } from "./picture.js";
import { Screen } from "./screen.js";
import { settings } from "./settings.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 16];
// Milliseconds that are kept on each side of a skipped pause.
const KEPT_PAUSE = 500;
const STEP = 5000;
// Milliseconds between two requests: at most 30 frames a second.
const PACE = 33;

/** @param {number} ms @param {boolean} [exact] for what is shorter than a minute */
function clock(ms, exact = false) {
  if (exact) return `0:${(ms / 1000).toFixed(1).padStart(4, "0")}`;
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export class Player {
  screen = new Screen();
  picture;
  /** @type {About | null} */ about = null;
  position = 0;
  playing = false;
  /** @type {(text: string) => void} */ onStatus = () => {};
  #view;
  #asked = -1;
  #shown = -1;
  #askedAt = 0;
  #last = 0;
  /** @type {number | undefined} */ #tick;
  #observer;
  #forget;
  #button = iconButton("play", "Play", () => this.toggle(), "play");
  #slider = h("input", { type: "range", min: 0, max: 0, step: 1, value: "0", class: "scrubber", "aria-label": "Time", oninput: () => this.seek(Number(this.#slider.value)) });
  #time = h("span", { class: "clock" }, "0:00");
  #marks = h("div", { class: "marks" });
  #speed = h("select", { "aria-label": "Speed", title: "Speed" }, ...SPEEDS.map((speed) => h("option", { value: String(speed), selected: speed === 1 }, `${speed}×`)));
  #skip = h("input", { type: "checkbox", checked: true });

  /** @param {import("./connection.js").Connection} connection @param {string} name */
  constructor(connection, name) {
    this.connection = connection;
    this.name = name;
    this.picture = new Picture(this.screen, `Recording ${name}`);
    this.picture.stage.tabIndex = 0;
    const controls = h("div", { class: "controls", role: "group", "aria-label": "Playback" },
      this.#button, h("div", { class: "track" }, this.#slider, this.#marks), this.#time, this.#speed,
      h("label", { class: "check", title: "Shorten pauses to a second" }, this.#skip, "Skip pauses"),
      iconButton("download", "Download", () => this.#download()));
    this.root = h("div", { class: "player", onkeydown: (/** @type {KeyboardEvent} */ event) => this.#keyDown(event) }, this.picture.root, controls);
    this.#observer = new ResizeObserver(() => this.picture.draw(null));
    this.#observer.observe(this.picture.root);
    this.#forget = settings.onChange(() => this.picture.draw(null));
    this.picture.stage.addEventListener("copy", (event) => {
      const text = this.picture.layer.selected(this.screen);
      if (!text) return;
      event.clipboardData?.setData("text/plain", text);
      event.preventDefault();
    });
    this.#view = connection.open({
      start: () => ({ t: "play", recording: name }),
      take: (message) => this.#take(message),
    });
  }

  close() {
    cancelAnimationFrame(this.#tick ?? 0);
    this.#observer.disconnect();
    this.#forget();
    this.connection.close(this.#view);
  }

  focus() {
    this.#button.focus({ preventScroll: true });
  }

  /** @param {import("./types").ViewMessage} message */
  #take(message) {
    if (message.t === "recording") {
      this.about = message;
      this.#slider.max = String(message.ms);
      this.#marks.replaceChildren(...message.marks.slice(0, 500).map(([ms, label]) => {
        const mark = h("span", { class: "mark", title: `${clock(ms)} ${label}` });
        mark.style.left = `${(ms / Math.max(1, message.ms)) * 100}%`;
        return mark;
      }));
      this.onStatus(message.note);
      this.#show();
      this.#asked = -1;
      this.#ask();
    } else if (message.t === "frame") {
      const rows = this.screen.apply(message);
      this.#shown = message.at ?? 0;
      requestAnimationFrame(() => this.picture.draw(rows));
      this.#asked = -1;
      this.root.dataset.at = String(this.#shown);
      // After a reconnect it starts from the beginning.
      this.#start();
    } else if (message.t === "gone") {
      this.onStatus(message.reason);
    }
  }

  async #download() {
    try {
      // Not a plain link, since those can't send the key.
      const answer = await fetch(`/recordings/${encodeURIComponent(this.name)}`, { headers: { authorization: `Bearer ${loginKey()}` } });
      if (answer.status === 503) throw new Error("Too many downloads at the moment: wait until one has finished, and try again.");
      if (!answer.ok) throw new Error("The recording is not available: it may have been removed, or you may be logged out.");
      const address = URL.createObjectURL(await answer.blob());
      h("a", { href: address, download: this.name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    }
  }

  #ask() {
    const wanted = Math.round(this.position);
    if (this.#asked >= 0 || wanted === this.#shown) return;
    this.#asked = wanted;
    this.#askedAt = performance.now();
    this.connection.send({ t: "at", view: this.#view, ms: wanted });
  }

  #show() {
    this.#slider.value = String(this.position);
    const total = this.about?.ms ?? 0;
    this.#time.textContent = `${clock(this.position, total < 59_900)} / ${clock(total, total < 59_900)}`;
    this.#slider.setAttribute("aria-valuetext", `${clock(this.position)} of ${clock(total)}`);
    const label = this.playing ? "Pause" : "Play";
    if (this.#button.title !== label) {
      this.#button.title = label;
      this.#button.setAttribute("aria-label", label);
      this.#button.replaceChildren(/** @type {any} */ (icon(this.playing ? "pause" : "play")));
    }
  }

  /** @param {number} ms */
  seek(ms) {
    this.position = Math.max(0, Math.min(ms, this.about?.ms ?? 0));
    this.#show();
    this.#start();
  }

  toggle() {
    if (!this.playing && this.position >= (this.about?.ms ?? 0)) this.position = 0;
    this.playing = !this.playing;
    this.#last = performance.now();
    this.#show();
    this.#start();
  }

  #start() {
    this.#tick ??= requestAnimationFrame((now) => this.#step(now));
  }

  /** @param {number} now */
  #step(now) {
    this.#tick = undefined;
    const end = this.about?.ms ?? 0;
    if (this.playing) {
      // After a tab has slept, don't jump ahead by all of that time.
      this.position += Math.min(now - this.#last, 250) * Number(this.#speed.value);
      const pause = this.#skip.checked && this.about?.pauses.find(([from, to]) => this.position > from + KEPT_PAUSE && this.position < to - KEPT_PAUSE);
      if (pause) this.position = pause[1] - KEPT_PAUSE;
      if (this.position >= end) {
        this.position = end;
        this.playing = false;
      }
      this.#show();
    }
    this.#last = now;
    if (now - this.#askedAt >= PACE || !this.playing) this.#ask();
    if (this.playing || this.#asked >= 0 || this.#shown !== Math.round(this.position)) this.#start();
  }

  /** @param {KeyboardEvent} event */
  #keyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
    const inSlider = event.target === this.#slider;
    const marks = this.about?.marks.map(([ms]) => ms) ?? [];
    /** @type {Record<string, () => void>} */
    const actions = {
      ArrowLeft: () => this.seek(this.position - STEP),
      ArrowRight: () => this.seek(this.position + STEP),
      ",": () => this.seek(this.position - 100),
      ".": () => this.seek(this.position + 100),
      "[": () => this.seek(marks.findLast((ms) => ms < this.position - 1) ?? 0),
      "]": () => this.seek(marks.find((ms) => ms > this.position + 1) ?? this.about?.ms ?? 0),
      Home: () => this.seek(0),
      End: () => this.seek(this.about?.ms ?? 0),
      k: () => this.toggle(),
    };
    if (!(event.target instanceof HTMLButtonElement)) actions[" "] = () => this.toggle();
    const action = inSlider && event.key.startsWith("Arrow") ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }
}
