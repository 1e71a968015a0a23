// A live session: typing, clicking, pasting and selecting in it.

/** @typedef {import("./feed.js").Feed} Feed */
import { h, toast } from "./dom.js";
import { History } from "./history.js";
import { keyOf, mouseModifiers, prefix } from "./keys.js";
import { Picture } from "./picture.js";
import { settings } from "./settings.js";

const FASTEST = 34;
const MOST_PASTED = 1 << 20;
// Phone keyboards only report a deletion if there is something to delete.
const FILLER = "\u200b";
/** The server's MouseButton for the browser's button number. */
const BUTTONS = [1, 2, 3];
const MOUSE = { press: 0, release: 1, move: 2, up: 3, down: 4, left: 5, right: 6 };

export class Terminal {
  pace = FASTEST;
  /** Ctrl and Alt of the key bar, which apply to the next key. */
  held = { ctrl: false, alt: false };
  /** @type {() => void} */ onHeld = () => {};
  /** @type {() => void} */ onBell = () => {};
  /** @type {() => void} */ onFind = () => {};
  /** @type {() => void} */ onDrawn = () => {};
  #area = h("textarea", {
    class: "keys", autocapitalize: "off", autocomplete: "off", spellcheck: false, rows: 1,
    "aria-label": "Type into the session; Control F6 leaves it", "aria-multiline": "true", autocorrect: "off",
  });
  #spoken = h("div", { class: "unseen", role: "log", "aria-live": "polite" });
  /** @type {number | undefined} */ #speaking;
  #lastSpoken = "";
  /** @type {number | undefined} */ #sizing;
  #sent = "";
  #pressed = 0;
  /** Keys that are down, by where they are on the keyboard. @type {Map<string, string>} */ #down = new Map();
  #cell = "";
  #wheel = 0;
  /** @type {number | null} */ #touch = null;
  /** @type {History | null} */ #history = null;
  #observer = new ResizeObserver(() => this.layout());
  #forget;

  /** @param {Feed} feed @param {boolean} readOnly */
  constructor(feed, readOnly) {
    this.feed = feed;
    this.readOnly = readOnly;
    this.picture = new Picture(feed.screen, `Screen of ${feed.name}`);
    this.root = this.picture.root;
    const { stage } = this.picture;
    stage.tabIndex = -1;
    if (readOnly) stage.tabIndex = 0;
    else stage.append(this.#area);
    this.root.append(this.#spoken);
    stage.addEventListener("keydown", (event) => this.#keyDown(event));
    stage.addEventListener("keyup", (event) => this.#keyUp(event.code));
    stage.addEventListener("copy", (event) => this.#copy(event));
    stage.addEventListener("paste", (event) => this.#paste(event));
    this.root.addEventListener("mousedown", (event) => this.#mouseDown(event));
    this.root.addEventListener("mousemove", (event) => this.#mouseMove(event));
    this.root.addEventListener("mouseup", (event) => this.#mouseUp(event));
    this.root.addEventListener("wheel", (event) => this.#turn(event), { passive: false });
    this.root.addEventListener("touchstart", (event) => { this.#touch = event.touches.length === 1 ? (event.touches[0]?.clientY ?? null) : null; }, { passive: true });
    this.root.addEventListener("touchmove", (event) => this.#drag(event), { passive: true });
    this.root.addEventListener("contextmenu", (event) => { if (this.#takesMouse(event)) event.preventDefault(); });
    this.root.addEventListener("focusin", () => this.#setFocus(true));
    this.root.addEventListener("focusout", () => this.#setFocus(false));
    this.#area.addEventListener("input", (event) => this.#typed(/** @type {InputEvent} */ (event)));
    this.#area.addEventListener("compositionstart", () => this.#area.classList.add("composing"));
    this.#area.addEventListener("compositionend", (event) => {
      this.#area.classList.remove("composing");
      this.#sendText(event.data);
      this.#clear();
    });
    this.#clear();
    this.#observer.observe(this.root);
    this.#forget = settings.onChange(() => this.layout());
    feed.add(this);
  }

  close() {
    this.#observer.disconnect();
    this.#forget();
    clearTimeout(this.#sizing);
    clearTimeout(this.#speaking);
    this.#history?.root.remove();
    this.feed.remove(this);
    // The session keeps its size: this page no longer asks for one.
    this.feed.resize(0, 0);
  }

  focus() {
    (this.readOnly ? this.picture.stage : this.#area).focus({ preventScroll: true });
  }

  /** @param {Set<number> | null} rows */
  draw(rows) {
    this.picture.label = `Screen of ${this.feed.name}`;
    this.picture.draw(rows);
    this.root.classList.toggle("mouse", this.feed.screen.mouse);
    this.#area.style.transform = this.picture.cursor.style.transform;
    this.#area.style.font = this.picture.text.style.font;
    if (settings.announce) this.#speak();
    this.onDrawn();
  }

  layout() {
    this.picture.draw(null);
    clearTimeout(this.#sizing);
    // Debounced, so that resizing a window asks for one size and not for hundreds.
    this.#sizing = setTimeout(() => {
      const { cols, rows } = this.picture.room();
      const size = `${cols}x${rows}`;
      if (this.readOnly || cols < 2 || rows < 1 || size === this.#sent) return;
      this.#sent = size;
      this.feed.resize(cols, rows);
    }, 80);
  }

  /** @param {import("./types").ViewMessage} message */
  heard(message) {
    if (message.t === "bell") this.onBell();
    if (message.t === "refusal") toast(message.message, message.hint);
  }

  /** Announces the cursor's line to screen readers when the output pauses. */
  #speak() {
    clearTimeout(this.#speaking);
    this.#speaking = setTimeout(() => {
      const { screen } = this.feed;
      const row = screen.cursor[1];
      const text = [screen.text(row - 1), screen.text(row)].map((line) => line.trim()).filter(Boolean).join("\n");
      if (text && text !== this.#lastSpoken) {
        this.#lastSpoken = text;
        this.#spoken.textContent = text;
      }
    }, 400);
  }

  /** @param {boolean} focused */
  #setFocus(focused) {
    if (this.picture.focused === focused) return;
    this.picture.focused = focused;
    // A key that is released elsewhere is not reported here.
    if (!focused) for (const code of [...this.#down.keys()]) this.#keyUp(code);
    this.picture.draw(new Set());
    if (this.feed.screen.focus) this.feed.send({ t: "focus", gained: focused });
  }

  #clear() {
    this.#area.value = FILLER;
    this.#area.setSelectionRange(1, 1);
  }

  /** @param {KeyboardEvent} event */
  #keyDown(event) {
    if (event.ctrlKey && event.shiftKey && event.code === "KeyF") {
      event.preventDefault();
      this.onFind();
      return;
    }
    const command = event.ctrlKey || event.metaKey;
    const selected = this.picture.layer.selected(this.feed.screen);
    if (command && event.code === "KeyC" && (event.shiftKey || selected)) {
      if (!selected) return;
      event.preventDefault();
      navigator.clipboard?.writeText(selected).then(() => toast("Copied."), () => document.execCommand("copy"));
      getSelection()?.removeAllRanges();
      this.focus();
      return;
    }
    if (event.shiftKey && !event.ctrlKey && event.key === "PageUp" && !this.feed.screen.alternate) {
      event.preventDefault();
      this.scrollBack();
      return;
    }
    // The browser's own paste, which arrives as an event.
    if (command && event.shiftKey && event.code === "KeyV") return;
    if (event.shiftKey && event.key === "Insert") return;
    // The way out of the terminal without a mouse: to the session's buttons.
    if (event.ctrlKey && event.key === "F6") {
      event.preventDefault();
      const buttons = [...(this.root.closest(".tile")?.querySelectorAll("button") ?? [])];
      buttons.find((button) => button.offsetParent !== null)?.focus();
      return;
    }
    if (this.readOnly) {
      if (event.key.length === 1 && !command) toast("You have read-only access.");
      return;
    }
    const key = keyOf(event);
    if (!key) {
      // A dead key or an input method needs the field; a modifier alone must not clear the selection.
      if (document.activeElement !== this.#area && ["Dead", "Process", "Unidentified"].includes(event.key)) this.focus();
      return;
    }
    event.preventDefault();
    if (selected) getSelection()?.removeAllRanges();
    this.press(key, event.repeat ? 1 : 0);
    if (event.code) this.#down.set(event.code, key);
    this.focus();
  }

  /** Programs may ask for releases; the engine knows, and drops those that nobody wants. @param {string} code */
  #keyUp(code) {
    const key = this.#down.get(code);
    if (key === undefined) return;
    this.#down.delete(code);
    this.feed.send({ t: "key", key, action: 2 });
  }

  /**
   * @param {string} key
   * @param {number} [action] 1 for a key that repeats
   */
  press(key, action = 0) {
    const held = prefix(this.held.ctrl && !key.includes("ctrl+"), this.held.alt && !key.includes("alt+"), false);
    this.feed.send({ t: "key", key: held + key, action });
    this.#release();
  }

  #release() {
    if (!this.held.ctrl && !this.held.alt) return;
    this.held = { ctrl: false, alt: false };
    this.onHeld();
  }

  /** @param {string} text */
  #sendText(text) {
    if (!text) return;
    if ((this.held.ctrl || this.held.alt) && [...text].length === 1) this.press(text);
    else this.feed.send({ t: "key", text });
  }

  /** What came without a key that says what it is: phones' keyboards, input methods, dictation. @param {InputEvent} event */
  #typed(event) {
    if (event.isComposing) return;
    if (event.inputType === "deleteContentBackward") this.press("backspace");
    else if (event.inputType === "insertLineBreak" || event.inputType === "insertParagraph") this.press("enter");
    else if (event.inputType !== "insertFromPaste" && event.inputType !== "insertCompositionText") {
      this.#sendText(this.#area.value.replaceAll(FILLER, ""));
    }
    this.#clear();
  }

  /** @param {ClipboardEvent} event */
  #copy(event) {
    const text = this.picture.layer.selected(this.feed.screen);
    if (!text) return;
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    event.preventDefault();
    this.paste(event.clipboardData?.getData("text/plain") ?? "");
  }

  /** @param {string} text */
  paste(text) {
    if (!text || this.readOnly) return;
    const bytes = new TextEncoder().encode(text).length;
    if (bytes > MOST_PASTED) {
      toast(`A paste of ${bytes} bytes is too large.`, "At most 1 MiB: paste it in parts, or put it into a file.");
      return;
    }
    this.feed.send({ t: "paste", text });
  }

  /** Shift gives the mouse back to the page, as in other terminals. @param {MouseEvent} event */
  #takesMouse(event) {
    return this.feed.screen.mouse && !event.shiftKey && !this.readOnly;
  }

  /** @param {number} action @param {number} button @param {MouseEvent} event */
  #mouse(action, button, event) {
    this.feed.send({ t: "mouse", action, button, ...this.picture.cellAt(event), modifiers: mouseModifiers(event) });
  }

  /** @param {MouseEvent} event */
  #mouseDown(event) {
    const button = BUTTONS[event.button];
    if (this.#takesMouse(event) && button) {
      event.preventDefault();
      this.focus();
      this.#pressed = button;
      this.#mouse(MOUSE.press, button, event);
    } else if (event.target === this.root) {
      event.preventDefault();
      this.focus();
    }
  }

  /** @param {MouseEvent} event */
  #mouseMove(event) {
    if (!this.#takesMouse(event)) return;
    const { x, y } = this.picture.cellAt(event);
    const cell = `${x} ${y}`;
    if (cell === this.#cell || !(this.#pressed || this.feed.screen.mouseMoves)) return;
    this.#cell = cell;
    this.#mouse(MOUSE.move, this.#pressed, event);
  }

  /** @param {MouseEvent} event */
  #mouseUp(event) {
    if (this.#pressed) {
      this.#mouse(MOUSE.release, this.#pressed, event);
      this.#pressed = 0;
    } else if (getSelection()?.isCollapsed ?? true) {
      this.focus();
    }
  }

  /** Opens the history. A full-screen program has none. */
  scrollBack() {
    if (!this.#history && !this.feed.screen.alternate) this.#openHistory();
  }

  #openHistory() {
    const history = new History(this.feed, this.picture.metrics, () => {
      history.root.remove();
      this.#history = null;
      if (!history.staying) this.focus();
    });
    history.onFind = () => this.onFind();
    this.#history = history;
    this.root.parentElement?.append(history.root);
    return history;
  }

  /** Opens the history with the present screen, and keeps it open until it is released. */
  lookBack() {
    const history = this.#history ?? this.#openHistory();
    history.staying = true;
    return history;
  }

  /** Returns to the live screen, unless older lines are in view. */
  letGo() {
    const history = this.#history;
    if (!history) return this.focus();
    history.staying = false;
    if (history.atEnd) history.close();
    else history.focus();
  }

  /** Brings a place in history or on the screen into view. @param {Range} place */
  reveal(place) {
    if (this.#history) this.#history.reveal(place);
    else place.startContainer.parentElement?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** @param {WheelEvent} event */
  #turn(event) {
    const { screen } = this.feed;
    if (event.ctrlKey) return;
    if (!screen.mouse && !screen.alternate && event.deltaY < 0 && this.root.scrollTop === 0) {
      event.preventDefault();
      this.scrollBack();
      return;
    }
    if (this.readOnly || !(screen.mouse || screen.alternate)) return;
    event.preventDefault();
    const step = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 1 : event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? 1 / screen.rows : 40;
    const steps = this.#steps(event.deltaY / step);
    for (let step = 0; step < Math.min(Math.abs(steps), 10); step++) {
      if (this.#takesMouse(event)) this.#mouse(steps < 0 ? MOUSE.up : MOUSE.down, 0, event);
      // A full-screen program without mouse support scrolls by arrow keys.
      else for (let line = 0; line < 3; line++) this.feed.send({ t: "key", key: steps < 0 ? "up" : "down" });
    }
  }

  /** Whole steps; what is left of one counts for the next. @param {number} turned */
  #steps(turned) {
    this.#wheel += turned;
    const steps = Math.trunc(this.#wheel);
    this.#wheel -= steps;
    return steps;
  }

  /** A finger scrolls as the wheel does. @param {TouchEvent} event */
  #drag(event) {
    const [finger] = event.touches;
    if (this.#touch === null || !finger || event.touches.length > 1) return;
    const moved = finger.clientY - this.#touch;
    const { screen } = this.feed;
    if (!screen.mouse && !screen.alternate) {
      if (moved > 40 && this.root.scrollTop === 0 && (getSelection()?.isCollapsed ?? true)) {
        this.#touch = null;
        this.scrollBack();
      }
      return;
    }
    if (this.readOnly) return;
    this.#touch = finger.clientY;
    const steps = this.#steps((-moved * this.picture.metrics.ratio) / this.picture.metrics.height);
    for (let step = 0; step < Math.min(Math.abs(steps), 10); step++) {
      const { x, y } = this.picture.cellAt(finger);
      if (screen.mouse) this.feed.send({ t: "mouse", action: steps < 0 ? MOUSE.up : MOUSE.down, button: 0, x, y });
      else this.feed.send({ t: "key", key: steps < 0 ? "up" : "down" });
    }
  }
}
