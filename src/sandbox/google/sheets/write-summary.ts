import { invalidError } from "../errors.ts";
import type { Cell, DriveFile } from "../state.ts";
import { readValues } from "./cells.ts";
import { formatRange, type Range, toColumnLetters } from "./ranges.ts";

/** Summary of a write: where, and how many rows, columns and cells changed. Cells that were null do not count. */
export type WriteSummary = { range: Range; rows: number; columns: number; cells: number };

/** @throws ApiError when values reach out of the range they are for */
export function assertFits({ row, column, lastRow, lastColumn, sheet }: Range, values: (Cell | null)[][]): void {
  const height = values.length;
  const width = Math.max(0, ...values.map((cells) => cells.length));
  const range = formatRange({ row, column, lastRow, lastColumn, sheet });
  const out =
    row + height - 1 > lastRow
      ? `row [${lastRow + 2}]`
      : column + width - 1 > lastColumn
        ? `column [${toColumnLetters(lastColumn + 1)}]`
        : undefined;
  if (out) throw invalidError(`Requested writing within range [${range}], but tried writing to ${out}`);
}

/** Summarizes writing values from the first cell of a range. */
export function summarizeWrite({ sheet, row, column }: Range, values: (Cell | null)[][]): WriteSummary {
  const width = Math.max(0, ...values.map((cells) => cells.length));
  const touched = values.map((cells) => cells.flatMap((cell, cellIndex) => (cell === null ? [] : [cellIndex])));
  return {
    range: {
      sheet,
      row,
      column,
      lastRow: row + Math.max(values.length, 1) - 1,
      lastColumn: column + Math.max(width, 1) - 1,
    },
    rows: touched.filter((cells) => cells.length > 0).length,
    columns: new Set(touched.flat()).size,
    cells: touched.flat().length,
  };
}

/** `UpdateValuesResponse`; counts that are 0 are left out. */
export function toUpdateResponse(
  file: DriveFile,
  { range, rows, columns, cells }: WriteSummary,
  getOption: (name: string) => string | undefined,
) {
  const updatedRange = formatRange(range);
  const values = readValues(
    range,
    getOption("responseValueRenderOption") === "UNFORMATTED_VALUE" ? "UNFORMATTED_VALUE" : "FORMATTED_VALUE",
  );
  return {
    spreadsheetId: file.id,
    updatedRange,
    ...(cells > 0 ? { updatedRows: rows, updatedColumns: columns, updatedCells: cells } : {}),
    ...(getOption("includeValuesInResponse") === "true"
      ? { updatedData: { range: updatedRange, majorDimension: "ROWS", values } }
      : {}),
  };
}
