import { invalid } from "../errors.ts";
import type { Cell, DriveFile } from "../world.ts";
import { valuesIn } from "./cells.ts";
import { lettersOf, type Range, rangeText } from "./ranges.ts";

/** What was written: where, and how many rows, columns and cells changed by it. Cells that were null are not counted. */
export type Written = { range: Range; rows: number; columns: number; cells: number };

/** @throws GoogleRefusal when values reach out of the range they are for */
export function fitting({ row, column, lastRow, lastColumn, sheet }: Range, values: (Cell | null)[][]): void {
  const height = values.length;
  const width = Math.max(0, ...values.map((cells) => cells.length));
  const range = rangeText({ row, column, lastRow, lastColumn, sheet });
  const out =
    row + height - 1 > lastRow
      ? `row [${lastRow + 2}]`
      : column + width - 1 > lastColumn
        ? `column [${lettersOf(lastColumn + 1)}]`
        : undefined;
  if (out) throw invalid(`Requested writing within range [${range}], but tried writing to ${out}`);
}

/** What writing values from the first cell of a range on comes to. */
export function written({ sheet, row, column }: Range, values: (Cell | null)[][]): Written {
  const width = Math.max(0, ...values.map((cells) => cells.length));
  const touched = values.map((cells) => cells.flatMap((cell, at) => (cell === null ? [] : [at])));
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
export function updateOf(
  file: DriveFile,
  { range, rows, columns, cells }: Written,
  asked: (name: string) => string | undefined,
) {
  const updatedRange = rangeText(range);
  const values = valuesIn(
    range,
    asked("responseValueRenderOption") === "UNFORMATTED_VALUE" ? "UNFORMATTED_VALUE" : "FORMATTED_VALUE",
  );
  return {
    spreadsheetId: file.id,
    updatedRange,
    ...(cells > 0 ? { updatedRows: rows, updatedColumns: columns, updatedCells: cells } : {}),
    ...(asked("includeValuesInResponse") === "true"
      ? { updatedData: { range: updatedRange, majorDimension: "ROWS", values } }
      : {}),
  };
}
