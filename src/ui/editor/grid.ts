import stringWidth from "string-width";
import type { Draft } from "./draft.ts";
import { getFoldLabel } from "./fold.ts";
import { segmentLine } from "./graphemes.ts";
import { type DisplayPiece, toDisplayPieces } from "./shown.ts";

/** Cells of a row, and what stands before the text in the first. */
export type GridOptions = { width: number; prompt: string };

/** A row of the terminal, with the places of the text at which the cursor can stand in it. */
export type GridRow = { text: string; cells: number; stops: { at: number; column: number }[] };

/**
 * The rows of a draft. A line that is too long goes on in the next row at exactly the width, whatever words it cuts, so that the rows can be
 * counted; a character of two cells is never cut. After a row that is full the cursor stands in the next, which is there for it if need be.
 */
export function layOutGrid(draft: Draft, { width, prompt }: GridOptions): GridRow[] {
  const rows: GridRow[] = [{ text: prompt, cells: stringWidth(prompt), stops: [] }];
  let start = 0;
  for (const line of draft.text.split("\n")) {
    if (start > 0) rows.push(toEmptyRow());
    for (const { at, text } of segmentLine(line)) addCharacter(rows, width, start + at, getPieces(text, draft.folds));
    addEnd(rows, width, start + line.length, draft.cursor);
    start += line.length + 1;
  }
  return rows;
}

/** The row and the column of a place in the text. */
export function findCell(rows: GridRow[], at: number): { row: number; column: number } {
  const row = rows.findIndex(({ stops }) => stops.some((stop) => stop.at === at));
  return { row: Math.max(0, row), column: rows[row]?.stops.find((stop) => stop.at === at)?.column ?? 0 };
}

const TAB_STOP = 4;
/** Takes one cell or more. */
const TAB: DisplayPiece = { text: "\t", cells: 1 };
/** For what does not fit into any row. */
const TOO_WIDE: DisplayPiece = { text: "?", cells: 1 };

function toEmptyRow(): GridRow {
  return { text: "", cells: 0, stops: [] };
}

function getPieces(character: string, folds: readonly string[]): DisplayPiece[] {
  if (character === "\t") return [TAB];
  const label = getFoldLabel(character, folds);
  return label === null ? toDisplayPieces(character) : Array.from(label, (text) => ({ text, cells: 1 }));
}

function addCharacter(rows: GridRow[], width: number, at: number, pieces: DisplayPiece[]): void {
  for (const [n, piece] of pieces.entries()) {
    const { text, cells } = piece.cells > width ? TOO_WIDE : piece;
    if (getLast(rows).cells + cells > width) rows.push(toEmptyRow());
    const row = getLast(rows);
    if (n === 0) row.stops.push({ at, column: row.cells });
    const filled = piece === TAB ? Math.min(TAB_STOP - (row.cells % TAB_STOP), width - row.cells) : cells;
    row.text += piece === TAB ? " ".repeat(filled) : text;
    row.cells += filled;
  }
}

/** The end of a line is a place for the cursor too. */
function addEnd(rows: GridRow[], width: number, at: number, cursor: number): void {
  const { cells } = getLast(rows);
  if (cells >= width && cursor === at) rows.push(toEmptyRow());
  const row = getLast(rows);
  if (row.cells < width) row.stops.push({ at, column: row.cells });
}

function getLast(rows: GridRow[]): GridRow {
  return rows.at(-1) ?? toEmptyRow();
}
