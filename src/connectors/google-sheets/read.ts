import * as z from "zod/mini";
import { findFiles, formatFileTable, toFileData } from "../google/files.ts";
import { defineListTool, formatList } from "../list-tool.ts";
import { escapeCell, formatCount, formatMarkdownTable, formatNoun } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildSpreadsheetUrl, buildValuesPath, formatRange } from "./cells.ts";
import { findSheet, findSpreadsheet, SPREADSHEET_FIELD } from "./spreadsheet.ts";

const ReadInput = z.object({
  spreadsheet: SPREADSHEET_FIELD,
  range: withDescription(z.optional(z.string()), "Cells in A1 notation, such as A1:C10. Default: the whole sheet."),
  sheet: withDescription(z.optional(z.string()), "Name of the sheet. Default: the first sheet."),
});

const Values = z.looseObject({
  range: z.nullish(z.string()),
  values: z.nullish(z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))),
});

/** Maximum number of rows shown to the user and the model. */
const MAX_ROWS = 200;

/** Source: Sheets API v4, GET /v4/spreadsheets/{spreadsheetId}/values/{range}; trailing empty cells are omitted. */
export const readRangeTool = defineTool({
  name: "google-sheets.read_range",
  description: "Read cells of a Google Sheets spreadsheet.",
  access: "read",
  input: ReadInput,
  examples: [
    "read the spreadsheet {spreadsheet}",
    "show the spreadsheet {spreadsheet}",
    "read {range} of the spreadsheet {spreadsheet}",
    "what is in {range} of {spreadsheet}",
    "show the sheet {sheet} of the spreadsheet {spreadsheet}",
    "open the spreadsheet {spreadsheet}",
  ],
  summary: ({ spreadsheet, range, sheet }) =>
    `Read ${formatRange(sheet, range) || "the first sheet"} of the spreadsheet ${escapeCell(spreadsheet)}`,
  async run(input, context) {
    const spreadsheet = await findSpreadsheet(context, input.spreadsheet);
    const range = formatRange(
      input.range?.includes("!") ? undefined : findSheet(spreadsheet, input.sheet),
      input.range,
    );
    const answer = await context.http.request({
      path: buildValuesPath(spreadsheet.id, range),
      query: { majorDimension: "ROWS", valueRenderOption: "FORMATTED_VALUE" },
      answer: Values,
      scope: "spreadsheets",
    });
    const all = (answer.values ?? []).map((row) => row.map((value) => (value === null ? "" : String(value))));
    const rows = all.slice(0, MAX_ROWS);
    const url = buildSpreadsheetUrl(context, spreadsheet.id);
    const data = {
      id: spreadsheet.id,
      title: spreadsheet.title,
      range: answer.range ?? range,
      sheets: spreadsheet.sheets,
      values: rows,
      more: all.length > rows.length,
      url,
    };
    return { data, text: `${formatRows(rows, all.length, spreadsheet.title, answer.range ?? range)}\n\n${url}`, url };
  },
});

function formatRows(rows: string[][], total: number, title: string, range: string): string {
  const where = `${escapeCell(range)} of ${escapeCell(title)}`;
  if (rows.length === 0) return `${where} is empty.`;
  const width = Math.max(...rows.map((row) => row.length));
  const paddedRows = rows.map((row) => Array.from({ length: width }, (_, column) => row[column] ?? ""));
  const head = total > rows.length ? `The first ${rows.length} of ${total} rows` : formatCount(rows.length, "row");
  return `${where}, ${head.toLowerCase()}:\n\n${formatMarkdownTable(paddedRows[0] ?? [], paddedRows.slice(1))}`;
}

const SearchInput = z.object({
  text: withDescription(z.optional(z.string()), "Words in the title or cells. Default: the newest spreadsheets."),
});
type SearchInput = z.output<typeof SearchInput>;

/** Source: Drive API v3, GET /drive/v3/files; the Sheets API has no search. */
export const searchTool = defineListTool({
  name: "google-sheets.search",
  description: "Find Google Sheets spreadsheets by words, or list the newest ones.",
  input: SearchInput,
  limit: { usual: 10, most: 50 },
  examples: [
    "find spreadsheets about {text}",
    "search google sheets for {text}",
    "which spreadsheets mention {text}",
    "list my spreadsheets",
    "show my recent spreadsheets",
  ],
  summary: (input) => `Search Google Sheets for ${describeSearch(input)}`,
  async run(input, { http }, list) {
    const { files, more } = await findFiles(http, { text: input.text, kind: "spreadsheet" }, list);
    const web = http.endpoints.web ?? "";
    const words = escapeCell(describeSearch(input, files.length));
    const text = formatList(list, { count: files.length, words, more, items: () => formatFileTable(files, web) });
    return {
      data: { spreadsheets: files.map((file) => toFileData(file, web)), more },
      text,
      url: `${web}/spreadsheets/`,
    };
  },
});

function describeSearch({ text }: SearchInput, number = 2): string {
  return `${formatNoun(number, "spreadsheet")}${text?.trim() ? ` about “${text.trim()}”` : ""}`;
}
