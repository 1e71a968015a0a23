// The page as people use it.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { Stage, tile, until } from "./stage.mjs";

/** @type {Stage} */
let stage;
let page;

before(async () => {
  stage = await Stage.new();
  stage.vtr("spawn", "shell", "--cols", "90", "--rows", "24");
  page = await stage.page();
});
after(() => stage.close());

test("the list shows sessions with live thumbnails", async () => {
  stage.vtr("spawn", "failed", "--cmd", "echo no luck; exit 3");
  await page.waitForSelector('[data-session="demo/failed"] .badge:has-text("exited 3")');
  await page.waitForFunction(() => document.querySelectorAll(".card canvas").length === 2);
  await page.fill("input[type=search]", "fail");
  await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
  await page.fill("input[type=search]", "");
  stage.vtr("rm", "failed");
  await page.waitForFunction(() => document.querySelectorAll(".card").length === 1);
});

test("typing goes to bash, and viewing did not resize it", async () => {
  await stage.open(page, "shell");
  await stage.same(page, "shell");
  assert.deepEqual([stage.json("info", "shell").cols, stage.json("info", "shell").rows], [90, 24]);
  await page.keyboard.type("printf 'one\\ntwo 漢字 e\\u0301 ─│┌ \\e[31mred\\e[0m\\n'");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", "two 漢字");
  await stage.same(page, "shell");
  const [cols, rows] = [stage.json("info", "shell").cols, stage.json("info", "shell").rows];
  assert.ok(cols > 90 && rows > 24, `typing leads the size: ${cols}x${rows}`);
  assert.ok(await page.$(`${tile("shell")}.leads`));
});

test("nothing of a letter is painted over by the next row", async () => {
  // The lowest character there is.
  await page.keyboard.type("clear; printf '%s\\n' ____________ end");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", /^end/);
  const inked = () => page.evaluate((selector) => {
    const canvas = document.querySelector(`${selector} canvas`);
    const rows = [...document.querySelectorAll(`${selector} .text .row`)];
    const [height, row] = [canvas.height / rows.length, rows.findIndex((line) => line.textContent.startsWith("____"))];
    const { data } = canvas.getContext("2d").getImageData(0, row * height, canvas.width, height);
    return data.filter((value, at) => value !== data[at % 4]).length;
  }, tile("shell"));
  await until("the underscores are there", async () => (await inked()) > 50);
});

test("what input methods make is typed as text", async () => {
  await page.keyboard.type("echo ");
  await page.keyboard.insertText("日本語");
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Input.imeSetComposition", { text: "か", selectionStart: 1, selectionEnd: 1 });
  await page.waitForSelector("textarea.composing");
  await devtools.send("Input.insertText", { text: "漢" });
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", /^日本語漢$/);
  await stage.same(page, "shell");
});

test("control keys, history and completion work", async () => {
  await page.keyboard.type("echo here is; cat");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", /^here is$/);
  await page.keyboard.type("a cat");
  await page.keyboard.press("Enter");
  await until("cat answers", async () => (await stage.rows(page, "shell")).filter((row) => row === "a cat").length === 2)
    .catch(async (error) => { throw new Error(`${error.message}\n${(await stage.rows(page, "shell")).join("\n")}`); });
  await page.keyboard.press("Control+c");
  await stage.shows(page, "shell", /^\^C/);
  await page.keyboard.type("echo once");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", /^once$/);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("echo ");
  await page.keyboard.press("Alt+f");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", /^echo once$/);
  await stage.same(page, "shell");
});

test("vim runs in full", async () => {
  await page.keyboard.type("vim -u NONE -N note.txt");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", /^~/);
  await page.keyboard.type("iwritten in the browser");
  await page.keyboard.press("Escape");
  await stage.same(page, "shell");
  await page.keyboard.type("yy20p");
  await stage.same(page, "shell");
  await stage.shot(page, "vim");
  await page.keyboard.type(":wq");
  await page.keyboard.press("Enter");
  const note = path.join(stage.folder, "home/note.txt");
  // The file is there, and empty, before its lines are.
  await until("vim has written the file", () => fs.existsSync(note) && fs.statSync(note).size > 0);
  const lines = fs.readFileSync(note, "utf8").trimEnd().split("\n");
  assert.deepEqual([lines.length, lines[20]], [21, "written in the browser"]);
  await stage.same(page, "shell");
});

test("selecting and copying gives the text, wrapped rows joined", async () => {
  await page.keyboard.type("clear; printf 'select me %0200d end\\n' 7");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", /7 end$/);
  const row = await until("the line is there", async () => {
    const rows = await stage.rows(page, "shell");
    const at = rows.findIndex((text) => text.startsWith("select me 0"));
    return at >= 0 && { at };
  });
  const boxOf = async (number) => (await page.$$(`${tile("shell")} .text .row`))[number].boundingBox();
  const from = await boxOf(row.at);
  const last = (await stage.rows(page, "shell")).findIndex((text) => text.endsWith("7 end"));
  assert.ok(last > row.at, "it wrapped");
  const to = await boxOf(last);
  await page.mouse.move(from.x + 1, from.y + 6);
  await page.mouse.down();
  await page.mouse.move(to.x + to.width - 2, to.y + 8, { steps: 5 });
  await page.mouse.up();
  await stage.shot(page, "selection");
  await page.keyboard.press("Control+Shift+c");
  await until("the clipboard has it", async () => (await page.evaluate(() => navigator.clipboard.readText())) === `select me ${"7".padStart(200, "0")} end`);
  await stage.same(page, "shell");
});

test("pasting many lines arrives whole", async () => {
  const lines = Array.from({ length: 2000 }, (_, number) => `line ${number} with "quotes" and äöü`);
  // Its word says that bash has let go of the terminal: before, the paste would be bash's.
  await page.keyboard.type("echo take it; cat > pasted.txt");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", /^take it$/);
  await page.evaluate((text) => navigator.clipboard.writeText(text), lines.join("\n") + "\n");
  await page.keyboard.press("Control+Shift+v");
  await stage.shows(page, "shell", "line 1999");
  await page.keyboard.press("Control+d");
  const file = path.join(stage.folder, "home/pasted.txt");
  await until("the file is complete", () => fs.existsSync(file) && fs.readFileSync(file, "utf8").trimEnd() === lines.join("\n"));
  await stage.same(page, "shell");
});

test("a paste over 1 MiB is refused and says so", async () => {
  await page.evaluate(() => navigator.clipboard.writeText("x".repeat((1 << 20) + 1)));
  await page.keyboard.press("Control+Shift+v");
  await page.waitForSelector('.toast:has-text("is too large")');
});

/** Turns the wheel up over the shell until its history is there. */
async function scrollBack() {
  const box = await (await page.$(`${tile("shell")} .picture`)).boundingBox();
  await page.mouse.move(box.x + 200, box.y + 200);
  await page.mouse.wheel(0, -200);
  await page.waitForSelector(".history-line");
}

/** Back to the live screen. */
async function leaveHistory() {
  await page.keyboard.press("Escape");
  await page.waitForSelector(".history", { state: "detached" });
  await stage.same(page, "shell");
}

test("scrolling back shows the whole of a line that runs on into the screen", async () => {
  const { cols, rows } = stage.json("info", "shell");
  await page.keyboard.type(`clear; printf 'a%0${cols * rows}dz\\n' 0`);
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", /^0*z$/);
  await scrollBack();
  const lines = await page.$$eval(".history-line", (rows) => rows.map((line) => line.textContent.trimEnd()));
  assert.equal(lines.filter((line) => line === `a${"0".repeat(cols * rows)}z`).length, 1);
  await leaveHistory();
});

test("scrolling back shows history with its looks", async () => {
  await page.keyboard.type("clear; for i in $(seq 300); do printf '\\e[32mrow %s\\e[0m\\n' $i; done");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", "row 300");
  await scrollBack();
  await page.waitForSelector(".history-line:has-text('row 1')");
  const lines = await page.$$eval(".history-line", (rows) => rows.map((line) => line.textContent.trimEnd()).filter((line) => /^row \d+$/.test(line)));
  assert.deepEqual(lines.slice(-300), Array.from({ length: 300 }, (_, number) => `row ${number + 1}`));
  await stage.shot(page, "history");
  await leaveHistory();
});

/** What is marked as the current match: its line, and whether it can be seen. */
const current = () => page.evaluate(() => {
  const range = [...(CSS.highlights.get("found-current") ?? [])][0];
  const line = range?.startContainer.parentElement?.closest(".history-line, .row");
  if (!line) return null;
  const [there, view] = [range.getBoundingClientRect(), line.parentElement.getBoundingClientRect()];
  return { text: range.toString(), line: line.textContent.trimEnd(), seen: there.height > 0 && there.top >= view.top && there.bottom <= view.bottom };
});
const counted = (text) => page.waitForSelector(`.count:text-is("${text}")`);

test("find goes from match to match, through history too", async () => {
  await page.keyboard.press("Control+Shift+f");
  await page.keyboard.type("ROW 29");
  await counted("nothing");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("row 29");
  await counted("1 of 11");
  assert.deepEqual(await current(), { text: "row 29", line: "row 299", seen: true });
  for (let match = 0; match < 10; match++) await page.keyboard.press("Enter");
  await counted("11 of 11");
  assert.deepEqual(await current(), { text: "row 29", line: "row 29", seen: true });
  await stage.shot(page, "find");
  await page.keyboard.press("Shift+Enter");
  await counted("10 of 11");
  assert.equal((await current()).line, "row 290");
  await page.click('.find [title^="Older"]');
  await page.click('.find [title^="Older"]');
  await counted("1 of 11");
  assert.deepEqual(await current(), { text: "row 29", line: "row 299", seen: true });
  await page.focus(".find input");
  await page.keyboard.press("Shift+Enter");
  await counted("11 of 11");
  // Escape closes it where one is; once more, and the screen is live again.
  await page.keyboard.press("Escape");
  await page.waitForSelector(".find", { state: "detached" });
  assert.equal(await current(), null);
  assert.ok(await page.isVisible('.history >> text="row 29"'));
  await page.keyboard.press("Escape");
  await page.waitForSelector(".history", { state: "detached" });
  await stage.same(page, "shell");
});

test("find marks what a full-screen program shows", async () => {
  await page.keyboard.type("seq 1000 1100 | less");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", "1001");
  await page.keyboard.press("Control+Shift+f");
  await page.keyboard.type("1003");
  await counted("1 of 1");
  assert.deepEqual(await current(), { text: "1003", line: "1003", seen: true });
  await page.keyboard.press("Escape");
  await page.keyboard.press("q");
  await stage.shows(page, "shell", /^demo \$$/);
  await stage.same(page, "shell");
});

test("keys that are let go are told to programs that ask", async () => {
  // Kitty's protocol: escapes told apart, and the kind of event. So many bytes, and all is as before.
  await page.keyboard.type("clear; stty -echo -icanon; printf '\\e[>3u'; echo ready-$((1+1)); head -c 22 | cat -v; printf '\\e[<u'; stty sane; echo");
  await page.keyboard.press("Enter");
  await stage.shows(page, "shell", "ready-2");
  await page.keyboard.down("ArrowUp");
  await page.keyboard.up("ArrowUp");
  await page.keyboard.down("ArrowDown");
  // The window loses the keyboard before the key is let go.
  await page.evaluate(() => document.activeElement.blur());
  await stage.shows(page, "shell", "^[[A^[[1;1:3A^[[B^[[1;1:3B");
  await page.keyboard.up("ArrowDown");
  await page.click(`${tile("shell")} .picture`);
  await stage.shows(page, "shell", /^demo \$$/);
});

test("the mouse goes to programs that ask for it", async () => {
  await page.keyboard.type("clear; printf '\\e[?1000h\\e[?1006h'; cat -v");
  await page.keyboard.press("Enter");
  await page.waitForSelector(`${tile("shell")} .picture.mouse`);
  const box = await (await page.$(`${tile("shell")} canvas`)).boundingBox();
  await page.mouse.click(box.x + 100, box.y + 100);
  await stage.shows(page, "shell", /\^\[\[<0;\d+;\d+M\^\[\[<0;\d+;\d+m/);
  await page.mouse.wheel(0, -50);
  await stage.shows(page, "shell", /\^\[\[<64;/);
  await page.keyboard.press("Control+c");
  await page.keyboard.type("printf '\\e[?1000l\\e[?1006l'");
  await page.keyboard.press("Enter");
  await page.waitForSelector(`${tile("shell")} .picture:not(.mouse)`);
  await stage.same(page, "shell");
});

test("the window and the font decide the size", async () => {
  const size = () => stage.json("info", "shell");
  const before = size();
  await page.setViewportSize({ width: 900, height: 600 });
  await until("the session is smaller", () => size().cols < before.cols && size().rows < before.rows);
  await stage.same(page, "shell");
  const middle = size();
  await page.click('button[title="Larger"]');
  await page.click('button[title="Larger"]');
  await until("larger letters leave less room", () => size().cols < middle.cols);
  await stage.same(page, "shell");
  await page.click('button[title="Smaller"]');
  await page.click('button[title="Smaller"]');
  await page.setViewportSize({ width: 1180, height: 720 });
  await until("the session is as it was", () => size().cols === before.cols && size().rows === before.rows);
  await stage.same(page, "shell");
});

test("two tabs show the same, and who types leads", async () => {
  const other = await page.context().newPage();
  await other.setViewportSize({ width: 700, height: 500 });
  await other.goto(`${stage.origin}/#demo%2Fshell`);
  await stage.same(other, "shell");
  const before = stage.json("info", "shell");
  await other.click(`${tile("shell")} .picture`);
  await other.keyboard.type("echo from the other tab");
  await other.keyboard.press("Enter");
  await stage.shows(other, "shell", /^from the other tab/);
  const after = stage.json("info", "shell");
  assert.ok(after.cols < before.cols && after.rows < before.rows, JSON.stringify([before, after]));
  await stage.same(other, "shell");
  await page.bringToFront();
  await stage.same(page, "shell");
  await other.close();
});

test("several sessions side by side, kept in the address", async () => {
  stage.vtr("spawn", "second", "--cmd", "echo I am the second; sleep 1000");
  await page.waitForSelector('[data-session="demo/second"]');
  await page.click('[data-session="demo/second"] .card-main', { modifiers: ["Control"] });
  await stage.shows(page, "second", "I am the second");
  await stage.same(page, "second");
  await stage.shot(page, "side-by-side");
  await page.reload();
  await stage.same(page, "second");
  await stage.same(page, "shell");
  await page.click(`${tile("second")} button[title="Close"]`);
  await page.waitForSelector(tile("second"), { state: "detached" });
});

test("a new session from the page, renamed, ended and removed", async () => {
  await page.click(".new");
  await page.fill("dialog input[name=name]", "made");
  await page.fill("dialog input[name=command]", "echo fresh; sleep 1000");
  await page.click("dialog .primary");
  await stage.shows(page, "made", "fresh");
  const choose = async (session, label) => {
    await page.click(`${tile(session)} button[title="More"]`);
    await page.click(`.menu button:has-text("${label}")`);
  };
  await choose("made", "Rename");
  await page.fill("dialog input[name=name]", "named");
  await page.click("dialog .primary");
  await page.waitForSelector(tile("named"));
  const offered = async (session) => {
    await page.click(`${tile(session)} button[title="More"]`);
    await page.waitForSelector(".menu");
    const labels = await page.$$eval(".menu button", (buttons) => buttons.map((button) => button.textContent));
    await page.keyboard.press("Escape");
    return labels.filter((label) => /recording|End \(/.test(label));
  };
  assert.deepEqual(await offered("named"), ["Start recording", "End (TERM)"]);
  await choose("named", "Start recording");
  await page.waitForSelector('.toast:has-text("Recording.")');
  assert.deepEqual(await offered("named"), ["Stop recording", "End (TERM)"]);
  await choose("named", "Stop recording");
  await page.waitForSelector('.recording:has-text("named")');
  await choose("named", "End (TERM)");
  await page.waitForSelector(`${tile("named")} .badge:has-text("EXITED")`);
  await stage.same(page, "named");
  assert.deepEqual(await offered("named"), []);
  await stage.shot(page, "exited");
  await choose("named", "Remove");
  await page.click("dialog .primary");
  await page.waitForSelector(tile("named"), { state: "detached" });
  await until("it is gone", () => !stage.json("ls").sessions.some((session) => session.name === "named"));
});

test("a shell that ignores TERM is reported as still running, and can be killed", async () => {
  stage.vtr("spawn", "stubborn");
  await page.waitForSelector('[data-session="demo/stubborn"]');
  await stage.open(page, "stubborn");
  await stage.shows(page, "stubborn", /^demo \$/);
  await page.click(`${tile("stubborn")} button[title="More"]`);
  await page.click('.menu button:has-text("End (TERM)")');
  await page.waitForSelector(`${tile("stubborn")} .notice:has-text("stubborn is still running")`);
  await stage.shot(page, "still-runs");
  await page.click(`${tile("stubborn")} .notice button`);
  await page.waitForSelector(`${tile("stubborn")} .badge:has-text("EXITED")`);
  assert.equal(stage.json("info", "stubborn").signal, "SIGKILL");
  await page.waitForSelector(`${tile("stubborn")} .notice`, { state: "hidden" });
  stage.vtr("rm", "stubborn");
});

test("everything has a name, a place in the order, and keeps still if asked", async () => {
  await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "light" });
  await stage.open(page, "shell");
  await stage.same(page, "shell");
  await stage.shot(page, "light");
  const nameless = await page.$$eval("button, input, select, textarea, nav, main, section, dialog", (elements) => elements
    .filter((element) => !(element.getAttribute("aria-label") || element.textContent.trim() || element.labels?.length || element.id === "tiles"))
    .map((element) => element.outerHTML.slice(0, 120)));
  assert.deepEqual(nameless, []);
  assert.equal(await page.getAttribute(`${tile("shell")} .text`, "aria-label"), "Screen of shell");
  const motion = await page.$eval(`${tile("shell")} .cursor`, (element) => getComputedStyle(element).animationName);
  assert.equal(motion, "none");
  // Out of the terminal and on by keys alone: Tab itself belongs to the session.
  await page.keyboard.press("Control+F6");
  const focused = () => page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.equal(await focused(), "Find (Ctrl+Shift+F)");
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "More");
  await page.emulateMedia({ reducedMotion: null, colorScheme: "dark" });
});
