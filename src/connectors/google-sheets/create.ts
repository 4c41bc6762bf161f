import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { escapeCell } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildSpreadsheetUrl, formatCells, parseCells, parseRows } from "./cells.ts";
import { Spreadsheet } from "./spreadsheet.ts";

const CreateInput = z.object({
  title: withDescription(z.string(), "Title of the new spreadsheet."),
  text: withDescription(z.optional(z.string()), "The first rows: cells separated by commas, one row per line."),
});
type CreateInput = z.output<typeof CreateInput>;

/** Source: Sheets API v4, POST /v4/spreadsheets, which also accepts cells; kay infers their types. */
export const createSpreadsheetTool = defineTool({
  name: "google-sheets.create_spreadsheet",
  description: "Create a Google Sheets spreadsheet, with its first rows if there are any.",
  access: "write",
  input: CreateInput,
  examples: [
    "create a spreadsheet called {title}",
    "create a spreadsheet {title} with {text}",
    "create a google sheet called {title}",
    "new spreadsheet {title}",
    "make a spreadsheet titled {title}",
  ],
  summary: ({ title, text }: CreateInput) =>
    `Create the spreadsheet “${toOneLine(title)}”${text?.trim() ? `: ${formatCells(parseRows(text))}` : ""}`,
  resource: () => "in My Drive",
  async run(input, context) {
    const title = toOneLine(input.title);
    if (title === "") {
      throw new Problem("INVALID_REQUEST", "A spreadsheet needs a title.", { details: { field: "title" } });
    }
    const rows = input.text?.trim() ? parseCells(input.text, "text") : [];
    const rowData = rows.map((row) => ({ values: row.map((text) => ({ userEnteredValue: toCellValue(text) })) }));
    const sheets = [{ properties: { title: "Sheet1" }, data: [{ startRow: 0, startColumn: 0, rowData }] }];
    const created = await context.http.request({
      method: "POST",
      path: "/v4/spreadsheets",
      query: { fields: "spreadsheetId,spreadsheetUrl,properties(title)" },
      body: { properties: { title }, ...(rows.length > 0 ? { sheets } : {}) },
      answer: Spreadsheet,
      scope: "spreadsheets",
    });
    const id = created.spreadsheetId;
    const url = created.spreadsheetUrl ?? buildSpreadsheetUrl(context, id);
    return { data: { id, title, url }, text: `Created the spreadsheet ${escapeCell(title)}.\n\n${url}`, url };
  },
});

/** Converts a cell to a typed value. Source: Sheets API v4, "ExtendedValue". */
function toCellValue(text: string): Record<string, string | number | boolean> {
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return { numberValue: Number(text) };
  if (/^(true|false)$/i.test(text)) return { boolValue: text.toLowerCase() === "true" };
  return text.startsWith("=") ? { formulaValue: text } : { stringValue: text };
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
