// What the page costs: a session that floods, for SECONDS, and twenty thumbnails when nothing moves.
//
//     node crates/web/tests/browser/measure.mjs [SECONDS]
//
// Fails when the page draws more than 30 frames a second, when memory grows, or when the thumbnails take more than a
// tenth of a core.

import fs from "node:fs";
import { Stage } from "./stage.mjs";

const seconds = Number(process.argv[2] ?? 60);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const TICK = 100; // of a second, on Linux

/** Processor seconds and resident bytes of a process and all below it. */
function costs(root) {
  const processes = new Map();
  for (const pid of fs.readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
      processes.set(Number(pid), { parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]), pages: Number(fields[21]) });
    } catch {
      // It has ended.
    }
  }
  let [cpu, bytes] = [0, 0];
  for (const [pid, { ticks, pages }] of processes) {
    for (let at = pid; at; at = processes.get(at)?.parent ?? 0) {
      if (at !== root) continue;
      cpu += ticks / TICK;
      bytes += pages * 4096;
    }
  }
  return { cpu, bytes };
}

const MB = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
const failures = [];
const check = (holds, text) => {
  console.log(`${holds ? "ok  " : "FAIL"} ${text}`);
  if (!holds) failures.push(text);
};

const stage = await Stage.new({ server: true });
try {
  const page = await stage.page();
  const browser = stage.browserPid;

  for (let number = 0; number < 20; number++) stage.vtr("spawn", `idle-${number}`, "--cmd", `ls --color=always -la /usr/lib | head -30; sleep 1000`);
  await page.setViewportSize({ width: 1500, height: 1900 });
  await page.waitForFunction(() => document.querySelectorAll(".card").length === 20 && window.vtr.frames() >= 20);
  await pause(3000);
  const idleFor = Math.min(seconds, 20);
  const drawn = await page.evaluate(() => window.vtr.frames());
  const idle = [costs(browser), costs(stage.web.pid), costs(stage.coordinator.pid)];
  await pause(idleFor * 1000);
  const share = [costs(browser), costs(stage.web.pid), costs(stage.coordinator.pid)].map((now, at) => ((now.cpu - idle[at].cpu) / idleFor) * 100);
  const total = share.reduce((one, other) => one + other, 0);
  check(total <= 10, `20 thumbnails, nothing moves: ${total.toFixed(1)} % of a core (browser ${share[0].toFixed(1)}, vtr web ${share[1].toFixed(1)}, coordinator ${share[2].toFixed(1)})`);
  check((await page.evaluate(() => window.vtr.frames())) === drawn, "no frame is sent for what does not move");

  await page.setViewportSize({ width: 1280, height: 800 });
  stage.vtr("spawn", "flood", "--cols", "120", "--rows", "40", "--cmd", String.raw`awk 'BEGIN { for (i = 0;; i++) printf "\033[3%dm%d a line of a flood that never ends\033[0m\n", i % 8, i }'`);
  await page.click('[data-session="demo/flood"] .card-main');
  await page.waitForSelector('.tile[data-item="demo/flood"] .text .row');
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  const heap = async () => {
    await devtools.send("HeapProfiler.collectGarbage");
    const { metrics } = await devtools.send("Performance.getMetrics");
    return metrics.find((metric) => metric.name === "JSHeapUsedSize").value;
  };
  await pause(3000);
  const before = { heap: await heap(), web: costs(stage.web.pid), browser: costs(browser) };
  // Of this session alone: the thumbnails beside it don't move.
  const [start, first] = [performance.now(), await page.evaluate(() => window.vtr.frames())];
  let most = 0;
  let [at, frames] = [start, first];
  while (performance.now() - start < seconds * 1000) {
    await pause(Math.min(5000, seconds * 500));
    const now = performance.now();
    const count = await page.evaluate(() => window.vtr.frames());
    most = Math.max(most, ((count - frames) / (now - at)) * 1000);
    [at, frames] = [now, count];
  }
  const rate = ((frames - first) / (at - start)) * 1000;
  const after = { heap: await heap(), web: costs(stage.web.pid), browser: costs(browser) };
  check(rate > 1, `the page goes on drawing`);
  check(most <= 30.5, `a flood for ${((at - start) / 1000).toFixed(0)} s: ${rate.toFixed(1)} frames a second, at most ${most.toFixed(1)}`);
  check(after.heap - before.heap < 8e6, `the page's heap: ${MB(before.heap)} before, ${MB(after.heap)} after`);
  check(after.web.bytes - before.web.bytes < 16e6, `vtr web: ${MB(before.web.bytes)} before, ${MB(after.web.bytes)} after`);
  check(after.browser.bytes - before.browser.bytes < 120e6, `the browser, all of it: ${MB(before.browser.bytes)} before, ${MB(after.browser.bytes)} after`);
  const spent = (one, other) => (((other.cpu - one.cpu) / ((at - start) / 1000)) * 100).toFixed(0);
  console.log(`     processor meanwhile: browser ${spent(before.browser, after.browser)} %, vtr web ${spent(before.web, after.web)} % of a core`);
} finally {
  await stage.close();
}
process.exitCode = failures.length ? 1 : 0;
