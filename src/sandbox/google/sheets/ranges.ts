import { invalid } from "../errors.ts";
import type { DriveFile, Sheet } from "../world.ts";

/** Cells of a sheet; rows and columns count from 0, an open end is undefined. */
export type Range = { sheet: Sheet; row: number; column: number; lastRow?: number; lastColumn?: number };

/** Read A1 notation: `Sheet1`, `'My sheet'!A1:C3`, `B2`, `A:C`, `2:5`. @throws GoogleRefusal "Unable to parse range" */
export function parseRange(file: DriveFile, text: string): Range {
  const sheets = file.sheets ?? [];
  const [, quoted, plain, cells] = /^(?:(?:'((?:[^']|'')+)'|([^'!]+))(?:!|$))?(.*)$/.exec(text) ?? [];
  const name = quoted?.replace(/''/g, "'") ?? plain;
  const named = sheets.find(({ title }) => title === name);
  const sheet = named ?? sheets[0];
  // A word that is no sheet may be cells of the first one.
  const rest = named || name === undefined || text.includes("!") ? (cells ?? "") : text;
  if (!sheet || (!named && text.includes("!"))) throw unreadable(text);
  if (rest === "") return { sheet, row: 0, column: 0 };
  const [, from, fromRow, to, toRow] = /^\$?([A-Za-z]{0,3})\$?(\d*)(?::\$?([A-Za-z]{0,3})\$?(\d*))?$/.exec(rest) ?? [];
  if ((!from && !fromRow) || (to === undefined && (!from || !fromRow))) throw unreadable(text);
  const single = to === undefined;
  return {
    sheet,
    row: fromRow ? Number(fromRow) - 1 : 0,
    column: from ? columnOf(from) : 0,
    lastRow: single ? Number(fromRow) - 1 : toRow ? Number(toRow) - 1 : undefined,
    lastColumn: single ? columnOf(from ?? "A") : to ? columnOf(to) : undefined,
  };
}

/** A range in A1 notation, with its sheet. */
export function rangeText({ title }: Sheet, row: number, column: number, height: number, width: number): string {
  const name = /^\w+$/.test(title) ? title : `'${title.replace(/'/g, "''")}'`;
  const from = `${lettersOf(column)}${row + 1}`;
  const to = `${lettersOf(column + Math.max(width, 1) - 1)}${row + Math.max(height, 1)}`;
  return `${name}!${from === to ? from : `${from}:${to}`}`;
}

/** Values of a range, without the empty ends of rows and of the range. */
export function valuesIn({ sheet, row, column, lastRow, lastColumn }: Range): string[][] {
  const rows = sheet.rows
    .slice(row, lastRow === undefined ? undefined : lastRow + 1)
    .map((cells) => cells.slice(column, lastColumn === undefined ? undefined : lastColumn + 1))
    .map((cells) => cells.slice(0, cells.findLastIndex((cell) => cell !== "") + 1));
  return rows.slice(0, rows.findLastIndex((cells) => cells.length > 0) + 1);
}

/** Write values from a cell on; the sheet grows as it must. */
export function writeValues(sheet: Sheet, row: number, column: number, values: string[][]): void {
  values.forEach((cells, down) => {
    while (sheet.rows.length <= row + down) sheet.rows.push([]);
    const target = sheet.rows[row + down] ?? [];
    cells.forEach((cell, right) => {
      while (target.length <= column + right) target.push("");
      target[column + right] = cell;
    });
  });
}

function columnOf(letters: string): number {
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function lettersOf(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : lettersOf(Math.floor(column / 26) - 1) + last;
}

function unreadable(text: string) {
  return invalid(`Unable to parse range: ${text}`);
}
