import stringWidth from "string-width";
import { hasCertainWidth, splitGraphemes } from "./cells.ts";

/** With wrapping off, a line that a terminal considers too wide is cut and does not move the lines below. */
export const [NO_WRAP, WRAP] = ["\x1b[?7l", "\x1b[?7h"];

/** How the rows of a frame are connected. */
export type RowStyle = {
  /** Moves from the end of a row with this line, drawn without wrapping, to a new row below it. */
  moveDown(line: string): string;
  /** Erases from the cursor to the end of the row. */
  erase: string;
};

/** Rows as separate lines. */
export const SEPARATE_ROWS: RowStyle = { moveDown: () => "\r\n", erase: "\x1b[K" };

/**
 * Creates rows that form one wrapped line of the terminal. On a resize, xterm.js leaves the cursor's line alone, but
 * miscounts and loses its place if it rewraps lines below the cursor.
 */
export function createJoinedRows(columns: number): RowStyle {
  return {
    // Repeats the last cell to force a wrap in the terminal's last column, which may have moved since the last size
    // report. Without a wrap, all rows would be one and the cursor would end up above the frame.
    moveDown: (line) => `${WRAP}${LAST_COLUMN}${stringWidth(line) < columns ? " " : repeatLastCell(line)} \r${NO_WRAP}`,
    // Erases only cells: erasing to the end of the row would also disconnect it from the previous one.
    erase: `\x1b[${columns}X`,
  };
}

/** Terminals move to their last column for a column that does not exist. */
const LAST_COLUMN = "\x1b[9999G";

/**
 * Returns a sequence that writes the last character of a full line again in the same place. A character of uncertain
 * width becomes a space.
 */
function repeatLastCell(line: string): string {
  const text = line.replace(SEQUENCES, "");
  const end = text.slice(-1);
  const last = PLAIN.test(end) ? end : (splitGraphemes(text.slice(-MAX_CHARACTER_LENGTH)).at(-1) ?? "");
  if (!hasCertainWidth(last)) return " ";
  const styles = findOpenStyles(line.slice(0, line.lastIndexOf(last)));
  return `${"\b".repeat(stringWidth(last) - 1)}${styles}${last}${styles && RESET}`;
}

/** Longer than any real character. */
const MAX_CHARACTER_LENGTH = 64;

/**
 * Returns a sequence that turns one line into another, with the cursor at its start. Writes only what lies between the
 * common start and the common end; "" if nothing changed. No style stays on.
 */
export function diffLine(old: string, next: string, { erase }: RowStyle): string {
  if (old === next) return "";
  const start = next.slice(0, findCommonStart(old, next));
  const [before, after] = [old.slice(start.length), next.slice(start.length)];
  const [to, styles] = [moveToColumn(start), findOpenStyles(start)];
  // Both have the same number of cells of certain width, so the common end stays.
  const end = before.length === after.length ? findDifferenceEnd(before, after) : 0;
  if (end > 0 && PLAIN.test(before.slice(0, end) + after.slice(0, end)) && isPieceBoundary(after, end)) {
    return to + styles + after.slice(0, end) + (styles && RESET);
  }
  // Erases first, because after a full line the cursor is on its last cell; and without a style, which erasing would
  // paint.
  return to + (before && erase) + styles + after + (findOpenStyles(next) && RESET);
}

/** Ends all styles of a line. */
export function closeStyles(line: string): string {
  return line + (findOpenStyles(line) && RESET);
}

const RESET = "\x1b[0m";

/** ASCII, box drawing and spinner dots, which all terminals show in one cell each. */
const PLAIN = /^[\x20-\x7e\u2500-\u257f\u2800-\u28ff]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const PIECES = /[\x20-\x7e\u2500-\u257f\u2800-\u28ff]|\x1b\[[\d;:]*m/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const STYLES = /\x1b\[[\d;:]*m/g;

/**
 * Returns the length of the common start of two lines in whole characters and styles, as far as their width is certain.
 */
function findCommonStart(old: string, next: string): number {
  let [end, lastCharacter] = [0, 0];
  while (end < old.length) {
    PIECES.lastIndex = end;
    const piece = PIECES.exec(old)?.[0];
    if (piece === undefined || !next.startsWith(piece, end)) break;
    if (piece.length === 1) lastCharacter = end;
    end += piece.length;
  }
  // A following combining character may change the last common character.
  return isPieceBoundary(old, end) && isPieceBoundary(next, end) ? end : lastCharacter;
}

function isPieceBoundary(text: string, index: number): boolean {
  if (index === text.length || text[index] === "\x1b") return true;
  PIECES.lastIndex = index;
  return PIECES.test(text);
}

function findDifferenceEnd(before: string, after: string): number {
  let end = after.length;
  while (end > 0 && before[end - 1] === after[end - 1]) end -= 1;
  return end;
}

function moveToColumn(start: string): string {
  const cells = start.replace(STYLES, "").length;
  return cells === 0 ? "" : `\x1b[${cells}C`;
}

/** Returns the styles that are still on after this text. */
function findOpenStyles(text: string): string {
  let on: { style: string; end: number }[] = [];
  for (const [style] of text.matchAll(STYLES)) {
    const codes = style.slice(2, -1);
    const end = getEndCode(codes);
    if (Number(codes) === 0) on = [];
    else if (end === Number(codes)) on = on.filter((segment) => segment.end !== end);
    else on.push({ style, end });
  }
  return on.map(({ style }) => style).join("");
}

/** Returns the code that ends a style, the code itself if it ends one, or 0 if only a reset ends it. */
function getEndCode(codes: string): number {
  const code = Number.parseInt(codes, 10);
  if (codes !== String(code) && !/^[34]8[;:]/.test(codes)) return 0;
  if ((code >= 22 && code <= 29) || code === 39 || code === 49) return code;
  if (code >= 1 && code <= 9) return Math.max(code, 2) + 20;
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 39;
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return 49;
  return 0;
}
