import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";

/** Text in cells of a terminal. All of it expects text that is clean already (`#protocol/clean`). */

/** Tabs go on to the next multiple of this. */
const TAB = 4;

/**
 * Text as lines of at most `width` cells, broken at words where there are any. Tabs become spaces, and what is indented stays so on each of
 * its lines, so that nothing of it is lost but spaces at which a line breaks.
 */
export function wrapCells(text: string, width: number): string[] {
  const room = Math.max(1, width);
  return normalizeWidth(text)
    .split("\n")
    .flatMap((line) => wrappedLine(untabbed(line), room));
}

/**
 * Text without what terminals make different widths of: emoji that are joined of several are shown as those, and all without the selector
 * of their presentation (case U05).
 */
export function normalizeWidth(text: string): string {
  if (text.search(SELECTING) < 0) return text;
  return splitGraphemes(text)
    .map((grapheme) => (EMOJI.test(grapheme) ? grapheme.replaceAll(SELECTING, "") : grapheme))
    .join("");
}

/** At most `width` cells of it; what is cut is marked by `…`. */
export function truncateCells(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  return width < 1 ? "" : `${getHead(text, width - 1)}…`;
}

/** What a person sees as characters. */
export function splitGraphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

// Made at its first use: it costs a start some milliseconds.
let segmenter: Intl.Segmenter | undefined;

const EMOJI = /\p{Extended_Pictographic}/u;
const SELECTING = /[\u200d\ufe00-\ufe0f]/g;

function wrappedLine(line: string, width: number): string[] {
  if (stringWidth(line) <= width) return [line];
  const indent = (/^ */.exec(line)?.[0] ?? "").slice(0, Math.floor(width / 2));
  const room = width - indent.length;
  const rows = wrapAnsi(line.trimStart(), room, { hard: true }).split("\n");
  return rows.flatMap((row) => split(row, room)).map((row) => indent + row);
}

/** What another count of cells let through. */
function split(row: string, width: number): string[] {
  if (stringWidth(row) <= width) return [row];
  const head = getHead(row, width) || (splitGraphemes(row)[0] ?? "");
  return head === row ? [row] : [head, ...split(row.slice(head.length), width)];
}

function getHead(text: string, width: number): string {
  let kept = "";
  for (const grapheme of splitGraphemes(text)) {
    if (stringWidth(kept + grapheme) > width) break;
    kept += grapheme;
  }
  return kept;
}

function untabbed(line: string): string {
  if (!line.includes("\t")) return line;
  return line.split("\t").reduce((before, after) => before + " ".repeat(TAB - (stringWidth(before) % TAB)) + after);
}
