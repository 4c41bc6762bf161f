import * as z from "zod/mini";
import { requireTitle } from "../input-text.ts";
import { escapeCell, toOneLine } from "../markup/markdown.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildSpreadsheetUrl, formatCells, parseCells, parseRows, toCellValues, WRITE_FIELDS } from "./cells.ts";
import { findSpreadsheet, SPREADSHEET_FIELD, SPREADSHEET_TARGET, Spreadsheet } from "./spreadsheet.ts";

const CreateInput = z.object({
  title: withDescription(z.string(), "Title of the new spreadsheet."),
  text: withDescription(z.optional(z.string()), "The first rows: cells separated by commas, one row per line."),
  formulas: WRITE_FIELDS.formulas,
});

/**
 * Source: Sheets API v4, POST /v4/spreadsheets, which also accepts cells; values are stored unchanged unless `formulas`
 * is set.
 */
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
  summary: ({ title, text }) =>
    `Create the spreadsheet “${toOneLine(title)}”${text?.trim() ? `: ${formatCells(parseRows(text))}` : ""}`,
  resource: () => "in My Drive",
  async run(input, context) {
    const title = requireTitle(input.title, "A spreadsheet");
    const rows = input.text?.trim() ? toCellValues(parseCells(input.text, "text"), input) : [];
    const toExtendedValue = input.formulas ? parseTypedValue : toPlainValue;
    const rowData = rows.map((row) => ({ values: row.map((cell) => ({ userEnteredValue: toExtendedValue(cell) })) }));
    const sheets = [{ properties: { title: "Sheet1" }, data: [{ startRow: 0, startColumn: 0, rowData }] }];
    const spreadsheet = await context.http.request({
      method: "POST",
      path: "/v4/spreadsheets",
      query: { fields: "spreadsheetId,spreadsheetUrl,properties(title)" },
      body: { properties: { title }, ...(rows.length > 0 ? { sheets } : {}) },
      answer: Spreadsheet,
      scope: "spreadsheets",
    });
    const id = spreadsheet.spreadsheetId;
    const url = spreadsheet.spreadsheetUrl ?? buildSpreadsheetUrl(context, id);
    return { data: { id, title, url }, text: `Created the spreadsheet ${escapeCell(title)}.\n\n${url}`, url };
  },
});

/** Source: Sheets API v4, "ExtendedValue". */
type ExtendedValue = Record<string, string | number | boolean>;

/** Returns a value that Sheets stores unchanged, so that no text from elsewhere runs as a formula. */
function toPlainValue(cell: string | number): ExtendedValue {
  return typeof cell === "number" ? { numberValue: cell } : { stringValue: cell };
}

/** Returns the value that Sheets would infer if the user typed a cell. */
function parseTypedValue(cell: string | number): ExtendedValue {
  const text = String(cell);
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return { numberValue: Number(text) };
  if (/^(true|false)$/i.test(text)) return { boolValue: text.toLowerCase() === "true" };
  return text.startsWith("=") ? { formulaValue: text } : { stringValue: text };
}

const AddSheetInput = z.object({
  spreadsheet: SPREADSHEET_FIELD,
  title: withDescription(z.string(), "Name of the new sheet (tab)."),
});

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
  summary: ({ spreadsheet, title }) =>
    `Add the sheet “${toOneLine(title)}” to the spreadsheet ${toOneLine(spreadsheet)}`,
  ...SPREADSHEET_TARGET,
  async run(input, context) {
    const title = requireTitle(input.title, "A sheet", { noun: "name" });
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
