// Makes the two pictures of docs/pictures anew: sessions that replay recordings of real programs, in the page.
//
//     node crates/web/tests/browser/pictures.mjs

import fs from "node:fs";
import path from "node:path";
import { Stage, until } from "./stage.mjs";

const RECORDINGS = path.resolve("fixtures/recordings");
const stage = await Stage.new();
try {
  // As far as it shows most, under the title that its program would give itself.
  const show = (name, file, title, bytes, size) => {
    const command = `stty raw -echo; head -c ${bytes} '${RECORDINGS}/${file}'; printf '\\033]2;%s\\007' '${title}'; exec sleep 1000`;
    stage.vtr("spawn", name, ...size, "--", "sh", "-c", command);
  };
  const [large, small] = [["--cols", "120", "--rows", "40"], ["--cols", "100", "--rows", "28"]];
  show("claude", "agents/claude-2.1.197-turns.raw", "claude: ready", 16169, large);
  show("codex", "agents/codex-0.166.0-argv-prompt.raw", "codex: asks before it runs a command", 18801, large);
  show("download", "programs/progress.raw", "five downloads", 43620, small);
  fs.copyFileSync("crates/web/page/connection.js", path.join(stage.folder, "home/connection.js"));
  stage.vtr("spawn", "editor", ...small, "--", "vim", "-N", "-u", "NONE", "--cmd", "syntax on", "--cmd", "set title titlestring=connection.js background=dark", "connection.js");
  stage.vtr("spawn", "tests", ...small, "--cmd", String.raw`printf '\033]2;cargo test\007'
    for name in access assets frame guard message recordings replay; do for one in first second third; do
      printf 'test %s::tests::%s ... \033[32mok\033[0m\n' $name $one; done; done
    printf '\ntest result: \033[32mok\033[0m. 21 passed; 0 failed; finished in 0.41s\n'; exec sleep 1000`);
  stage.vtr("spawn", "deploy", ...small, "--cmd", String.raw`printf '\033]2;deploy to staging\007\033[33mwarning\033[0m: the certificate ends in 9 days\n\033[31merror\033[0m: no space left on device\n'; exit 1`);
  const page = await stage.page({ viewport: { width: 1280, height: 780 }, deviceScaleFactor: 1.5 });
  await page.waitForFunction(() => document.querySelectorAll(".card").length === 6);
  await until("every thumbnail is drawn", () => page.evaluate(() => window.vtr.frames() >= 6));
  await page.waitForTimeout(800); // nothing depends on it but how the picture looks
  await page.screenshot({ path: "docs/pictures/web-sessions.png" });
  await page.click('[data-session="demo/claude"] .card-main');
  for (const other of ["tests", "editor", "codex"]) await page.click(`[data-session="demo/${other}"] .card-main`, { modifiers: ["Control"] });
  await page.mouse.move(700, 20);
  await page.$$eval("#list, #list *", (parts) => parts.forEach((part) => { part.scrollTop = 0; }));
  await page.waitForTimeout(1200);
  await page.screenshot({ path: "docs/pictures/web-tiles.png" });
} finally {
  await stage.close();
}
