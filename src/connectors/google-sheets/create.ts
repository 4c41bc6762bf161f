import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describeFile, findFileToChange, formatFilePlace } from "../google/files.ts";
import { escapeCell, toOneLine } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildSpreadsheetUrl, formatCells, parseCells, parseRows } from "./cells.ts";
import { findSpreadsheet, Spreadsheet } from "./spreadsheet.ts";

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

const AddSheetInput = z.object({
  spreadsheet: withDescription(z.string(), "Title, id or URL of the spreadsheet."),
  title: withDescription(z.string(), "Name of the new sheet (tab)."),
});
type AddSheetInput = z.output<typeof AddSheetInput>;

/** Source: Sheets API v4, POST /v4/spreadsheets/{spreadsheetId}:batchUpdate with `addSheet`. */
export const addSheetTool = defineTool({
  name: "google-sheets.add_sheet",
  description: "Add a sheet (tab) to a Google Sheets spreadsheet.",
  access: "write",
  input: AddSheetInput,
  examples: [
    "add a tab called {title} to the spreadsheet {spreadsheet}",
    "add a sheet called {title} to the spreadsheet {spreadsheet}",
    "create a tab {title} in the spreadsheet {spreadsheet}",
  ],
  summary: ({ spreadsheet, title }: AddSheetInput) =>
    `Add the sheet “${toOneLine(title)}” to the spreadsheet ${toOneLine(spreadsheet)}`,
  resource: ({ spreadsheet }: AddSheetInput) => formatPlace("in the spreadsheet", formatFilePlace(spreadsheet)),
  placeIsTarget: true,
  describeTarget: async ({ spreadsheet }, context) =>
    describeFile(await findFileToChange(context, spreadsheet, "spreadsheet")),
  async run(input, context) {
    const title = toOneLine(input.title);
    if (title === "") throw new Problem("INVALID_REQUEST", "A sheet needs a name.", { details: { field: "title" } });
    const spreadsheet = await findSpreadsheet(context, input.spreadsheet, true);
    await context.http.request({
      method: "POST",
      path: `/v4/spreadsheets/${encodeURIComponent(spreadsheet.id)}:batchUpdate`,
      body: { requests: [{ addSheet: { properties: { title } } }] },
      answer: z.unknown(),
      scope: "spreadsheets",
    });
    const url = buildSpreadsheetUrl(context, spreadsheet.id);
    const data = { id: spreadsheet.id, title: spreadsheet.title, sheets: [...spreadsheet.sheets, title], url };
    const text = `Added the sheet ${escapeCell(title)} to ${escapeCell(spreadsheet.title)}.\n\n${url}`;
    return { data, text, url };
  },
});
