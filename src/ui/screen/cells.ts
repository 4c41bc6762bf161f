import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** Functions for text in terminal cells. The text must be clean (`#protocol/clean`). */

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
  return line.split("\t").reduce((before, after) => before + " ".repeat(TAB - (stringWidth(before) % TAB)) + after);
}
