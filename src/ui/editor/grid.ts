import stringWidth from "string-width";
import type { Draft } from "./draft.ts";
import { labelOf } from "./fold.ts";
import { graphemesOf } from "./graphemes.ts";
import { type Piece, shownOf } from "./shown.ts";

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
/** Takes one cell or more. */
const TAB: Piece = { text: "\t", cells: 1 };
/** For what does not fit into any row. */
const TOO_WIDE: Piece = { text: "?", cells: 1 };

function emptyRow(): Row {
  return { text: "", cells: 0, stops: [] };
}

function piecesOf(character: string, folds: readonly string[]): Piece[] {
  if (character === "\t") return [TAB];
  const label = labelOf(character, folds);
  return label === null ? shownOf(character) : Array.from(label, (text) => ({ text, cells: 1 }));
}

function addCharacter(rows: Row[], width: number, at: number, pieces: Piece[]): void {
  for (const [n, piece] of pieces.entries()) {
    const { text, cells } = piece.cells > width ? TOO_WIDE : piece;
    if (lastOf(rows).cells + cells > width) rows.push(emptyRow());
    const row = lastOf(rows);
    if (n === 0) row.stops.push({ at, column: row.cells });
    const filled = piece === TAB ? Math.min(TAB_STOP - (row.cells % TAB_STOP), width - row.cells) : cells;
    row.text += piece === TAB ? " ".repeat(filled) : text;
    row.cells += filled;
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
