import { invalidError } from "../errors.ts";
import type { DriveFile, Sheet } from "../state.ts";

/** Cells of a sheet within its grid. Rows and columns count from 0, and the last ones are included. */
export type Range = { sheet: Sheet; row: number; column: number; lastRow: number; lastColumn: number };

/**
 * Purpose of a range: a read one is cut at the end of the grid; a written one must not end beyond it, and extends from
 * a single cell.
 */
type Purpose = "read" | "write";

/**
 * Parses A1 notation: `Sheet1`, `'My sheet'!A1:C3`, `B2`, `A:C`, `2:5`.
 *
 * @throws ApiError "Unable to parse range", "exceeds grid limits"
 */
export function parseRange(file: DriveFile, text: string, purpose: Purpose): Range {
  const sheets = file.sheets ?? [];
  const [, quoted, unquoted, cells] = /^(?:(?:'((?:[^']|'')+)'|([^'!]+))(?:!|$))?(.*)$/.exec(text) ?? [];
  const name = quoted?.replace(/''/g, "'") ?? unquoted;
  const namedSheet = sheets.find(({ title }) => title === name);
  const sheet = namedSheet ?? sheets[0];
  // A word that names no sheet may be cells of the first one.
  const cellText = namedSheet || name === undefined || text.includes("!") ? (cells ?? "") : text;
  if (!sheet || (!namedSheet && text.includes("!"))) throw createRangeError(text);
  const { rowCount, columnCount } = getGrid(sheet);
  const end = { lastRow: rowCount - 1, lastColumn: columnCount - 1 };
  const corners = cellText === "" ? { row: 0, column: 0, ...end } : parseCorners(cellText, text, purpose, end);
  const last = purpose === "write" ? corners : { lastRow: corners.row, lastColumn: corners.column };
  if (last.lastRow > end.lastRow || last.lastColumn > end.lastColumn) {
    const range = formatRange({ sheet, ...corners });
    throw invalidError(`Range (${range}) exceeds grid limits. Max rows: ${rowCount}, max columns: ${columnCount}`);
  }
  return {
    sheet,
    row: corners.row,
    column: corners.column,
    lastRow: Math.min(corners.lastRow, end.lastRow),
    lastColumn: Math.min(corners.lastColumn, end.lastColumn),
  };
}

/** Returns the size of a sheet: that of a new one, or larger if its rows are. */
function getGrid({ rows }: Sheet): { rowCount: number; columnCount: number } {
  return { rowCount: Math.max(1000, rows.length), columnCount: Math.max(26, ...rows.map((row) => row.length)) };
}

/** `SheetProperties` of a sheet. */
export function toSheetProperties(sheet: Sheet, index: number) {
  const { sheetId, title } = sheet;
  return { sheetId, title, index, sheetType: "GRID", gridProperties: getGrid(sheet) };
}

/** Formats a range in A1 notation, with its sheet. */
export function formatRange({ sheet: { title }, row, column, lastRow, lastColumn }: Range): string {
  const name = /^[A-Za-z_]\w*$/.test(title) ? title : `'${title.replace(/'/g, "''")}'`;
  const from = `${toColumnLetters(column)}${row + 1}`;
  const to = `${toColumnLetters(lastColumn)}${lastRow + 1}`;
  return `${name}!${from === to ? from : `${from}:${to}`}`;
}

/** Returns the letters of a column, counted from 0. */
export function toColumnLetters(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : toColumnLetters(Math.floor(column / 26) - 1) + last;
}

/** Returns the corners of `B2`, `B2:C3`, `A:C` or `2:5`, in order; open ends extend to the end. */
function parseCorners(cells: string, text: string, purpose: Purpose, end: Pick<Range, "lastRow" | "lastColumn">) {
  const [, from, fromRow, to, toRow] = /^\$?([A-Za-z]{0,3})\$?(\d*)(?::\$?([A-Za-z]{0,3})\$?(\d*))?$/.exec(cells) ?? [];
  const single = to === undefined;
  if ((!from && !fromRow) || (single && (!from || !fromRow)) || (!single && !to && !toRow))
    throw createRangeError(text);
  if (Number(fromRow || 1) < 1 || Number(toRow || 1) < 1) throw createRangeError(text);
  const [row, column] = [fromRow ? Number(fromRow) - 1 : 0, from ? getColumn(from) : 0];
  if (single) return { row, column, ...endOfOne(purpose, row, column, end) };
  const [lastRow, lastColumn] = [
    toRow ? Number(toRow) - 1 : Math.max(row, end.lastRow),
    to ? getColumn(to) : Math.max(column, end.lastColumn),
  ];
  return {
    row: Math.min(row, lastRow),
    column: Math.min(column, lastColumn),
    lastRow: Math.max(row, lastRow),
    lastColumn: Math.max(column, lastColumn),
  };
}

function endOfOne(purpose: Purpose, row: number, column: number, end: Pick<Range, "lastRow" | "lastColumn">) {
  const onGrid = row <= end.lastRow && column <= end.lastColumn;
  return purpose === "write" && onGrid ? end : { lastRow: row, lastColumn: column };
}

function getColumn(letters: string): number {
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function createRangeError(text: string) {
  return invalidError(`Unable to parse range: ${text}`);
}
