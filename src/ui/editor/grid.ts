import stringWidth from "string-width";
import type { Draft } from "./draft.ts";
import { labelOf } from "./fold.ts";
import { graphemesOf } from "./graphemes.ts";
import { shownOf } from "./shown.ts";

/** Cells of a row, and what stands before the text in the first. */
export type Room = { width: number; prompt: string };

/** A row of the terminal, with the places of the text at which the cursor can stand in it. */
export type Row = { text: string; cells: number; stops: { at: number; column: number }[] };

/**
 * The rows of a draft. A line that is too long goes on in the next row at exactly the width, whatever words it cuts, so that the rows can be
 * counted; a character of two cells is never cut. After a row that is full the cursor stands in the next, which is there for it if need be.
 */
export function gridOf(draft: Draft, { width, prompt }: Room): Row[] {
  const rows: Row[] = [{ text: prompt, cells: stringWidth(prompt), stops: [] }];
  let start = 0;
  for (const line of draft.text.split("\n")) {
    if (start > 0) rows.push(emptyRow());
    for (const { at, text } of graphemesOf(line)) addCharacter(rows, width, start + at, piecesOf(text, draft.folds));
    addEnd(rows, width, start + line.length, draft.cursor);
    start += line.length + 1;
  }
  return rows;
}

/** The row and the column of a place in the text. */
export function whereIs(rows: Row[], at: number): { row: number; column: number } {
  const row = rows.findIndex(({ stops }) => stops.some((stop) => stop.at === at));
  return { row: Math.max(0, row), column: rows[row]?.stops.find((stop) => stop.at === at)?.column ?? 0 };
}

const TAB_STOP = 4;

function emptyRow(): Row {
  return { text: "", cells: 0, stops: [] };
}

function piecesOf(character: string, folds: readonly string[]): string[] {
  if (character === "\t") return [character];
  const label = labelOf(character, folds);
  return label === null ? shownOf(character) : Array.from(label);
}

function addCharacter(rows: Row[], width: number, at: number, pieces: string[]): void {
  for (const [n, piece] of pieces.entries()) {
    let row = lastOf(rows);
    const wide = piece === "\t" ? 1 : stringWidth(piece);
    const isTooWide = wide > width;
    const needed = isTooWide ? 1 : wide;
    if (row.cells + needed > width) {
      row = emptyRow();
      rows.push(row);
    }
    if (n === 0) row.stops.push({ at, column: row.cells });
    const tab = piece === "\t" ? Math.min(TAB_STOP - (row.cells % TAB_STOP), width - row.cells) : 0;
    row.text += tab > 0 ? " ".repeat(tab) : isTooWide ? "?" : piece;
    row.cells += tab || needed;
  }
}

/** The end of a line is a place for the cursor too. */
function addEnd(rows: Row[], width: number, at: number, cursor: number): void {
  const { cells } = lastOf(rows);
  if (cells >= width && cursor === at) rows.push(emptyRow());
  const row = lastOf(rows);
  if (row.cells < width) row.stops.push({ at, column: row.cells });
}

function lastOf(rows: Row[]): Row {
  return rows.at(-1) ?? emptyRow();
}
