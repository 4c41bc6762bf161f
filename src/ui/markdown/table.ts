import type { Tokens } from "marked";
import stringWidth from "string-width";
import wrapAnsi from "wrap-ansi";
import { normalizeWidth } from "../screen/cells.ts";
import type { Look } from "../style.ts";
import { addUp, formatNamedCell } from "../text/table.ts";
import { renderInline } from "./inline.ts";
import { wrapText } from "./wrap.ts";

const GAP = 2;

/** Layout of a table: the column widths in cells, or null if the columns do not fit side by side. */
export type TableColumns = { names: string[]; widths: number[] | null };

/**
 * Lays out columns in `look.width` cells: at their natural width, or with the widest narrowed down to its longest word.
 * If words would be split, each row becomes a block of lines with column names.
 */
export function layOutColumns(table: Tokens.Table, look: Look): TableColumns {
  const names = table.header.map((cell) => getPlainText(cell, look).toUpperCase());
  const columns = names.map((name, column) => [name, ...table.rows.map((row) => getPlainText(row[column], look))]);
  const natural = columns.map((cells) => measureLongest(cells.flatMap((cell) => cell.split("\n"))));
  const least = columns.map((cells) => measureLongest(cells.flatMap((cell) => cell.split(/\s+/))));
  return { names, widths: look.plain ? null : narrowWidths(natural, least, look.width - GAP * (names.length - 1)) };
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
  const room = measureLongest(names.slice(1));
  const named = cells
    .slice(1)
    .flatMap((cell, index) =>
      cell === "" ? [] : [formatNamedCell(getHead(names[index + 1] ?? "", room), cell, look.width)],
    );
  return [wrapText(cells[0] ?? "", look.width), ...named].join("\n");
}

function getHead(name: string, room: number): string {
  return name === "" ? "  " : `  ${padCells(name, room)}  `;
}

function joinColumns(cells: string[], widths: number[]): string[] {
  const columns = cells.map((cell, column) =>
    wrapAnsi(cell, Math.max(1, widths[column] ?? 1), { hard: true }).split("\n"),
  );
  const height = Math.max(...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    columns
      .map((lines, column) => padCells(lines[at] ?? "", widths[column] ?? 0))
      .join(" ".repeat(GAP))
      .trimEnd(),
  );
}

function narrowWidths(natural: number[], least: number[], room: number): number[] | null {
  if (addUp(least) > room) return null;
  const widths = [...natural];
  for (let over = addUp(widths) - room; over > 0; over -= 1) {
    const spare = widths.map((width, column) => (width > (least[column] ?? 0) ? width : 0));
    const widest = spare.indexOf(Math.max(...spare));
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** Returns the text of a cell without emphasis. */
function getPlainText(cell: Tokens.TableCell | undefined, look: Look): string {
  return cell ? normalizeWidth(renderInline(cell, { ...look, links: false, paint: (_, text) => text })) : "";
}

function padCells(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

function measureLongest(texts: string[]): number {
  return texts.reduce((most, text) => Math.max(most, stringWidth(text)), 0);
}
