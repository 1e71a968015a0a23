// Who is not let in, tried with a real browser and by hand.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { after, before, test } from "node:test";
import { Stage } from "./stage.mjs";

/** @type {Stage} */
let stage;
let page;
let cookie;
let key;

before(async () => {
  stage = await Stage.new();
  page = await stage.page();
  const [{ name, value, httpOnly, sameSite }] = await page.context().cookies();
  assert.deepEqual([httpOnly, sameSite], [true, "Strict"]);
  assert.equal(name, `vtr_web_${stage.address.split(":")[1]}`);
  cookie = `${name}=${value}`;
  key = await page.evaluate(() => localStorage.getItem("vtr.key"));
});
after(() => stage.close());

/** Exactly these headers; the status, before anything else is read. */
function status(path, headers) {
  return new Promise((resolve, reject) => {
    const [host, port] = stage.address.split(":");
    const socket = net.connect(Number(port), host, () => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
      socket.write(`GET ${path} HTTP/1.1\r\n${lines}\r\n`);
    });
    socket.once("data", (data) => { resolve(Number(data.toString().split(" ")[1])); socket.destroy(); });
    socket.once("error", reject);
  });
}

const UPGRADE = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" };

test("a link that was used, or has no token, opens nothing", async () => {
  const context = await stage.context();
  const other = await context.newPage();
  const used = await other.goto(stage.link);
  assert.equal(used.status(), 401);
  assert.match(await other.textContent("h1"), /has already been used/);
  await stage.shot(other, "refused");
  assert.equal((await other.goto(`${stage.origin}/login`)).status(), 401);
  assert.equal((await other.goto(stage.origin)).status(), 401);
  assert.equal((await context.cookies()).length, 0);
});

test("a wrong Host is misdirected, with a valid cookie too", async () => {
  assert.equal(await status("/", { Host: "evil.example", Cookie: cookie }), 421);
  assert.equal(await status("/ws", { Host: "evil.example", Cookie: cookie, Origin: stage.origin, ...UPGRADE }), 421);
  assert.equal(await status("/", { Host: stage.address, Cookie: cookie }), 200);
});

test("the WebSocket needs our Origin", async () => {
  assert.equal(await status("/ws", { Host: stage.address, Cookie: cookie, ...UPGRADE }), 403);
  assert.equal(await status("/ws", { Host: stage.address, Cookie: cookie, Origin: "http://evil.example", ...UPGRADE }), 403);
  assert.equal(await status("/ws", { Host: stage.address, Origin: stage.origin, ...UPGRADE }), 401);
  assert.equal(await status("/ws", { Host: stage.address, Cookie: cookie, Origin: stage.origin, ...UPGRADE }), 401);
  const shown = { "Sec-WebSocket-Protocol": `vtr, key.${key}` };
  assert.equal(await status("/ws", { Host: stage.address, Cookie: cookie, Origin: stage.origin, ...shown, ...UPGRADE }), 101);
});

test("another port of the host gets the cookie, and nothing by it", async () => {
  let taken = "";
  const thief = http.createServer((request, response) => {
    taken = request.headers.cookie ?? "";
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>thief</title>");
  });
  await new Promise((resolve) => thief.listen(0, "127.0.0.1", resolve));
  const other = await page.context().newPage();
  await other.goto(`http://127.0.0.1:${thief.address().port}/`);
  assert.equal(taken, cookie);
  assert.equal(await other.evaluate(() => localStorage.length), 0);
  for (const stolen of [{}, { Authorization: `Bearer ${taken.split("=")[1]}` }]) {
    assert.equal(await status("/whoami", { Host: stage.address, Cookie: taken, ...stolen }), 401);
    assert.equal(await status("/ws", { Host: stage.address, Cookie: taken, Origin: stage.origin, ...stolen, ...UPGRADE }), 401);
  }
  await other.close();
  thief.close();
});

test("a second tab and a reload are logged in, until one of them logs out", async () => {
  const context = await stage.context();
  const [first, second] = [await context.newPage(), await context.newPage()];
  await page.click('button[title="Share a link"]');
  await page.click("dialog .primary");
  const link = await page.inputValue("dialog .link");
  await page.click('dialog button:text-is("Cancel")');
  await first.goto(link);
  await first.waitForSelector("body[data-connection=open].read-only");
  await second.goto(stage.origin);
  await second.waitForSelector("body[data-connection=open].read-only");
  await second.reload();
  await second.waitForSelector("body[data-connection=open]");
  await first.click('button[title="Log out"]');
  await first.click("dialog .primary");
  for (const tab of [first, second]) {
    await tab.waitForSelector("body[data-connection=logged-out]");
    assert.match(await tab.textContent("#connection"), /no longer logged in/);
  }
  assert.equal((await first.reload()).status(), 401);
  assert.equal(await page.getAttribute("body", "data-connection"), "open");
});

test("a page of another origin gets nowhere, in the browser that is logged in", async () => {
  const foreign = http.createServer((request, response) => {
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><title>foreign</title>");
  });
  await new Promise((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  const other = await page.context().newPage();
  await other.goto(`http://127.0.0.1:${foreign.address().port}/`);
  const tried = await other.evaluate(async (origin) => {
    const fetched = await fetch(`${origin}/whoami`, { credentials: "include" }).then(() => "read", () => "refused");
    const socket = await new Promise((resolve) => {
      const opened = new WebSocket(origin.replace("http", "ws") + "/ws");
      opened.onopen = () => resolve("open");
      opened.onerror = () => resolve("refused");
    });
    const framed = await new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.src = origin;
      frame.onload = () => {
        // What can't be framed is replaced by a page of the browser's, of an origin of its own either way: look for size.
        try { resolve(frame.contentWindow.location.href); } catch { resolve("closed to us"); }
      };
      document.body.append(frame);
    });
    return { fetched, socket, framed };
  }, stage.origin);
  assert.deepEqual([tried.fetched, tried.socket], ["refused", "refused"]);
  const frames = other.frames().map((frame) => frame.url());
  assert.ok(!(await Promise.all(other.frames().slice(1).map((frame) => frame.$(".card, #list").catch(() => null)))).some(Boolean), frames.join());
  await other.close();
  foreign.close();
});

test("other machines come over TLS, and only so", async () => {
  assert.throws(() => stage.vtr("web", "--listen", "0.0.0.0:0"), /--tls-cert/);
  const [certificate, key] = ["cert.pem", "key.pem"].map((name) => path.join(stage.folder, name));
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const { link, address } = await stage.also(["--listen", "0.0.0.0:0", "--tls-cert", certificate, "--tls-key", key]);
  const port = address.split(":")[1];
  assert.ok(link.startsWith(`https://localhost:${port}/`), link);
  const context = await stage.context({ ignoreHTTPSErrors: true });
  const secure = await context.newPage();
  await secure.goto(link);
  await secure.waitForSelector("body[data-connection=open]");
  const [{ secure: onlyTls, name }] = await context.cookies();
  assert.deepEqual([onlyTls, name], [true, `vtr_web_${port}`]);
  await context.close();
});

test("the page itself may load nothing from elsewhere and run nothing inline", async () => {
  const tried = await page.evaluate(async () => {
    const script = document.createElement("script");
    try { script.textContent = "window.inline = true"; } catch { /* trusted types */ }
    document.head.append(script);
    const image = await new Promise((resolve) => {
      const picture = new Image();
      picture.onload = () => resolve("loaded");
      picture.onerror = () => resolve("refused");
      picture.src = "http://127.0.0.1:1/x.png";
    });
    let html = "refused";
    try { document.createElement("div").innerHTML = "<b>x</b>"; html = "made"; } catch { /* trusted types */ }
    return { inline: Boolean(window.inline), image, html };
  });
  assert.deepEqual(tried, { inline: false, image: "refused", html: "refused" });
  stage.error = undefined; // the policy's own complaints
});
