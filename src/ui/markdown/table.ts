import type { Tokens } from "marked";
import { normalizeWidth } from "../screen/cells.ts";
import type { Look } from "../style.ts";
import { formatNamedCells, joinColumns, measureLongest, narrowWidths } from "../text/table.ts";
import { renderInline } from "./inline.ts";
import { wrapText } from "./wrap.ts";

/** Layout of a table: the column widths in cells, or null if the columns do not fit side by side. */
export type TableColumns = { names: string[]; widths: number[] | null };

/**
 * Lays out columns in `look.width` cells: at their natural width, or with the widest narrowed down to its longest word.
 * If words would be split, each row becomes a block of lines with column names.
 */
export function layOutColumns(table: Tokens.Table, look: Look): TableColumns {
  const names = table.header.map((cell) => getPlainText(cell, look).toUpperCase());
  const columns = names.map((name, column) => [name, ...table.rows.map((row) => getPlainText(row[column], look))]);
  const measured = columns.map((cells) => ({
    natural: measureLongest(cells.flatMap((cell) => cell.split("\n"))),
    least: measureLongest(cells.flatMap((cell) => cell.split(/\s+/))),
  }));
  return { names, widths: look.plain ? null : narrowWidths(measured, look.width) };
}

/** Renders the header line, or null if each row shows the column names. */
export function renderHeader({ names, widths }: TableColumns, look: Look): string | null {
  return (
    widths &&
    joinColumns(names, widths)
      .map((line) => look.paint("dim", line))
      .join("\n")
  );
}

/** Renders a row. Cells that are too wide continue below. */
export function renderRow({ names, widths }: TableColumns, row: Tokens.TableCell[], look: Look): string {
  const inner = { ...look, links: look.links && widths === null };
  const cells = names.map((_, column) => (row[column] ? normalizeWidth(renderInline(row[column], inner)) : ""));
  if (widths) return joinColumns(cells, widths).join("\n");
  const namedCells = names.slice(1).map((name, index) => ({ name, cell: cells[index + 1] ?? "" }));
  return [wrapText(cells[0] ?? "", look.width), ...formatNamedCells(namedCells, look.width)].join("\n");
}

/** Returns the text of a cell without emphasis. */
function getPlainText(cell: Tokens.TableCell | undefined, look: Look): string {
  return cell ? normalizeWidth(renderInline(cell, { ...look, links: false, paint: (_, text) => text })) : "";
}
