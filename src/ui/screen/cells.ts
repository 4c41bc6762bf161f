import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** Functions for clean text (`#protocol/clean`) in terminal cells. */

/** Distance of tab stops. */
const TAB = 4;

/**
 * Wraps text at words into lines of at most `width` cells. Tabs become spaces, and the indent is repeated on each line.
 * Only spaces at line breaks are lost.
 */
export function wrapCells(text: string, width: number): string[] {
  const room = Math.max(1, width);
  return normalizeWidth(text)
    .split("\n")
    .flatMap((line) => wrapLine(expandTabs(line), room));
}

/** Removes characters whose width varies between terminals: joiners in emoji sequences and presentation selectors. */
export function normalizeWidth(text: string): string {
  if (text.search(SELECTING) < 0) return text;
  return splitGraphemes(text)
    .map((grapheme) => (EMOJI.test(grapheme) ? grapheme.replaceAll(SELECTING, "") : grapheme))
    .join("");
}

/** Cuts text to at most `width` cells; cut text ends in `…`. */
export function truncateCells(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  return width < 1 ? "" : `${takeHead(text, width - 1)}…`;
}

/** Splits text into user-perceived characters. */
export function splitGraphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

// Created on first use, because it adds milliseconds to the start.
let segmenter: Intl.Segmenter | undefined;

const EMOJI = /\p{Extended_Pictographic}/u;
const SELECTING = /[\u200d\ufe00-\ufe0f]/g;

function wrapLine(line: string, width: number): string[] {
  if (stringWidth(line) <= width) return [line];
  const indent = (/^ */.exec(line)?.[0] ?? "").slice(0, Math.floor(width / 2));
  const room = width - indent.length;
  const rows = wrapAnsi(line.trimStart(), room, { hard: true }).split("\n");
  return rows.flatMap((row) => splitRow(row, room)).map((row) => indent + row);
}

/** Splits rows that are too wide because the wrapper counts cells differently. */
function splitRow(row: string, width: number): string[] {
  if (stringWidth(row) <= width) return [row];
  const head = takeHead(row, width) || (splitGraphemes(row)[0] ?? "");
  return head === row ? [row] : [head, ...splitRow(row.slice(head.length), width)];
}

function takeHead(text: string, width: number): string {
  let head = "";
  for (const grapheme of splitGraphemes(text)) {
    if (stringWidth(head + grapheme) > width) break;
    head += grapheme;
  }
  return head;
}

function expandTabs(line: string): string {
  if (!line.includes("\t")) return line;
  let column = 0;
  const parts = line.split("\t").map((part, index) => {
    const gap = index === 0 ? 0 : TAB - (column % TAB);
    column += gap + stringWidth(part);
    return " ".repeat(gap) + part;
  });
  return parts.join("");
}

/**
 * Pins the columns of a finished line on every terminal. Terminals disagree on the width of emoji and variation
 * selectors, so the cursor is set explicitly after each, and a border stays in place. The line must begin in the first
 * column on empty cells.
 */
export function pinColumns(line: string): string {
  if (SURE.test(line)) return line;
  let column = 0;
  return line
    .split(STYLE)
    .map((piece, index) => {
      if (index % 2 === 1) return piece;
      return splitGraphemes(piece)
        .map((grapheme) => {
          column += stringWidth(grapheme);
          return SURE.test(grapheme) ? grapheme : `${grapheme}\x1b[${column + 1}G`;
        })
        .join("");
    })
    .join("");
}

/** Whether all terminals show this text, which may contain styles, with the same width. */
export function hasCertainWidth(text: string): boolean {
  return SURE.test(text);
}

/** Single characters of common scripts, of boxes, and of East Asian scripts, whose width all terminals agree on. */
const SURE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one
  /^(?:[\x20-\x7e\xa1-\u02ff\u0370-\u0482\u048a-\u0587\u2010-\u2015\u2018-\u201f\u2022\u2026\u203a\u2190-\u2193\u2500-\u259f\u25cb\u25cf\u2713\u2717\u2800-\u28ff\u3001-\u3029\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]|\x1b\[[\d;:]*m)*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one
const STYLE = /(\x1b(?:\[[\d;:]*[a-zA-Z]|\][^\x07\x1b]*(?:\x07|\x1b\\)))/;
