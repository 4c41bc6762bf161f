import stringWidth from "string-width";
import { splitGraphemes } from "./cells.ts";
import { hasCertainWidth } from "./pin-columns.ts";

/** Without wrapping, a line that a terminal takes to be wider than it is said to be is cut, and never moves what is below it. */
export const [NO_WRAP, WRAP] = ["\x1b[?7l", "\x1b[?7h"];

/** How the rows of a frame hang together. */
export type RowStyle = {
  /** From the end of a row, which holds this line and was drawn without wrapping, to the beginning of one that is made below it. */
  down(line: string): string;
  /** Erase from the cursor to the end of its row. */
  erase: string;
};

/** Rows by themselves. */
export const SEPARATE_ROWS: RowStyle = { down: () => "\r\n", erase: "\x1b[K" };

/**
 * Rows as one line of the terminal that goes on from row to row. xterm.js leaves the line with the cursor as it is when the window gets
 * another width, but counts wrongly, and loses its place, where it wraps lines below the cursor.
 */
export function createJoinedRows(columns: number): RowStyle {
  return {
    // The last cell once more, so that what follows it wraps: that of the terminal, which may be wider by now than it has told. Rows that
    // do not wrap would all be one, and the cursor then above the frame, in finished text.
    down: (line) => `${WRAP}${LAST_COLUMN}${stringWidth(line) < columns ? " " : lastCell(line)} \r${NO_WRAP}`,
    // Cells alone: to erase up to the end of a row would also cut it off from the one before.
    erase: `\x1b[${columns}X`,
  };
}

/** Terminals take their own last column for one that they do not have. */
const LAST_COLUMN = "\x1b[9999G";

/** What puts the last character of a line, which ends in the last column, once more where it is. One of which the width is not sure is lost. */
function lastCell(line: string): string {
  const text = line.replace(SEQUENCES, "");
  const end = text.slice(-1);
  const last = PLAIN.test(end) ? end : (splitGraphemes(text.slice(-LONGEST)).at(-1) ?? "");
  if (!hasCertainWidth(last)) return " ";
  const styles = stylesOn(line.slice(0, line.lastIndexOf(last)));
  return `${"\b".repeat(stringWidth(last) - 1)}${styles}${last}${styles && RESET}`;
}

/** Longer than a character that anybody writes. */
const LONGEST = 64;

/**
 * What turns one line on the terminal into another, with the cursor at its beginning: only what lies between the parts that are the same at
 * the beginning and at the end. "" where nothing changed. No style stays on.
 */
export function diffLine(old: string, next: string, { erase }: RowStyle): string {
  if (old === next) return "";
  const start = next.slice(0, sameStart(old, next));
  const [before, after] = [old.slice(start.length), next.slice(start.length)];
  const [to, styles] = [toColumn(start), stylesOn(start)];
  // As many cells, every one sure: what is the same at the end stays as it is.
  const end = before.length === after.length ? differentUntil(before, after) : 0;
  if (end > 0 && PLAIN.test(before.slice(0, end) + after.slice(0, end)) && isOfItself(after, end)) {
    return to + styles + after.slice(0, end) + (styles && RESET);
  }
  // Erased first: behind the last cell of a full line the cursor stands on that cell. And without a style, which erasing would paint.
  return to + (before && erase) + styles + after + (stylesOn(next) && RESET);
}

/** A line of which no style stays on. */
export function closeStyles(line: string): string {
  return line + (stylesOn(line) && RESET);
}

const RESET = "\x1b[0m";

/** ASCII, the lines of boxes and the dots of what works: every terminal shows them in one cell each. */
const PLAIN = /^[\x20-\x7e\u2500-\u257f\u2800-\u28ff]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const PIECES = /[\x20-\x7e\u2500-\u257f\u2800-\u28ff]|\x1b\[[\d;:]*m/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const STYLES = /\x1b\[[\d;:]*m/g;

/** How much two lines have in common at their beginning, in whole characters and styles, as far as it is sure how many cells it takes. */
function sameStart(old: string, next: string): number {
  let [end, lastCharacter] = [0, 0];
  while (end < old.length) {
    PIECES.lastIndex = end;
    const piece = PIECES.exec(old)?.[0];
    if (piece === undefined || !next.startsWith(piece, end)) break;
    if (piece.length === 1) lastCharacter = end;
    end += piece.length;
  }
  // What comes next may be put on top of the last character.
  return isOfItself(old, end) && isOfItself(next, end) ? end : lastCharacter;
}

function isOfItself(text: string, at: number): boolean {
  if (at === text.length || text[at] === "\x1b") return true;
  PIECES.lastIndex = at;
  return PIECES.test(text);
}

function differentUntil(before: string, after: string): number {
  let end = after.length;
  while (end > 0 && before[end - 1] === after[end - 1]) end -= 1;
  return end;
}

function toColumn(start: string): string {
  const cells = start.replace(STYLES, "").length;
  return cells === 0 ? "" : `\x1b[${cells}C`;
}

/** The styles that are on behind this text. */
function stylesOn(text: string): string {
  let on: { style: string; end: number }[] = [];
  for (const [style] of text.matchAll(STYLES)) {
    const codes = style.slice(2, -1);
    const end = getEnd(codes);
    if (Number(codes) === 0) on = [];
    else if (end === Number(codes)) on = on.filter((each) => each.end !== end);
    else on.push({ style, end });
  }
  return on.map(({ style }) => style).join("");
}

/** The code that ends a style (of those that end one, the code itself); 0 where only a reset is sure to. */
function getEnd(codes: string): number {
  const code = Number.parseInt(codes, 10);
  if (codes !== String(code) && !/^[34]8[;:]/.test(codes)) return 0;
  if ((code >= 22 && code <= 29) || code === 39 || code === 49) return code;
  if (code >= 1 && code <= 9) return Math.max(code, 2) + 20;
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 39;
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return 49;
  return 0;
}
