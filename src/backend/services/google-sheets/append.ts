import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { namedFile } from "../google/files.ts";
import { cell, count } from "../markdown.ts";
import { placed } from "../resource.ts";
import { defineTool } from "../service.ts";
import { cellsLine, cellsOf, rangeOf, rowsIn, spreadsheetUrl, valuesPath } from "./cells.ts";
import { sheetOf, spreadsheetOf } from "./spreadsheet.ts";

const Input = z.object({
  spreadsheet: describe(z.string(), "Title, id or address of the spreadsheet."),
  text: describe(z.string(), "The cells of the row with commas between; several rows on lines of their own."),
  sheet: describe(z.optional(z.string()), "Name of the sheet in it; the first one when left out."),
});
type Input = z.output<typeof Input>;

const Appended = z.looseObject({
  updates: z.nullish(z.looseObject({ updatedRange: z.nullish(z.string()), updatedRows: z.nullish(z.number()) })),
});

/** Source: Sheets API v4, POST /v4/spreadsheets/{spreadsheetId}/values/{range}:append; what is written is read as if it were typed. */
export const appendRows = defineTool({
  name: "google-sheets.append_rows",
  description: "Add rows below the last one of a Google Sheets spreadsheet.",
  access: "write",
  input: Input,
  examples: [
    "add a row to the spreadsheet {spreadsheet}: {text}",
    "add a row to {spreadsheet}: {text}",
    "append a row to the spreadsheet {spreadsheet}: {text}",
    "append to the sheet {sheet} of the spreadsheet {spreadsheet}: {text}",
    "add rows to the spreadsheet {spreadsheet}: {text}",
  ],
  summary: ({ spreadsheet, text, sheet }: Input) =>
    `Add to ${sheet?.trim() ? `the sheet ${cell(sheet)} of ` : ""}the spreadsheet ${cell(spreadsheet)}: ${cellsLine(rowsIn(text))}`,
  resource: ({ spreadsheet }: Input) => placed("in the spreadsheet", namedFile(spreadsheet)),
  async run(input, context) {
    const values = cellsOf(input.text, "text");
    const spreadsheet = await spreadsheetOf(context, input.spreadsheet);
    const range = rangeOf(sheetOf(spreadsheet, input.sheet), undefined);
    const { updates } = await context.http.request({
      method: "POST",
      path: `${valuesPath(spreadsheet.id, range)}:append`,
      query: { valueInputOption: "USER_ENTERED", insertDataOption: "INSERT_ROWS" },
      body: { range, majorDimension: "ROWS", values },
      answer: Appended,
      scope: "spreadsheets",
    });
    const url = spreadsheetUrl(context, spreadsheet.id);
    const written = updates?.updatedRange ?? range;
    const rows = count(updates?.updatedRows ?? values.length, "row");
    const data = { id: spreadsheet.id, title: spreadsheet.title, range: written, rows: values.length, url };
    return { data, text: `Added ${rows} to ${cell(spreadsheet.title)} (${cell(written)}).\n\n${url}`, url };
  },
});
