import { diffLine, type RowStyle } from "./diff-line.ts";

/**
 * Erases from the start of a row to the end of the window. Split in two, because tmux treats erasing from the first
 * cell as clearing the window, and saves its content.
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
  const inserted = insertRows(old, next, from);
  let { text, row } = inserted;
  for (const [index, line] of next.entries()) {
    const oldLine = inserted.lines[index];
    if (oldLine === undefined)
      text += (row === index - 1 ? "" : moveToRow(row, index - 1)) + rows.moveDown(next[index - 1] ?? "") + line;
    else if (line === oldLine) continue;
    else text += moveToRow(row, index) + diffLine(oldLine, line, rows);
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
  const growth = next.length - old.length;
  const stay = growth > 0 ? countCommonEnd(old, next) : 0;
  const row = old.length - stay;
  if (stay === 0 || row === 0) return { lines: old.length > 0 ? old : [""], text: "", row: from };
  const last = old.length - 1;
  const text = `${moveToRow(from, last)}${"\n".repeat(growth)}${moveToRow(last + growth, row)}\x1b[${growth}L`;
  return { lines: [...old.slice(0, row), ...Array(growth).fill(undefined), ...old.slice(row)], text, row: row };
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
