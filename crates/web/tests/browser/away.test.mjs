// Things that go away and come back, phones, and recordings.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { Stage, tile, until } from "./stage.mjs";

/** @type {Stage} */
let stage;

before(async () => { stage = await Stage.new(); });
after(() => stage.close());

test("a recording is played with its scrubber", async () => {
  stage.vtr("spawn", "rec", "--cols", "60", "--rows", "12");
  stage.vtr("record", "rec", "start");
  stage.vtr("send", "rec", "-e", "echo first; printf '\\e[35mcoloured\\e[0m\\n'", "--wait", "coloured\\s*$");
  stage.vtr("send", "rec", "-e", "vim -u NONE -N x.txt", "--wait", "~");
  stage.vtr("send", "rec", "ihello from a recording");
  stage.vtr("key", "rec", "esc");
  stage.vtr("idle", "rec", "--idle", "300ms");
  const last = stage.json("screen", "rec").lines.map((line) => line.trimEnd());
  stage.vtr("record", "rec", "stop");
  const page = await stage.page();
  stage.desk = page;
  await page.click('.recording:has-text("rec")');
  const rows = () => page.$$eval(".player .text .row", (lines) => lines.map((line) => line.textContent.trimEnd()));
  await page.waitForSelector(".player .text .row", { state: "attached" });
  await page.focus(".scrubber");
  await page.keyboard.press("End");
  await until("the end of the recording is the session's last screen", async () => JSON.stringify(await rows()) === JSON.stringify(last));
  await stage.shot(page, "recording");
  await page.keyboard.press("Home");
  await until("its beginning is the prompt", async () => !(await rows()).join().includes("hello"));
  await page.selectOption(".controls select", "16");
  await page.click(".play");
  await until("it plays to its end", async () => JSON.stringify(await rows()) === JSON.stringify(last));
  await page.waitForSelector('.play[title="Play"]');
});

test("recordings are anyone's: what is broken says so, what is hostile is only drawn", async () => {
  const page = stage.desk;
  const folder = path.join(stage.folder, "state/vtr/recordings");
  const header = (more) => JSON.stringify({ version: 2, width: 40, height: 4, ...more }) + "\n";
  const evil = "<img src=x onerror=alert(1)>";
  fs.writeFileSync(path.join(folder, `${evil.replaceAll("/", "")}.cast`),
    header({ width: 65535, height: 65535, title: evil.repeat(10_000), idle_time_limit: -1 })
    + `[0, "o", ${JSON.stringify(`${evil}\u001b]0;${evil}\u0007\u001b]52;c;aGk=\u0007`)}]\n` + `[1, "m", ${JSON.stringify(evil)}]\n` + '[1e300, "r", "0x0"]\n');
  fs.writeFileSync(path.join(folder, "broken.cast"), "this is not a recording\n");
  fs.writeFileSync(path.join(folder, "damaged.cast"), header() + '[0, "o", "before the damage"]\nnonsense\n[1, "o", "behind it"]\n');
  fs.writeFileSync(path.join(folder, "huge.cast"), header() + '[0,"o",""]\n'.repeat(1_000_001));
  await page.reload();
  const playing = async (name, wanted) => {
    await page.click(`.recording:has-text("${name}")`);
    await page.waitForSelector(`.tile[data-item^="play:${name}"] ${wanted}`);
  };
  await playing("broken", '.notice:has-text("not an asciicast header")');
  await playing("huge", '.notice:has-text("play it with `vtr play`")');
  await playing("damaged", '.notice:has-text("up to its damage")');
  await playing("damaged", '.text .row:has-text("before the damage")');
  await stage.shot(page, "recording-damaged");
  await playing("<img", `.text .row:has-text("${evil}")`);
  assert.equal(await page.$$eval('img[src="x"]', (images) => images.length), 0);
  await page.focus(".scrubber");
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelectorAll(".player .text .row").length === 1);
});

test("a phone gets one session at a time and the keys it lacks", async () => {
  const link = await makeLink(true);
  const context = await stage.context({ viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true });
  const phone = await context.newPage();
  await phone.goto(link);
  await phone.waitForSelector(".card");
  await stage.shot(phone, "phone-list");
  stage.vtr("spawn", "pocket");
  await phone.tap('[data-session="demo/pocket"] .card-main');
  await stage.same(phone, "pocket");
  await phone.waitForSelector("#keybar button", { state: "visible" });
  await phone.tap(`${tile("pocket")} .picture`);
  await phone.keyboard.insertText("echo typed on glass; sleep 100");
  await phone.keyboard.press("Enter");
  await stage.shows(phone, "pocket", /^typed on glass/);
  await phone.tap('#keybar button:has-text("Ctrl")');
  assert.equal(await phone.getAttribute('#keybar button:has-text("Ctrl")', "aria-pressed"), "true");
  await phone.keyboard.insertText("c");
  await stage.shows(phone, "pocket", "^C");
  assert.equal(await phone.getAttribute('#keybar button:has-text("Ctrl")', "aria-pressed"), "false");
  await phone.tap('#keybar button[aria-label="Up"]');
  await stage.shows(phone, "pocket", /\$ echo typed on glass; sl.*$/);
  await stage.same(phone, "pocket");
  await stage.shot(phone, "phone");
  const { scrollWidth } = await phone.evaluate(() => ({ scrollWidth: document.documentElement.scrollWidth }));
  assert.ok(scrollWidth <= 390, `nothing sticks out: ${scrollWidth}`);
  await phone.tap('button[title="Back to the list"]');
  await phone.waitForSelector("body[data-mode=overview]");
  await context.close();
});

/** Through the page's own dialog. */
async function makeLink(mayType) {
  const page = stage.desk;
  await page.click('button[title="Share a link"]');
  if (mayType) await page.check("dialog input[type=checkbox]");
  await page.click("dialog .primary");
  const link = await page.inputValue("dialog input.link");
  await page.click('dialog button:has-text("Cancel")');
  return link;
}

test("a shared link is for looking unless said otherwise", async () => {
  const link = await makeLink(false);
  const context = await stage.context();
  const guest = await context.newPage();
  await guest.goto(link);
  await guest.waitForSelector("body.read-only");
  await stage.open(guest, "rec");
  await stage.same(guest, "rec");
  const before = stage.json("screen", "rec").version;
  await guest.click(`${tile("rec")} .picture`);
  await guest.keyboard.type("x");
  await guest.waitForSelector('.toast:has-text("read-only access")');
  // Also when the page is made to try.
  await guest.evaluate(() => window.vtr.tiles()[0].terminal.press("x"));
  await guest.waitForSelector('.toast:has-text("Ask for a link")');
  assert.equal(stage.json("screen", "rec").version, before);
  assert.equal(await guest.$(".new:visible"), null);
  await context.close();
});

test("the coordinator is killed and comes back", async () => {
  const page = stage.desk;
  stage.vtr("spawn", "life", "--cmd", "echo first life; sleep 1000");
  await page.click("#home");
  await stage.open(page, "life");
  await stage.shows(page, "life", "first life");
  await stage.kill(stage.coordinator, "SIGKILL");
  await page.waitForSelector(`${tile("life")} .notice:has-text("be reached, retrying")`);
  await page.waitForSelector('.standing:has-text("Disconnected, retrying")');
  assert.ok((await stage.rows(page, "life")).some((row) => row.includes("first life")), "the last screen stays");
  await stage.shot(page, "away");
  await stage.coordinate();
  stage.vtr("spawn", "life", "--cmd", "echo second life; cat");
  await stage.shows(page, "life", "second life");
  await page.waitForSelector(`${tile("life")} .notice`, { state: "hidden" });
  await page.click(`${tile("life")} .picture`);
  await page.keyboard.type("and typing");
  await stage.shows(page, "life", "and typing");
  await stage.same(page, "life");
});

test("a connection that is lost is opened again", async () => {
  const page = stage.desk;
  // Stopped, not ended: what a machine that sleeps looks like from outside.
  stage.web.kill("SIGSTOP");
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.waitForSelector('#connection:has-text("lost")');
  stage.vtr("send", "life", "-e", " while away");
  stage.web.kill("SIGCONT");
  await page.waitForSelector("body[data-connection=open]");
  await stage.shows(page, "life", "while away");
  await stage.same(page, "life");
});

test("a server that was started anew asks for a new link", async () => {
  const page = stage.desk;
  await stage.kill(stage.web, "SIGTERM");
  await page.waitForSelector('#connection:has-text("lost")');
  await stage.serve([]);
  await page.waitForSelector('#connection:has-text("no longer logged in")');
  await page.goto(stage.link);
  await page.waitForURL(`${stage.origin}/`);
  await page.waitForSelector('[data-session="demo/life"]');
});
