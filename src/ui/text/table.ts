import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { fitsRow, wrapText } from "../markdown/wrap.ts";

const GAP = 2;
/** Narrowest width of a column whose cells are wrapped, in cells of the terminal. */
const MIN_WRAPPED = 20;

/** A table as lines. Without a header, every column but the first is below its row. */
export type TableLayout = { header: string | null; lines: string[] };

/**
 * Lays out rows in columns for a terminal of `width` cells. Nothing is cut and no word is split: a wide cell continues
 * on the next line, and a column without room moves below its rows. With `width` 0, all columns do.
 */
export function layOutTable(columns: string[], rows: string[][], width: number): TableLayout {
  const { beside, widths } = placeColumns([columns, ...rows], width);
  const formatBeside = (row: string[]) => {
    const cells = beside.map((column) => row[column] ?? "");
    return widths ? joinColumns(cells, widths) : cells;
  };
  const below = columns.map((name, column) => ({ name, column })).filter(({ column }) => !beside.includes(column));
  const formatBelow = (row: string[]) =>
    formatNamedCells(
      below.map(({ name, column }) => ({ name, cell: row[column] ?? "" })),
      width,
    );
  return {
    header: widths && (beside.length > 1 || below.length === 0) ? formatBeside(columns).join("\n") : null,
    lines: rows.flatMap((row) => [...formatBeside(row), ...formatBelow(row)]),
  };
}

/** Chooses the columns that stand side by side: all that have room for their longest word, and always the first. */
function placeColumns(rows: string[][], width: number): { beside: number[]; widths: number[] | null } {
  const measured = (rows[0] ?? []).map((_, column) => {
    const cells = rows.map((row) => row[column] ?? "");
    const natural = measureLongest(cells);
    const word = measureLongest(cells.flatMap((cell) => cell.split(/\s+/)));
    return { column, natural, least: Math.max(word, Math.min(natural, MIN_WRAPPED)) };
  });
  for (const beside = [...measured]; ; ) {
    const widths = narrowWidths(beside, width);
    if (widths || beside.length < 2) return { beside: beside.map(({ column }) => column), widths };
    const widest = Math.max(...beside.slice(1).map(({ least }) => least));
    beside.splice(
      beside.findLastIndex(({ least }, index) => index > 0 && least === widest),
      1,
    );
  }
}

/** Narrows the widest columns until all fit into `width` cells; null if a column would be narrower than its least. */
export function narrowWidths(columns: { natural: number; least: number }[], width: number): number[] | null {
  const room = width - GAP * (columns.length - 1);
  if (addUp(columns.map(({ least }) => least)) > room) return null;
  const widths = columns.map(({ natural }) => natural);
  for (let excess = addUp(widths) - room; excess > 0; excess -= 1) {
    const spare = widths.map((width, column) => (width > (columns[column]?.least ?? 0) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Joins the cells of a row to lines. Cells that are too wide continue below. */
export function joinColumns(cells: string[], widths: number[]): string[] {
  const columns = cells.map((cell, column) =>
    wrapAnsi(cell, Math.max(1, widths[column] ?? 1), { hard: true }).split("\n"),
  );
  const height = Math.max(...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, index) =>
    columns
      .map((lines, column) => padCells(lines[index] ?? "", widths[column] ?? 0))
      .join(" ".repeat(GAP))
      .trimEnd(),
  );
}

/** Formats cells as lines below their row, each after its name, without the empty ones. */
export function formatNamedCells(cells: { name: string; cell: string }[], width: number): string[] {
  const room = measureLongest(cells.map(({ name }) => name));
  return cells
    .filter(({ cell }) => cell !== "")
    .map(({ name, cell }) => formatNamedCell(name === "" ? "  " : `  ${padCells(name, room)}  `, cell, width));
}

/** Formats one cell. A word that is too long begins below the name. */
function formatNamedCell(head: string, cell: string, width: number): string {
  if (width === 0) return head + cell;
  const indent = " ".repeat(stringWidth(head));
  const room = Math.max(10, width - indent.length);
  const rows = wrapText(cell, room);
  if (head.trim() === "" || rows.split("\n").every((row) => fitsRow(row, room)))
    return head + rows.replaceAll("\n", `\n${indent}`);
  return `${head.trimEnd()}\n  ${wrapText(cell, Math.max(10, width - 2)).replaceAll("\n", "\n  ")}`;
}

/** Returns the width of the widest text, in cells. */
export function measureLongest(texts: string[]): number {
  return texts.reduce((most, text) => Math.max(most, stringWidth(text)), 0);
}

function padCells(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

function addUp(numbers: number[]): number {
  return numbers.reduce((total, width) => total + width, 0);
}
