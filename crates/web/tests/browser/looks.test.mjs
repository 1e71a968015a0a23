// The list of a fleet, and what checkers of accessibility and thumbs say of the page.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { Stage, until } from "./stage.mjs";

const AXE = path.resolve(process.env.AXE ?? "target/node/node_modules/axe-core/axe.min.js");
const HOSTS = 12;

/** @type {Stage} */
let stage;
let page;

before(async () => {
  stage = await Stage.new({ hosts: HOSTS });
  for (const host of [3, 7]) for (const name of ["agent03", "build"]) stage.vtr("spawn", `node${host}:${name}`, "--cmd", "echo here; sleep 1000");
  stage.vtr("spawn", "node7:failed", "--cmd", "echo no luck; exit 3");
  page = await stage.page({ viewport: { width: 1400, height: 900 } });
  await page.waitForSelector('[data-session="node7/failed"] .badge:has-text("exited 3")');
});
after(() => stage.close());

const headings = () => page.$$eval(".group[data-standing]:not([hidden]) h2", (all) => all.map((heading) => heading.textContent));
const cards = () => page.$$eval(".card", (all) => all.map((card) => card.dataset.session));

test("the filter narrows hosts and sessions, and Enter opens the first", async () => {
  assert.equal((await headings()).length, HOSTS + 1);
  await page.fill("input[type=search]", "node7 agent03");
  assert.deepEqual([await headings(), await cards()], [["node7"], ["node7/agent03"]]);
  // The address that every command prints.
  await page.fill("input[type=search]", "node3:agent03");
  assert.deepEqual([await headings(), await cards()], [["node3"], ["node3/agent03"]]);
  await stage.shot(page, "filtered");
  // A host without sessions is found too.
  await page.fill("input[type=search]", "node11");
  assert.deepEqual([await headings(), await cards()], [["node11"], []]);
  await page.fill("input[type=search]", "node7:agent03");
  await page.press("input[type=search]", "Enter");
  await page.waitForSelector('.tile[data-item="node7/agent03"] .text .row');
  await page.click("#home");
  await page.fill("input[type=search]", "");
  assert.equal((await headings()).length, HOSTS + 1);
});

test("hosts without sessions take little room, and a new session begins with its name", async () => {
  const tops = await page.$$eval(".group.bare", (groups) => groups.map((group) => group.getBoundingClientRect().top));
  assert.ok(new Set(tops).size < tops.length, "several stand in one row");
  await page.click('button[aria-label="New session on node7"]');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("name")), "name");
  assert.equal(await page.inputValue("dialog select"), "node7");
  await page.click('dialog button:text-is("Cancel")');
});

test("a list of names alone", async () => {
  await page.click('button[title="Names only"]');
  assert.equal(await page.isVisible(".thumb"), false);
  await stage.shot(page, "names");
  await page.click('button[title="Show pictures"]');
  assert.equal(await page.isVisible(".thumb"), true);
});

/** What axe finds that is serious, in words. */
async function serious(where) {
  // As a script of the page's own kind: its policy allows no other.
  const findings = await where.evaluate(`${fs.readFileSync(AXE, "utf8")}; axe.run(document, { resultTypes: ["violations"] })`);
  return findings.violations
    .filter(({ impact, tags }) => impact === "serious" || impact === "critical" || tags.includes("best-practice"))
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 100)).join(" | ")}`);
}

for (const [size, viewport] of Object.entries({ desk: { width: 1400, height: 900 }, phone: { width: 390, height: 844 } })) {
  for (const colorScheme of ["dark", "light"]) {
    test(`nothing serious is found on a ${size}, ${colorScheme}`, async () => {
      const context = page.context();
      const other = await context.newPage();
      await other.setViewportSize(viewport);
      await other.emulateMedia({ colorScheme });
      await other.goto(stage.origin);
      await other.waitForSelector('[data-session="node7/failed"] .badge:has-text("exited 3")');
      assert.deepEqual(await serious(other), []);
      await stage.shot(other, `list-${size}-${colorScheme}`);
      await other.goto(`${stage.origin}/#node7%2Ffailed`);
      await other.waitForSelector('.tile[data-item="node7/failed"] .badge:has-text("EXITED")');
      assert.deepEqual(await serious(other), []);
      await stage.shot(other, `session-${size}-${colorScheme}`);
      if (size === "phone") {
        const small = await other.$$eval("button, input, select, #home", (all) => all.map((element) => [element, element.getBoundingClientRect()])
          .filter(([element, box]) => box.width > 0 && (box.width < 44 || box.height < 44) && element.type !== "checkbox" && element.type !== "range")
          .map(([element, box]) => `${element.outerHTML.slice(0, 90)} ${box.width}x${box.height}`));
        assert.deepEqual(small, []);
        const [more] = await other.$$eval('.tile [title="More"]', (all) => all.map((element) => element.getBoundingClientRect().right));
        assert.ok(more <= viewport.width, `the menu is in sight: ${more}`);
      }
      await other.close();
    });
  }
}

test("browsers get the icon that they ask for by themselves", async () => {
  const icon = await page.context().request.get(`${stage.origin}/favicon.ico`);
  assert.deepEqual([icon.status(), icon.headers()["content-type"]], [200, "image/svg+xml"]);
});

test("a recording can be kept", async () => {
  stage.vtr("record", "node3:build", "start");
  stage.vtr("record", "node3:build", "stop");
  await page.reload();
  await page.click(".recording");
  await page.waitForSelector(".player");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click('.player button[title="Download"]')]);
  const file = path.join(stage.folder, "kept.cast");
  await download.saveAs(file);
  assert.match(download.suggestedFilename(), /^build-.*\.cast$/);
  await until("the file is there", () => fs.existsSync(file));
  assert.match(fs.readFileSync(file, "utf8"), /^\{"version":/);
});
