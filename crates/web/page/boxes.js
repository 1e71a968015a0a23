// Draws line and block characters as shapes, because those of a font never quite meet at the edges of cells.

/** @typedef {CanvasRenderingContext2D} Context */

// U+2500 to U+257F as four digits: left, right, up, down; 0 none, 1 light, 2 heavy, 3 double. "-" is drawn by the font.
const LINES = (
  "1100 2200 0011 0022 - - - - - - - - " + // 2500, dashes from 2504
  "0101 0201 0102 0202 1001 2001 1002 2002 0110 0210 0120 0220 1010 2010 1020 2020 " + // 250c corners
  "0111 0211 0121 0112 0122 0221 0212 0222 1011 2011 1021 1012 1022 2021 2012 2022 " + // 251c
  "1101 2101 1201 2201 1102 2102 1202 2202 1110 2110 1210 2210 1120 2120 1220 2220 " + // 252c
  "1111 2111 1211 2211 1121 1112 1122 2121 1221 2112 1212 2221 2212 2122 1222 2222 " + // 253c
  "- - - - " + // 254c
  "3300 0033 0301 0103 0303 3001 1003 3003 0310 0130 0330 3010 1030 3030 0311 0133 0333 3011 1033 3033 " + // 2550
  "3301 1103 3303 3310 1130 3330 3311 1133 3333 " + // 2564
  "arc arc arc arc - - - " + // 256d
  "1000 0010 0100 0001 2000 0020 0200 0002 1200 0012 2100 0021" // 2574
).split(" ");

/**
 * @param {Context} context
 * @param {number} code
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} color
 * @returns {boolean} whether it was drawn
 */
export function drawShape(context, code, x, y, width, height, color) {
  if (code < 0x2500 || code > 0x259f) return false;
  context.fillStyle = color;
  return code < 0x2580 ? line(context, code, x, y, width, height, color) : block(context, code, x, y, width, height);
}

/**
 * @param {Context} context
 * @param {number} code
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 * @param {string} color
 */
function line(context, code, x, y, width, height, color) {
  const kind = LINES[code - 0x2500];
  if (!kind || kind === "-") return false;
  const thin = Math.max(1, Math.round(width / 9));
  const middleX = x + Math.floor((width - thin) / 2);
  const middleY = y + Math.floor((height - thin) / 2);
  if (kind === "arc") {
    // ╭ ╮ ╯ ╰
    const right = code === 0x256d || code === 0x2570;
    const down = code === 0x256d || code === 0x256e;
    const radius = Math.min(width, height) / 2;
    const [centerX, centerY] = [middleX + thin / 2, middleY + thin / 2];
    const [endX, endY] = [right ? x + width : x, down ? y + height : y];
    context.strokeStyle = color;
    context.lineWidth = thin;
    context.beginPath();
    context.moveTo(endX, centerY);
    context.arcTo(centerX, centerY, centerX, endY, radius);
    context.lineTo(centerX, endY);
    context.stroke();
    return true;
  }
  const [left, right, up, down] = [...kind].map(Number);
  const arm = (/** @type {number | undefined} */ weight, /** @type {boolean} */ horizontal, /** @type {boolean} */ first) => {
    if (!weight) return;
    const thick = weight === 2 ? thin * 2 : thin;
    const offsets = weight === 3 ? [-thin, thin] : [weight === 2 ? -Math.floor(thin / 2) : 0];
    for (const offset of offsets) {
      // Reaches past the middle, so that the arms meet.
      const reach = weight === 3 ? thin * 2 : thin;
      if (horizontal) {
        const from = first ? x : middleX - (reach - thin);
        const to = first ? middleX + reach : x + width;
        context.fillRect(from, middleY + offset, to - from, thick);
      } else {
        const from = first ? y : middleY - (reach - thin);
        const to = first ? middleY + reach : y + height;
        context.fillRect(middleX + offset, from, thick, to - from);
      }
    }
  };
  arm(left, true, true);
  arm(right, true, false);
  arm(up, false, true);
  arm(down, false, false);
  return true;
}

/**
 * @param {Context} context
 * @param {number} code
 * @param {number} x
 * @param {number} y
 * @param {number} width
 * @param {number} height
 */
function block(context, code, x, y, width, height) {
  const fill = (/** @type {number} */ left, /** @type {number} */ top, /** @type {number} */ right, /** @type {number} */ bottom) => {
    const [x0, y0] = [x + Math.round(left * width), y + Math.round(top * height)];
    context.fillRect(x0, y0, x + Math.round(right * width) - x0, y + Math.round(bottom * height) - y0);
  };
  if (code === 0x2580) fill(0, 0, 1, 0.5);
  else if (code <= 0x2588) fill(0, 1 - (code - 0x2580) / 8, 1, 1);
  else if (code <= 0x258f) fill(0, 0, (0x2590 - code) / 8, 1);
  else if (code === 0x2590) fill(0.5, 0, 1, 1);
  else if (code <= 0x2593) {
    context.globalAlpha = (code - 0x2590) / 4;
    fill(0, 0, 1, 1);
    context.globalAlpha = 1;
  } else if (code === 0x2594) fill(0, 0, 1, 1 / 8);
  else if (code === 0x2595) fill(7 / 8, 0, 1, 1);
  else {
    // Quarters: upper left 1, upper right 2, lower left 4, lower right 8.
    const parts = [4, 8, 1, 1 | 4 | 8, 1 | 8, 1 | 2 | 4, 1 | 2 | 8, 2, 2 | 4, 2 | 4 | 8][code - 0x2596] ?? 0;
    if (parts & 1) fill(0, 0, 0.5, 0.5);
    if (parts & 2) fill(0.5, 0, 1, 0.5);
    if (parts & 4) fill(0, 0.5, 0.5, 1);
    if (parts & 8) fill(0.5, 0.5, 1, 1);
  }
  return true;
}
