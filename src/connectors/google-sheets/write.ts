import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell, formatCount } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import {
  buildSpreadsheetUrl,
  buildValuesPath,
  checkCells,
  formatCells,
  formatRange,
  getInputOption,
  parseCells,
  parseRows,
  Rows,
  toCellValues,
  WRITE_FIELDS,
} from "./cells.ts";
import { findSheet, findSpreadsheet, SPREADSHEET_FIELD, SPREADSHEET_TARGET } from "./spreadsheet.ts";

const AppendInput = z.object({
  spreadsheet: SPREADSHEET_FIELD,
  text: withDescription(
    z.optional(z.string()),
    "Cells of the row, separated by commas. Put each further row on a new line.",
  ),
  rows: withDescription(
    z.optional(Rows),
    'Rows of cells instead of text, such as [["Ann", 7], ["Bob", "007"]]. Each value is stored as it is.',
  ),
  ...WRITE_FIELDS,
});

const AppendResult = z.looseObject({
  updates: z.nullish(z.looseObject({ updatedRange: z.nullish(z.string()), updatedRows: z.nullish(z.number()) })),
});

/**
 * Source: Sheets API v4, POST /v4/spreadsheets/{spreadsheetId}/values/{range}:append; values are stored unchanged
 * unless `formulas` is set.
 */
export const appendRowsTool = defineTool({
  name: "google-sheets.append_rows",
  description: "Append rows to a Google Sheets spreadsheet.",
  access: "write",
  input: AppendInput,
  examples: [
    "add a row to the spreadsheet {spreadsheet}: {text}",
    "add a row to {spreadsheet}: {text}",
    "add a row to {spreadsheet} with {text}",
    "add {text} as a row to the spreadsheet {spreadsheet}",
    "append {text} to the spreadsheet {spreadsheet}",
    "append a row to the spreadsheet {spreadsheet}: {text}",
    "append to the sheet {sheet} of the spreadsheet {spreadsheet}: {text}",
    "add rows to the spreadsheet {spreadsheet}: {text}",
  ],
  summary: ({ spreadsheet, text, rows, sheet }) =>
    `Add to ${sheet?.trim() ? `the sheet ${escapeCell(sheet)} of ` : ""}the spreadsheet ${escapeCell(spreadsheet)}: ${formatCells(rows ?? parseRows(text ?? ""))}`,
  ...SPREADSHEET_TARGET,
  async run(input, context) {
    const values = input.rows
      ? checkCells(input.rows, "rows")
      : toCellValues(parseCells(input.text ?? "", "text"), input);
    const spreadsheet = await findSpreadsheet(context, input.spreadsheet, true);
    const range = formatRange(findSheet(spreadsheet, input.sheet), undefined);
    const { updates } = await context.http.request({
      method: "POST",
      path: `${buildValuesPath(spreadsheet.id, range)}:append`,
      query: { valueInputOption: getInputOption(input), insertDataOption: "INSERT_ROWS" },
      body: { range, majorDimension: "ROWS", values },
      answer: AppendResult,
      scope: "spreadsheets",
    });
    const url = buildSpreadsheetUrl(context, spreadsheet.id);
    const writtenRange = updates?.updatedRange ?? range;
    const rows = formatCount(updates?.updatedRows ?? values.length, "row");
    const data = { id: spreadsheet.id, title: spreadsheet.title, range: writtenRange, rows: values.length, url };
    return {
      data,
      text: `Added ${rows} to ${escapeCell(spreadsheet.title)} (${escapeCell(writtenRange)}).\n\n${url}`,
      url,
    };
  },
});

const UpdateInput = z.object({
  spreadsheet: SPREADSHEET_FIELD,
  range: withDescription(
    z
      .string()
      .check(z.regex(/^(?:(?:'(?:[^']|'')+'|[^'!]+)!)?\$?[A-Za-z]{1,3}\$?\d{1,7}(?::\$?[A-Za-z]{1,3}\$?\d{1,7})?$/)),
    "Cell or range in A1 notation, such as B2 or B2:C3.",
  ),
  text: withDescription(z.optional(z.string()), "New values: cells separated by commas, one row per line."),
  rows: withDescription(
    z.optional(Rows),
    'Rows of values instead of text, such as [["Ann", 7], ["Bob", "007"]]. A null leaves its cell unchanged.',
  ),
  ...WRITE_FIELDS,
});
type UpdateInput = z.output<typeof UpdateInput>;

const UpdateResult = z.looseObject({ updatedRange: z.nullish(z.string()), updatedCells: z.nullish(z.number()) });

/**
 * Source: Sheets API v4, PUT /v4/spreadsheets/{spreadsheetId}/values/{range}; values are stored unchanged unless
 * `formulas` is set.
 */
export const updateCellsTool = defineTool({
  name: "google-sheets.update_cells",
  description: "Overwrite cells of a Google Sheets spreadsheet.",
  access: "write",
  input: UpdateInput,
  examples: [
    "set {range} of the spreadsheet {spreadsheet} to {text}",
    "set {range} in {spreadsheet} to {text}",
    "set cell {range} in the spreadsheet {spreadsheet} to {text}",
    "change {range} of {spreadsheet} to {text}",
    "update {range} in the spreadsheet {spreadsheet}: {text}",
    "put {text} in {range} of {spreadsheet}",
    "write into {range} of {spreadsheet}: {text}",
  ],
  summary: ({ spreadsheet, range, sheet, ...cells }) =>
    `Write into ${formatRange(sheet, range)} of the spreadsheet ${escapeCell(spreadsheet)}: ${describeCells(range, cells)}`,
  ...SPREADSHEET_TARGET,
  object: ({ sheet, range }) => formatRange(sheet, range.toUpperCase()),
  async run(input, context) {
    const values = getValues(input);
    const spreadsheet = await findSpreadsheet(context, input.spreadsheet, true);
    const range = formatRange(input.range.includes("!") ? undefined : findSheet(spreadsheet, input.sheet), input.range);
    const { updatedRange, updatedCells } = await context.http.request({
      method: "PUT",
      path: buildValuesPath(spreadsheet.id, range),
      query: { valueInputOption: getInputOption(input) },
      body: { range, majorDimension: "ROWS", values },
      answer: UpdateResult,
      scope: "spreadsheets",
    });
    const url = buildSpreadsheetUrl(context, spreadsheet.id);
    const writtenRange = updatedRange ?? range;
    const cells = formatCount(updatedCells ?? values.flat().length, "cell");
    const data = { id: spreadsheet.id, title: spreadsheet.title, range: writtenRange, values, url };
    return {
      data,
      text: `Wrote ${cells} of ${escapeCell(spreadsheet.title)} (${escapeCell(writtenRange)}).\n\n${url}`,
      url,
    };
  },
});

function describeCells(range: string, { rows, text = "" }: Pick<UpdateInput, "rows" | "text">): string {
  if (rows) return formatCells(rows.map((row) => row.map((cell) => (cell === null ? "(unchanged)" : cell))));
  return isOneCell(range) ? text.trim() || "nothing" : formatCells(parseRows(text));
}

/**
 * Returns the values for a range. A single cell takes the text unchanged, including commas; an empty text clears it.
 */
function getValues(input: UpdateInput): z.output<typeof Rows> {
  const { range, text, rows } = input;
  if (rows) return checkFit(range, checkCells(rows, "rows"));
  if (text === undefined) {
    throw new Problem("INVALID_REQUEST", "New values are required.", { hint: "Specify text or rows." });
  }
  return toCellValues(isOneCell(range) ? [[text.trim()]] : checkFit(range, parseCells(text, "text")), input);
}

/** Checks that cells fit into a range. @throws Problem INVALID_REQUEST */
function checkFit<Cell>(range: string, values: Cell[][]): Cell[][] {
  const { from, to } = parseRange(range);
  const [first, last] = [parseCell(from), parseCell(to)];
  const [width, height] = [Math.abs(last.column - first.column) + 1, Math.abs(last.row - first.row) + 1];
  if (values.length > height || values.some((row) => row.length > width)) {
    throw new Problem("INVALID_REQUEST", `${range} has only ${width} × ${height} cells.`, {
      hint: "Specify a larger range, or put a cell with a comma in quotes.",
      details: { field: "range" },
    });
  }
  return values;
}

function isOneCell(range: string): boolean {
  const { from, to } = parseRange(range);
  return from === to;
}

function parseRange(range: string): { from: string; to: string } {
  const [, from = "", to = from] = /(?:^|!)([^!:]+)(?::([^!:]+))?$/.exec(range.replace(/\$/g, "").toUpperCase()) ?? [];
  return { from, to };
}

function parseCell(cell: string): { column: number; row: number } {
  const letters = cell.replace(/(?<!\d)\d+$/, "");
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return { column, row: Number(cell.slice(letters.length)) };
}
