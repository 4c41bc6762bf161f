import type { Cell, Sheet } from "../state.ts";
import type { Range } from "./ranges.ts";

/** How a cell is rendered: as displayed, as its value, or as its formula. Formulas are not computed. */
export const RENDER_OPTIONS = ["FORMATTED_VALUE", "UNFORMATTED_VALUE", "FORMULA"] as const;
export type RenderOption = (typeof RENDER_OPTIONS)[number];

/** Returns the values of a range row by row, without empty ends. */
export function readValues({ sheet, row, column, lastRow, lastColumn }: Range, rendered: RenderOption): Cell[][] {
  const rows = sheet.rows
    .slice(row, lastRow + 1)
    .map((cells) => cells.slice(column, lastColumn + 1))
    .map((cells) => cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1));
  const filledRows = rows.slice(0, rows.findLastIndex((cells) => cells.length > 0) + 1);
  return rendered === "FORMATTED_VALUE" ? filledRows.map((cells) => cells.map(formatCell)) : filledRows;
}

/** Returns a cell as users see it. */
export function formatCell(cell: Cell): string {
  return typeof cell === "boolean" ? String(cell).toUpperCase() : String(cell);
}

/** Converts entered text to a cell: a number, a boolean, or the text. A leading `'` keeps it a text. */
export function parseEnteredCell(cell: Cell): Cell {
  if (typeof cell !== "string") return cell;
  if (/^-?(?:\d+\.?\d*|\.\d+)$/.test(cell)) return Number(cell);
  if (/^(?:true|false)$/i.test(cell)) return cell.toUpperCase() === "TRUE";
  return cell.startsWith("'") ? cell.slice(1) : cell;
}

/** Writes values from a cell on. The sheet grows as needed, and null leaves a cell unchanged. */
export function writeValues(sheet: Sheet, row: number, column: number, values: (Cell | null)[][]): void {
  values.forEach((cells, down) => {
    while (sheet.rows.length <= row + down) sheet.rows.push([]);
    const target = sheet.rows[row + down] ?? [];
    cells.forEach((cell, right) => {
      if (cell === null) return;
      while (target.length <= column + right) target.push("");
      target[column + right] = cell;
    });
  });
}

/** Clears the cells of a range. */
export function clearValues({ sheet, row, column, lastRow, lastColumn }: Range): void {
  for (const cells of sheet.rows.slice(row, lastRow + 1)) {
    for (let columnIndex = column; columnIndex <= Math.min(lastColumn, cells.length - 1); columnIndex += 1)
      cells[columnIndex] = "";
  }
}

/** Transposes rows and columns; missing values become `filler`. */
export function transpose<T>(lines: T[][], filler: T): T[][] {
  const width = Math.max(0, ...lines.map((line) => line.length));
  return Array.from({ length: width }, (_, columnIndex) => lines.map((line) => line[columnIndex] ?? filler));
}
