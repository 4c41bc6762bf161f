import * as z from "zod/mini";
import { describe } from "../fields.ts";
import { cell, count, markdownTable } from "../markdown.ts";
import { defineTool } from "../service.ts";
import { rangeOf, spreadsheetUrl, valuesPath } from "./cells.ts";
import { sheetOf, spreadsheetOf } from "./spreadsheet.ts";

const Input = z.object({
  spreadsheet: describe(z.string(), "Title, id or address of the spreadsheet."),
  range: describe(z.optional(z.string()), "Cells in A1 notation, like A1:C10; the whole sheet when left out."),
  sheet: describe(z.optional(z.string()), "Name of the sheet in it; the first one when left out."),
});
type Input = z.output<typeof Input>;

const Values = z.looseObject({
  range: z.nullish(z.string()),
  values: z.nullish(z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))),
});

/** Rows that are shown and given to a model. */
const MOST_ROWS = 200;

/** Source: Sheets API v4, GET /v4/spreadsheets/{spreadsheetId}/values/{range}; rows come without their empty ends. */
export const readRange = defineTool({
  name: "google-sheets.read_range",
  description: "Read cells of a Google Sheets spreadsheet.",
  access: "read",
  input: Input,
  examples: [
    "read the spreadsheet {spreadsheet}",
    "show the spreadsheet {spreadsheet}",
    "read {range} of the spreadsheet {spreadsheet}",
    "what is in {range} of {spreadsheet}",
    "show the sheet {sheet} of the spreadsheet {spreadsheet}",
    "open the spreadsheet {spreadsheet}",
  ],
  summary: ({ spreadsheet, range, sheet }: Input) =>
    `Read ${rangeOf(sheet, range) || "the first sheet"} of the spreadsheet ${cell(spreadsheet)}`,
  async run(input, context) {
    const spreadsheet = await spreadsheetOf(context, input.spreadsheet);
    const range = rangeOf(input.range?.includes("!") ? undefined : sheetOf(spreadsheet, input.sheet), input.range);
    const answer = await context.http.request({
      path: valuesPath(spreadsheet.id, range),
      query: { majorDimension: "ROWS", valueRenderOption: "FORMATTED_VALUE" },
      answer: Values,
      scope: "spreadsheets",
    });
    const all = (answer.values ?? []).map((row) => row.map((value) => (value === null ? "" : String(value))));
    const rows = all.slice(0, MOST_ROWS);
    const url = spreadsheetUrl(context, spreadsheet.id);
    const data = {
      id: spreadsheet.id,
      title: spreadsheet.title,
      range: answer.range ?? range,
      sheets: spreadsheet.sheets,
      values: rows,
      more: all.length > rows.length,
      url,
    };
    return { data, text: `${rowsText(rows, all.length, spreadsheet.title, answer.range ?? range)}\n\n${url}`, url };
  },
});

function rowsText(rows: string[][], total: number, title: string, range: string): string {
  const where = `${cell(range)} of ${cell(title)}`;
  if (rows.length === 0) return `${where} is empty.`;
  const width = Math.max(...rows.map((row) => row.length));
  const full = rows.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? ""));
  const head = total > rows.length ? `The first ${rows.length} of ${total} rows` : count(rows.length, "row");
  return `${where}, ${head.toLowerCase()}:\n\n${markdownTable(full[0] ?? [], full.slice(1))}`;
}
