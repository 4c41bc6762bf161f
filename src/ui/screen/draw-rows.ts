import { diffLine, type RowStyle } from "./diff-line.ts";

/**
 * Erases from the start of a row to the end of the window. Split in two, because tmux takes erasing from the first cell
 * for a cleared window and saves its content.
 */
export const ERASE_BELOW = "\x1b[K\x1b[C\x1b[J\r";

/** Returns the text that draws lines from the start of a row on. */
export function drawLines(lines: string[], { moveDown: down }: RowStyle): string {
  return lines.map((line, index) => (index < lines.length - 1 ? line + down(line) : line)).join("");
}

/** Returns the text that turns some lines into others, starting in row `from`, and the row where it ends. */
export function drawChanges(
  old: string[],
  next: string[],
  from: number,
  rows: RowStyle,
): { text: string; row: number } {
  const opened = insertRows(old, next, from);
  let { text, row } = opened;
  for (const [index, line] of next.entries()) {
    const before = opened.lines[index];
    if (before === undefined)
      text += (row === index - 1 ? "" : moveToRow(row, index - 1)) + rows.moveDown(next[index - 1] ?? "") + line;
    else if (line === before) continue;
    else text += moveToRow(row, index) + diffLine(before, line, rows);
    row = index;
  }
  if (next.length < old.length) {
    text += moveToRow(row, next.length) + ERASE_BELOW;
    row = next.length;
  }
  return { text, row };
}

/** The lines after rows were inserted; new rows are `undefined`. */
type InsertedRows = { lines: (string | undefined)[]; text: string; row: number };

/** Inserts rows above lines that stay, as when text streams, so that those move down without being rewritten. */
function insertRows(old: string[], next: string[], from: number): InsertedRows {
  const added = next.length - old.length;
  const stay = added > 0 ? countCommonEnd(old, next) : 0;
  const place = old.length - stay;
  if (stay === 0 || place === 0) return { lines: old.length > 0 ? old : [""], text: "", row: from };
  const last = old.length - 1;
  const text = `${moveToRow(from, last)}${"\n".repeat(added)}${moveToRow(last + added, place)}\x1b[${added}L`;
  return { lines: [...old.slice(0, place), ...Array(added).fill(undefined), ...old.slice(place)], text, row: place };
}

function countCommonEnd(old: string[], next: string[]): number {
  const from = old.toReversed();
  const to = next.toReversed();
  const end = from.findIndex((line, index) => line !== to[index]);
  return end < 0 ? from.length : end;
}

/** Moves to the start of another row of the frame. */
export function moveToRow(from: number, to: number): string {
  if (from === to) return "\r";
  return from > to ? `\r\x1b[${from - to}A` : `\r\x1b[${to - from}B`;
}
