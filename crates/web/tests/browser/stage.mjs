// A place for one file of tests: a coordinator, `vtr web`, and a real Chromium. Nothing of the machine's own is used, and
// nothing is left.
//
// VTR is the program, PLAYWRIGHT where playwright-core is, CHROMIUM the browser, SHOTS where screenshots go. PAGE is a
// folder to take the page's files from, in place of those in the program: to try a change without a build.

import { spawn, execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const { chromium } = createRequire(import.meta.url)(path.resolve(process.env.PLAYWRIGHT ?? "target/node/node_modules/playwright-core"));
const VTR = path.resolve(process.env.VTR ?? "target/debug/vtr");
export const SHOTS = path.resolve(process.env.SHOTS ?? "target/web-shots");
/** Milliseconds: generous, for a busy machine. */
export const DEADLINE = Number(process.env.DEADLINE ?? 30_000);

/** Looks again until the function gives something true, and says what was waited for if it never does. */
export async function until(reason, look) {
  const end = Date.now() + DEADLINE;
  let last;
  for (;;) {
    last = await look();
    if (last) return last;
    if (Date.now() > end) throw new Error(`waited ${DEADLINE} ms in vain until ${reason}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export class Stage {
  #children = [];
  #contexts = [];

  static async new(options = {}) {
    const stage = new Stage();
    stage.folder = fs.mkdtempSync(path.join(os.tmpdir(), "vtr-web-"));
    for (const name of ["home", "run", "state", "config"]) fs.mkdirSync(path.join(stage.folder, name));
    // A prompt that is the same everywhere.
    fs.writeFileSync(path.join(stage.folder, "home/.bashrc"), "PS1='\\[\\e[1;34m\\]demo\\[\\e[0m\\] $ '\nunset HISTFILE\n");
    stage.environment = {
      PATH: process.env.PATH, LANG: "C.UTF-8", HOME: path.join(stage.folder, "home"), XDG_RUNTIME_DIR: path.join(stage.folder, "run"),
      XDG_STATE_HOME: path.join(stage.folder, "state"), XDG_CONFIG_HOME: path.join(stage.folder, "config"),
      VTR_SOCKET: path.join(stage.folder, "run/demo.sock"),
    };
    await stage.coordinate();
    if (options.hosts) {
      const run = path.join(stage.folder, "run");
      delete stage.environment.VTR_SOCKET;
      fs.mkdirSync(path.join(stage.folder, "config/vtr"));
      fs.writeFileSync(path.join(stage.folder, "config/vtr/config.toml"), `[[coordinators]]\npath = "${run}/*.sock"\n`);
      for (let host = 1; host <= options.hosts; host++) await stage.#start(["serve", "--shell", "/bin/bash", "--socket", path.join(run, `node${host}.sock`)]);
    }
    await stage.serve(options.web ?? []);
    const launch = { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage"] };
    if (options.server) {
      // The way to learn its process id.
      const server = await chromium.launchServer(launch);
      stage.browserPid = server.process().pid;
      stage.server = server;
      stage.browser = await chromium.connect(server.wsEndpoint());
    } else stage.browser = await chromium.launch(launch);
    return stage;
  }

  /** A line of a child that has begun. */
  #start(args) {
    const child = spawn(VTR, args, { env: this.environment, cwd: path.join(this.folder, "home"), stdio: ["ignore", "pipe", "inherit"] });
    this.#children.push(child);
    return new Promise((resolve, reject) => {
      createInterface(child.stdout).once("line", (line) => resolve({ child, line }));
      child.once("exit", (code) => reject(new Error(`vtr ${args.join(" ")} ended with ${code}`)));
    });
  }

  async coordinate() {
    this.coordinator = (await this.#start(["serve", "--shell", "/bin/bash"])).child;
  }

  async serve(args) {
    const { child, line } = await this.#start(["web", "--json", "--listen", this.address ?? "127.0.0.1:0", ...args]);
    this.web = child;
    const { link, address } = JSON.parse(line);
    Object.assign(this, { link, address, origin: `http://${address}` });
  }

  /** Another server beside the first. */
  async also(args) {
    return JSON.parse((await this.#start(["web", "--json", ...args])).line);
  }

  async kill(child, signal) {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await gone;
  }

  vtr(...args) {
    return execFileSync(VTR, args, { env: this.environment, encoding: "utf8" });
  }

  json(...args) {
    return JSON.parse(this.vtr(...args, "--json"));
  }

  /** A browser of its own, with its own cookies. */
  async context(options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1180, height: 720 }, colorScheme: "dark", ...options });
    context.setDefaultTimeout(DEADLINE);
    if (process.env.PAGE) {
      await context.route(/\/[a-z]+\.(js|css)$/, (route) => route.fulfill({ path: path.join(process.env.PAGE, new URL(route.request().url()).pathname) }));
    }
    this.#contexts.push(context);
    return context;
  }

  /** The first browser, logged in by the link that was printed. */
  async page(options = {}) {
    const context = await this.context(options);
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: this.origin });
    const page = await context.newPage();
    page.on("pageerror", (error) => { this.error ??= error; });
    page.on("console", (message) => {
      // What the network says of a server that is down is the test's doing.
      if (message.type() === "error" && !/WebSocket|Failed to load/.test(message.text())) this.error ??= new Error(message.text());
    });
    await page.goto(this.link);
    await page.waitForURL(`${this.origin}/`);
    await page.waitForSelector("body[data-connection=open]");
    return page;
  }

  /** Opens a session from the list. */
  async open(page, name) {
    await page.click(`[data-session="demo/${name}"] .card-main`);
    await page.waitForSelector(`${tile(name)} .text .row`);
  }

  /** The page's text of a session. */
  rows(page, name) {
    return page.$$eval(`${tile(name)} .text .row`, (rows) => rows.map((row) => row.textContent.trimEnd()));
  }

  /** Waits until the page shows this. */
  async shows(page, name, text) {
    let rows = [];
    const shown = async () => {
      rows = await this.rows(page, name);
      return rows.some((row) => (text.test ? text.test(row) : row.includes(text)));
    };
    await until(`the page shows ${text}`, shown).catch((error) => { throw new Error(`${error.message}\n${rows.join("\n")}`); });
  }

  /** Waits until the page's text is what the coordinator says the screen shows, cell for cell. */
  async same(page, name) {
    let [shown, screen] = [[], []];
    try {
      await until(`page and coordinator agree on ${name}`, async () => {
        screen = this.json("screen", name).lines.map((line) => line.trimEnd());
        shown = await this.rows(page, name);
        return JSON.stringify(shown) === JSON.stringify(screen);
      });
    } catch (error) {
      throw new Error(`${error.message}\npage:\n${shown.join("\n")}\ncoordinator:\n${screen.join("\n")}`);
    }
  }

  async shot(page, name) {
    fs.mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: path.join(SHOTS, `${name}.png`) });
  }

  async close() {
    await this.browser.close();
    await this.server?.close();
    for (const child of this.#children.reverse()) if (child.exitCode === null && child.signalCode === null) await this.kill(child, "SIGTERM");
    fs.rmSync(this.folder, { recursive: true, force: true });
    if (this.error) throw new Error(`the page had an error: ${this.error.stack ?? this.error}`);
  }
}

export const tile = (name) => `.tile[data-item="demo/${name}"]`;
