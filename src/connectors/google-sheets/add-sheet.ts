import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describeFile, findFileToChange, formatFilePlace } from "../google/files.ts";
import { escapeCell, toOneLine } from "../markup/markdown.ts";
import { formatPlace } from "../place.ts";
import { defineTool, withDescription } from "../tool.ts";
import { buildSpreadsheetUrl } from "./cells.ts";
import { findSpreadsheet } from "./spreadsheet.ts";

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
