// The content of a session's screen: rows of runs, updated by frames. It draws nothing.

/** @typedef {import("./types").WireFrame} WireFrame */
/** @typedef {import("./types").WireRun} WireRun */
/** @typedef {import("./types").Line} Line */
/** @typedef {import("./types").Run} Run */

export const SHAPE = { narrow: 0, wide: 1, cluster: 2, wideCluster: 3, blank: 4 };
export const LOOK = {
  bold: 0x01, italic: 0x02, underline: 0x04, dim: 0x08, blink: 0x10, inverse: 0x20, invisible: 0x40, strike: 0x80,
  overline: 0x100,
};

/** @param {WireRun} run @returns {Run} */
export function readRun(run) {
  if (typeof run === "string") {
    // One character per column; for ASCII, which is most text, the length is enough.
    let cols = run.length;
    for (let at = 0; at < run.length; at++) if ((run.charCodeAt(at) & 0xfc00) === 0xdc00) cols--;
    return { text: run, cols, shape: 0, fg: -1, bg: -1, attributes: 0, underline: 0, underlineColor: -1, link: "" };
  }
  const [text, cols, shape, fg, bg, attributes, underline = 0, underlineColor = -1, link = ""] = run;
  return { text, cols, shape, fg, bg, attributes, underline, underlineColor, link };
}

/** @param {[number, boolean, WireRun[]]} line @returns {Line} */
const readLine = ([, wrapped, runs]) => ({ wrapped, runs: runs.map(readRun) });

/** @type {Line} */
const BLANK = { wrapped: false, runs: [] };

export class Screen {
  cols = 0;
  rows = 0;
  /** @type {Line[]} */ lines = [];
  /** @type {WireFrame["cursor"]} */ cursor = [0, 0, false, "block", false];
  /** @type {[number, number, number]} */ colors = [0xe5e5e5, 0, 0xe5e5e5];
  reverse = false;
  alternate = false;
  mouse = false;
  mouseMoves = false;
  focus = false;
  leads = false;
  title = "";
  name = "";
  version = 0;

  /**
   * @param {WireFrame} frame
   * @returns {Set<number> | null} the rows that changed; null: all
   */
  apply(frame) {
    const all = frame.whole || frame.reverse !== this.reverse || frame.colors.some((color, at) => color !== this.colors[at]);
    if (frame.whole) this.lines = Array.from({ length: frame.rows }, () => BLANK);
    /** @type {Set<number>} */ const changed = new Set();
    for (const line of frame.lines) {
      if (line[0] >= frame.rows) continue;
      this.lines[line[0]] = readLine(line);
      changed.add(line[0]);
    }
    this.cols = frame.cols;
    this.rows = frame.rows;
    this.cursor = frame.cursor;
    this.colors = frame.colors;
    this.reverse = frame.reverse;
    this.alternate = frame.alternate;
    this.mouse = frame.mouse;
    this.mouseMoves = frame.mouse_moves;
    this.focus = frame.focus;
    this.leads = frame.leads;
    this.title = frame.title;
    if (frame.name) this.name = frame.name;
    this.version = frame.version;
    return all ? null : changed;
  }

  /** @param {number} row */
  text(row) {
    return (this.lines[row] ?? BLANK).runs.map((run) => run.text).join("");
  }

  /** The text of the cell under the cursor. */
  underCursor() {
    const [x, y] = this.cursor;
    let col = 0;
    for (const run of (this.lines[y] ?? BLANK).runs) {
      if (x < col + run.cols) {
        if (run.shape === SHAPE.cluster || run.shape === SHAPE.wideCluster) return { text: run.text, cols: run.cols };
        const width = run.shape === SHAPE.wide ? 2 : 1;
        return { text: [...run.text][Math.floor((x - col) / width)] ?? " ", cols: width };
      }
      col += run.cols;
    }
    return { text: " ", cols: 1 };
  }
}

/**
 * Each character or cluster with its column.
 * @param {Run} run
 * @param {(text: string, col: number, cols: number) => void} visit
 */
export function eachCell(run, visit) {
  if (run.shape === SHAPE.cluster || run.shape === SHAPE.wideCluster) {
    visit(run.text, 0, run.cols);
    return;
  }
  const width = run.shape === SHAPE.wide ? 2 : 1;
  let col = 0;
  for (const character of run.text) {
    visit(character, col, width);
    col += width;
  }
}
