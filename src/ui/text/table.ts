import stringWidth from "string-width";
import { fitsRow, wrapText } from "../markdown/wrap.ts";
import { truncateCells } from "../screen/cells.ts";

const GAP = 2;
/** Narrowest width of a column in cells. The first column, which identifies the row, stays wider. */
const MIN_WIDTH = 12;
const MIN_FIRST_WIDTH = 24;

/** A table as lines. Without a header, each row is a block of lines with column names. */
export type TableLayout = { header: string | null; lines: string[] };

/**
 * Lays out rows in columns for a terminal of `width` cells. If the rows are too wide, the widest column is cut first,
 * marked with `…`. If columns would become unreadable, each row becomes a block of lines without cuts.
 */
export function layOutTable(columns: string[], rows: string[][], width: number): TableLayout {
  const all = [columns, ...rows];
  const natural = columns.map((_, column) => Math.max(...all.map((row) => stringWidth(row[column] ?? ""))));
  const widths = narrowWidths(natural, width - GAP * (columns.length - 1));
  if (!widths) return { header: null, lines: rows.flatMap((row) => formatRowBlock(columns, row, width)) };
  const [header = "", ...lines] = all.map((row) => {
    const cells = columns.map((_, column) => fitCell(row[column] ?? "", widths[column] ?? 0));
    return cells.join(" ".repeat(GAP)).trimEnd();
  });
  return { header, lines };
}

function narrowWidths(natural: number[], room: number): number[] | null {
  const least = natural.map((width, column) => Math.min(width, column === 0 ? MIN_FIRST_WIDTH : MIN_WIDTH));
  if (addUp(least) > room) return null;
  const widths = [...natural];
  while (addUp(widths) > room) {
    const spare = widths.map((width, column) => (width > (least[column] ?? 0) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function formatRowBlock(columns: string[], row: string[], width: number): string[] {
  const names = Math.max(...columns.map((name) => stringWidth(name)));
  const named = columns.slice(1).map((name, index) => ({ name, cell: row[index + 1] ?? "" }));
  const lines = named
    .filter(({ cell }) => cell !== "")
    .map(({ name, cell }) => formatNamedCell(name === "" ? "  " : `  ${fitCell(name, names)}  `, cell, width));
  return [row[0] ?? "", ...lines];
}

/** Puts a cell behind the name of its column, wrapped between words. A word that is too long begins below the name. */
export function formatNamedCell(head: string, cell: string, width: number): string {
  if (width === 0) return head + cell;
  const indent = " ".repeat(stringWidth(head));
  const room = Math.max(10, width - indent.length);
  const rows = wrapText(cell, room);
  if (head.trim() === "" || rows.split("\n").every((row) => fitsRow(row, room)))
    return head + rows.replaceAll("\n", `\n${indent}`);
  return `${head.trimEnd()}\n  ${wrapText(cell, Math.max(10, width - 2)).replaceAll("\n", "\n  ")}`;
}

function fitCell(text: string, width: number): string {
  const shown = truncateCells(text, width);
  return shown + " ".repeat(Math.max(0, width - stringWidth(shown)));
}

export function addUp(numbers: number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
