import * as z from "zod/mini";
import { describeFile, findFileToChange, formatFilePlace } from "../google/files.ts";
import { escapeCell, formatCount } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
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
import { findSheet, findSpreadsheet } from "./spreadsheet.ts";

const Input = z.object({
  spreadsheet: withDescription(z.string(), "Title, id or URL of the spreadsheet."),
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
type Input = z.output<typeof Input>;

const Appended = z.looseObject({
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
  input: Input,
  examples: [
    "add a row to the spreadsheet {spreadsheet}: {text}",
    "add a row to {spreadsheet}: {text}",
    "append a row to the spreadsheet {spreadsheet}: {text}",
    "append to the sheet {sheet} of the spreadsheet {spreadsheet}: {text}",
    "add rows to the spreadsheet {spreadsheet}: {text}",
  ],
  summary: ({ spreadsheet, text, rows, sheet }: Input) =>
    `Add to ${sheet?.trim() ? `the sheet ${escapeCell(sheet)} of ` : ""}the spreadsheet ${escapeCell(spreadsheet)}: ${formatCells(rows ?? parseRows(text ?? ""))}`,
  resource: ({ spreadsheet }: Input) => formatPlace("in the spreadsheet", formatFilePlace(spreadsheet)),
  placeIsTarget: true,
  describeTarget: async ({ spreadsheet }, context) =>
    describeFile(await findFileToChange(context, spreadsheet, "spreadsheet")),
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
      answer: Appended,
      scope: "spreadsheets",
    });
    const url = buildSpreadsheetUrl(context, spreadsheet.id);
    const written = updates?.updatedRange ?? range;
    const rows = formatCount(updates?.updatedRows ?? values.length, "row");
    const data = { id: spreadsheet.id, title: spreadsheet.title, range: written, rows: values.length, url };
    return { data, text: `Added ${rows} to ${escapeCell(spreadsheet.title)} (${escapeCell(written)}).\n\n${url}`, url };
  },
});
