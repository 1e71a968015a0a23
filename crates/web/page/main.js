// The page: the open tiles, their order, and the bar above them.

/** @typedef {import("./types").FromServer} FromServer */
import { Connection } from "./connection.js";
import { ask, choice, field, menu } from "./dialogs.js";
import { byId, h, icon, iconButton, toast } from "./dom.js";
import { Feeds } from "./feed.js";
import { Find } from "./find.js";
import { forgetLoginKey } from "./key.js";
import { keyBar } from "./keybar.js";
import { List, recordingName, statusOf } from "./list.js";
import { measure } from "./painter.js";
import { Player } from "./player.js";
import { settings } from "./settings.js";
import { Terminal } from "./terminal.js";

// Milliseconds that a program may take to end before the page says that it is still running.
const STILL_RUNS = 2000;

let readOnly = false;
let welcomed = false;

/** A tile: a session or a recording. */
class Tile {
  /** @type {Terminal | null} */ terminal = null;
  /** @type {Player | null} */ player = null;
  /** @type {Find | null} */ #find = null;
  #title = h("h2", { class: "tile-name" });
  #detail = h("span", { class: "tile-detail" });
  #badge = h("span", { class: "badge" });
  #size = h("span", { class: "tile-size" });
  #notice = h("div", { class: "notice", role: "status", hidden: true });
  #body = h("div", { class: "tile-body" });
  #more = iconButton("more", "More", () => this.#menu());

  /** @param {string} item `coordinator/session` or `play:recording` */
  constructor(item) {
    this.item = item;
    this.live = !item.startsWith("play:");
    this.root = h("section", { class: "tile", "data-item": item },
      h("header", { class: "tile-bar" },
        iconButton("back", "Back to the list", () => show([]), "phone"),
        this.#title, this.#badge, this.#detail, this.#size, h("span", { class: "gap" }),
        this.live ? iconButton("find", "Find (Ctrl+Shift+F)", () => this.find()) : null,
        this.live ? this.#more : null,
        iconButton("close", "Close", () => show(tiles.filter((tile) => tile !== this).map((tile) => tile.item)), "desk")),
      this.#notice, this.#body);
    this.#more.setAttribute("aria-haspopup", "menu");
    this.root.addEventListener("focusin", () => activate(this));
    this.root.addEventListener("pointerdown", () => activate(this));
    if (this.live) this.update();
    else this.#play(item.slice("play:".length));
  }

  get #address() {
    const slash = this.item.lastIndexOf("/");
    return { coordinator: this.item.slice(0, slash), session: this.item.slice(slash + 1) };
  }

  /** @param {string} name */
  #play(name) {
    const { name: title, time } = recordingName(name);
    this.#title.textContent = title;
    this.#detail.textContent = ["recording", time].filter(Boolean).join(" · ");
    this.player = new Player(connection, name);
    this.player.onStatus = (text) => this.#notify(text);
    this.root.setAttribute("aria-label", `Recording ${name}`);
    this.#body.append(this.player.root);
  }

  /** The list has changed. */
  update() {
    const { coordinator, session: name } = this.#address;
    const session = list.find(coordinator, this.terminal?.feed.session ?? name) ?? list.find(coordinator, name);
    if (!this.terminal) {
      this.#title.textContent = name;
      if (!session) {
        const place = list.places.get(coordinator);
        const why = !place ? "Unknown coordinator." : place.standing === "up" ? "There is no such session." : place.reason || "Connecting…";
        this.#notify(welcomed ? why : "Connecting…");
        return;
      }
      this.#notify("");
      const terminal = new Terminal(feeds.of(coordinator, session.id, session.name), readOnly);
      this.terminal = terminal;
      terminal.onFind = () => this.find();
      terminal.onBell = () => this.#ring();
      const changed = (/** @type {import("./feed.js").Status} */ status) => {
        if (status.kind === "away") this.#notify(`The coordinator can't be reached, retrying: ${status.text}`);
        else if (status.kind === "gone") this.#notify(`The session is gone: ${status.text}`);
        else this.#notify("");
        this.update();
      };
      Object.assign(terminal, { changed });
      changed(terminal.feed.status);
      this.#body.append(terminal.root);
      terminal.layout();
      const drawTerminal = terminal.draw.bind(terminal);
      terminal.draw = (rows) => { drawTerminal(rows); this.#describe(); };
      if (active === this) terminal.focus();
    }
    const { feed } = this.terminal;
    if (session && session.name !== name) {
      // Renamed, here or elsewhere.
      this.item = `${coordinator}/${session.name}`;
      this.root.dataset.item = this.item;
      remember();
    }
    this.#title.textContent = session?.name ?? feed.name;
    this.root.setAttribute("aria-label", `Session ${session?.name ?? feed.name}`);
    const ended = feed.status.kind === "exited" ? feed.status.text : session && !session.running ? statusOf(session) : "";
    this.#badge.textContent = ended ? `EXITED · ${ended}` : "";
    this.root.classList.toggle("ended", ended !== "");
    this.#describe();
  }

  #describe() {
    const { feed } = this.terminal ?? {};
    if (!feed) return;
    const { screen } = feed;
    const detail = [this.#address.coordinator, screen.title].filter(Boolean).join(" · ");
    if (this.#detail.textContent !== detail) this.#detail.textContent = detail;
    const size = screen.cols ? `${screen.cols}×${screen.rows}` : "";
    if (this.#size.textContent !== size) this.#size.textContent = size;
    this.#size.title = screen.leads ? "The session has this window's size" : "Sized for another window: type to use this window's size";
    this.root.classList.toggle("leads", screen.leads);
  }

  /** @param {string} text @param {...Node} more */
  #notify(text, ...more) {
    this.#notice.hidden = text === "";
    this.#notice.replaceChildren(text, ...more);
  }

  #ring() {
    this.root.classList.remove("bell");
    void this.root.offsetWidth; // restarts the animation
    this.root.classList.add("bell");
  }

  find() {
    const { terminal } = this;
    if (!terminal) return;
    if (!this.#find) {
      this.#find = new Find(terminal, () => { this.#find = null; });
      this.#body.append(this.#find.root);
    }
    this.#find.focus();
  }

  /** Sends TERM, and checks after a moment whether the program has ended: shells ignore TERM. */
  async #end() {
    const { coordinator, session, name } = /** @type {Terminal} */ (this.terminal).feed;
    const kill = (/** @type {string} */ signal) => connection.ask("kill", { coordinator, session, signal });
    try {
      await kill("TERM");
    } catch (error) {
      return failed(error);
    }
    toast("Asked the program to end.");
    setTimeout(() => {
      if (!list.find(coordinator, session)?.running) return;
      this.#notify(`${name} is still running: it ignores TERM.`,
        h("button", { type: "button", onclick: () => { this.#notify(""); kill("KILL").catch(failed); } }, "Force it to end (KILL)"));
    }, STILL_RUNS);
  }

  async #menu() {
    const { terminal } = this;
    if (!terminal) return;
    const { coordinator, session } = terminal.feed;
    const name = terminal.feed.name;
    // The stream may know that it ended before the list does.
    const running = terminal.feed.status.kind !== "exited" && (list.find(coordinator, session)?.running ?? false);
    const recorded = readOnly ? null : await connection.ask("record", { coordinator, session, action: "status" }).catch(() => null);
    const send = (/** @type {string} */ what, /** @type {Record<string, unknown>} */ details, /** @type {string} */ done) => () =>
      connection.ask(what, { coordinator, session, ...details }).then(() => toast(done), failed);
    /** @type {import("./dialogs.js").MenuItem[]} */
    const items = [{ label: settings.announce ? "Stop reading output aloud" : "Read output aloud (screen readers)", action: () => settings.toggleAnnounce() }];
    if (!readOnly) {
      items.push(
        { label: "Rename…", action: async () => {
          const values = await ask(`Rename ${name}`, "Rename", field("New name", "name", { value: name, required: true, pattern: "[A-Za-z0-9._\\-]{1,64}", title: "Letters, digits, . _ and -, at most 64" }));
          if (values) send("rename", { name: values.name }, "Renamed.")();
        } },
        ...(recorded?.recording
          ? [{ label: "Stop recording", action: () => { connection.ask("record", { coordinator, session, action: "stop" }).then((status) => { toast("Recorded to", status.file); listRecordings(); }, failed); } }]
          : running ? [{ label: "Start recording", action: send("record", { action: "start" }, "Recording.") }] : []),
        ...(running ? [{ label: "End (TERM)", danger: true, action: () => { this.#end(); } }] : []),
        { label: "Remove…", danger: true, action: async () => {
          if (await ask(`Remove ${name}?`, "Remove", h("p", {}, "The program is ended if it is still running, and its output is lost."))) {
            send("remove", {}, "Removed.")();
            show(tiles.filter((tile) => tile !== this).map((tile) => tile.item));
          }
        } });
    }
    menu(this.#more, items);
  }

  focus() {
    (this.terminal ?? this.player)?.focus();
  }

  close() {
    this.terminal?.close();
    this.player?.close();
    this.root.remove();
  }
}

/** @type {Tile[]} */
let tiles = [];
/** @type {Tile | null} */
let active = null;

/** @param {Tile} tile */
function activate(tile) {
  if (active === tile) return;
  active?.root.classList.remove("active");
  active = tile;
  tile.root.classList.add("active");
}

/** @param {unknown} error */
function failed(error) {
  toast(error instanceof Error ? error.message : String(error));
}

const MOST_TILES = 9;

/** Opens exactly these, in this order. @param {string[]} items */
function show(items) {
  const wanted = [...new Set(items)].slice(-MOST_TILES);
  const kept = new Map(tiles.map((tile) => [tile.item, tile]));
  for (const tile of tiles) if (!wanted.includes(tile.item)) tile.close();
  const fresh = wanted.filter((item) => !kept.has(item));
  tiles = wanted.map((item) => kept.get(item) ?? new Tile(item));
  const room = byId("tiles");
  for (const [at, tile] of tiles.entries()) {
    // Moving a tile that is already in place would take the focus from it.
    if (room.children[at] !== tile.root) room.insertBefore(tile.root, room.children[at] ?? null);
  }
  const columns = Math.ceil(Math.sqrt(tiles.length));
  room.style.setProperty("--columns", String(Math.max(1, columns)));
  document.body.dataset.mode = tiles.length ? "open" : "overview";
  document.body.classList.toggle("typing", tiles.some((tile) => tile.live) && !readOnly);
  if (!tiles.includes(/** @type {Tile} */ (active))) active = null;
  const next = tiles.find((tile) => tile.item === fresh.at(-1)) ?? active ?? tiles.at(-1);
  if (next) {
    activate(next);
    next.focus();
  }
  remember();
}

function remember() {
  const items = tiles.map((tile) => tile.item);
  list.mark(new Set(items));
  document.title = items.length ? `${items.map((item) => item.replace(/^play:/, "").split("/").pop()).join(", ")} · vtr` : "vtr";
  const hash = items.length ? "#" + items.map((item) => encodeURIComponent(item)).join("&") : "";
  if (location.hash !== hash) history.pushState(null, "", hash || location.pathname);
}

/** @returns {string[]} */
function remembered() {
  try {
    return location.hash.slice(1).split("&").filter(Boolean).map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** The size of a single tile in cells: new sessions start with this window's size. */
function roomForOne() {
  const { cell, height, ratio } = measure(settings.fontSize);
  const phone = innerWidth <= 720;
  const [width, tall] = phone ? [innerWidth - 4, innerHeight - 110] : [innerWidth - 264, innerHeight - 96];
  return { cols: Math.max(20, Math.floor((width * ratio) / cell)), rows: Math.max(5, Math.floor((tall * ratio) / height)) };
}

/** @param {string} coordinator */
async function create(coordinator) {
  const places = [...list.places.keys()];
  const values = await ask("New session", "Start",
    places.length > 1 ? choice("Coordinator", "coordinator", [coordinator, ...places.filter((key) => key !== coordinator)]) : "",
    field("Name", "name", { autofocus: true, placeholder: "chosen automatically", pattern: "[A-Za-z0-9._\\-]{1,64}", title: "Letters, digits, . _ and -, at most 64" }),
    field("Command", "command", { placeholder: "your shell" }),
    field("Folder", "working_dir", { placeholder: "the home folder" }));
  if (!values) return;
  const place = values.coordinator ?? coordinator;
  try {
    const { id } = await connection.ask("spawn", { ...values, ...roomForOne(), coordinator: place });
    // The list will tell its name in a moment.
    wanted = { coordinator: place, id };
    openWanted();
  } catch (error) {
    failed(error);
  }
}

/** @type {{ coordinator: string, id: string } | null} */
let wanted = null;

function openWanted() {
  const session = wanted && list.find(wanted.coordinator, wanted.id);
  if (!wanted || !session) return;
  const item = `${wanted.coordinator}/${session.name}`;
  wanted = null;
  show([item]);
}

async function share() {
  const values = await ask("Share a link", "Create link",
    h("p", {}, "Anyone who opens it can see every session here. The link works once, in one browser, for a day."),
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "may_type", value: "yes" }), "Also allow typing, starting and ending sessions"));
  if (!values) return;
  try {
    const { link } = await connection.ask("share", { may_type: values.may_type === "yes" });
    const shown = h("input", { value: link, readOnly: true, "aria-label": "The link", class: "link", onfocus: () => shown.select() });
    if (await ask("The link", "Copy", shown)) {
      await navigator.clipboard.writeText(link);
      toast("Copied.");
    }
  } catch (error) {
    failed(error);
  }
}

async function logOut() {
  if (!await ask("Log out?", "Log out", h("p", {}, "This also logs out this browser's other tabs. You need a new link to log in again."))) return;
  // The server closes the connection with the login, so an answer is not needed.
  connection.ask("log_out").catch(() => {});
  forgetLoginKey();
}

function listRecordings() {
  connection.ask("recordings").then((answer) => list.showRecordings(answer.recordings), () => {});
}

/** @param {FromServer} message */
function take(message) {
  if (message.t === "hello") {
    readOnly = message.read_only;
    document.body.classList.toggle("read-only", readOnly);
    byId("version").textContent = message.version;
    listRecordings();
  } else if (message.t === "coordinators") {
    list.update(message.order, message.changed);
    const first = !welcomed;
    welcomed = true;
    if (first) show(remembered());
    feeds.prune((feed) => list.find(feed.coordinator, feed.session) !== undefined || tiles.some((tile) => tile.terminal?.feed === feed));
    for (const tile of tiles) if (tile.live) tile.update();
    openWanted();
  }
}

/** @param {import("./connection.js").State} state */
function connected(state) {
  const notice = byId("connection");
  document.body.dataset.connection = state;
  notice.hidden = state === "open" || (state === "connecting" && !welcomed);
  notice.textContent = state === "logged-out" ? "You are no longer logged in. Open the link that vtr web printed, or ask for a new one."
    : state === "crowded" ? "Too many pages are open. Close some of them; this one then reconnects by itself."
    : state === "lost" ? "Connection lost. Retrying…" : "Connecting…";
}

const connection = new Connection(take, connected);
const feeds = new Feeds(connection);
const list = new List(byId("list"), feeds, {
  open: (item, beside) => show(beside ? [...tiles.map((tile) => tile.item), item] : [item]),
  create,
  readOnly: () => readOnly,
});

const themeButton = iconButton("auto", "Theme", () => settings.nextTheme());
function themed() {
  const label = { auto: "Theme: system", light: "Theme: light", dark: "Theme: dark" }[settings.choice];
  themeButton.title = label;
  themeButton.setAttribute("aria-label", label);
  themeButton.replaceChildren(/** @type {any} */ (icon(settings.choice === "auto" ? "auto" : settings.choice === "light" ? "sun" : "moon")));
  feeds.redraw();
}
settings.onChange(themed);
themed();

const listButton = iconButton("menu", "Names only", () => settings.togglePlainList());
function listed() {
  const label = settings.plainList ? "Show pictures" : "Names only";
  listButton.title = label;
  listButton.setAttribute("aria-label", label);
  listButton.replaceChildren(/** @type {any} */ (icon(settings.plainList ? "grid" : "menu")));
}
settings.onChange(listed);
listed();

byId("tools").append(
  h("span", { class: "fonts", role: "group", "aria-label": "Font size" },
    h("button", { type: "button", class: "plain-button", title: "Smaller", "aria-label": "A− Smaller text", onclick: () => settings.changeFont(-1) }, "A−"),
    h("button", { type: "button", class: "plain-button", title: "Larger", "aria-label": "A+ Larger text", onclick: () => settings.changeFont(1) }, "A+")),
  listButton,
  themeButton,
  iconButton("share", "Share a link", share, "writes"),
  iconButton("leave", "Log out", logOut));
byId("home").addEventListener("click", (event) => {
  event.preventDefault();
  show([]);
});
keyBar(byId("keybar"), () => active?.terminal ?? null);

addEventListener("popstate", () => show(remembered()));
addEventListener("keydown", (event) => {
  // Many programs use Alt with a digit; these keys are free in browsers and rare in programs.
  if (!(event.ctrlKey && event.altKey) || event.metaKey) return;
  const items = list.items;
  const at = items.indexOf(active?.item ?? "");
  const step = { PageDown: 1, PageUp: -1 }[event.key];
  if (!step || items.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  show([items[(at + step + items.length) % items.length] ?? ""]);
}, true);

// When a phone's keyboard opens, the visible area shrinks, but not the page.
const viewport = window.visualViewport;
if (viewport) {
  const fit = () => document.documentElement.style.setProperty("--height", `${viewport.height}px`);
  viewport.addEventListener("resize", fit);
  fit();
}

/** For tests and measuring. */
Object.assign(window, { vtr: { frames: () => feeds.frames, tiles: () => tiles, connection } });
