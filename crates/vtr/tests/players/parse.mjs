// Reads a recording with the parser of npm's asciinema-player, which is not exported: a copy of its module is, beside it.
// node parse.mjs DIST FILE: fails unless the player sees the same size, output, marks and end as the lines of the file say.

import { readFileSync, readdirSync, writeFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [dist, file] = process.argv.slice(2);
const core = readdirSync(dist).find((name) => /^core-.*\.js$/.test(name));
const source = readFileSync(join(dist, core), "utf8");
const parser = /PARSERS = new Map\(\[\["asciicast", ([\w$]+)\]/.exec(source)[1];
const copy = resolve(dist, "parser-only.mjs");
writeFileSync(copy, source.replace(/export \{[^}]*\};\s*$/, `export { ${parser} as parse };\n`));
const { parse } = await import(pathToFileURL(copy));
rmSync(copy);

const text = readFileSync(file, "utf8");
const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
const [header, ...events] = lines;
const recording = await parse(new Response(text));
const seen = Array.from(recording.events);
assert.equal(header.version, 3);
assert.deepEqual([recording.cols, recording.rows], [header.term.cols, header.term.rows]);
const of = (list, code) => list.filter((event) => event[1] === code).map((event) => event[2]);
assert.equal(of(seen, "o").join(""), of(events, "o").join(""));
assert.equal(of(seen, "m").length, of(events, "m").length);
assert.deepEqual(of(seen, "x"), of(events, "x"));
let now = 0;
const times = events.map((event) => (now += event[0]));
assert.ok(Math.abs(seen.at(-1)[0] - times.at(-1) * 1000) < 1, "the last event's time");
console.log(`asciinema-player read ${seen.length} events of ${file}`);
