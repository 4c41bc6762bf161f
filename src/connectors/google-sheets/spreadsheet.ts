import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import { describeFile, findFile, findFileToChange, formatFilePlace } from "../google/files.ts";
import { formatPlace } from "../place.ts";
import { type ToolContext, withDescription } from "../tool.ts";

/** A spreadsheet without its cells. Source: Sheets API v4, "spreadsheets". */
export const Spreadsheet = z.looseObject({
  spreadsheetId: z.string(),
  spreadsheetUrl: z.nullish(z.string()),
  properties: z.nullish(z.looseObject({ title: z.nullish(z.string()) })),
  sheets: z.nullish(
    z.array(z.looseObject({ properties: z.looseObject({ title: z.string(), index: z.nullish(z.number()) }) })),
  ),
});

/** The field of a tool that names a spreadsheet. */
export const SPREADSHEET_FIELD = withDescription(z.string(), "Title, id or URL of the spreadsheet.");

type SpreadsheetInput = { spreadsheet: string };

/** The place and target of a tool that changes a spreadsheet. */
export const SPREADSHEET_TARGET = {
  resource: ({ spreadsheet }: SpreadsheetInput) => formatPlace("in the spreadsheet", formatFilePlace(spreadsheet)),
  placeIsTarget: true,
  describeTarget: async ({ spreadsheet }: SpreadsheetInput, context: ToolContext) =>
    describeFile(await findFileToChange(context, spreadsheet, "spreadsheet")),
};

/**
 * Finds a spreadsheet and returns it with the names of its sheets.
 *
 * @param changes the spreadsheet will be changed, so its full name is required
 * @throws Problem INVALID_REQUEST
 */
export async function findSpreadsheet(
  context: ToolContext,
  text: string,
  changes = false,
): Promise<{ id: string; title: string; sheets: string[] }> {
  const find = changes ? findFileToChange : findFile;
  const { id, name } = await find(context, text, "spreadsheet");
  const { properties, sheets } = await context.http.request({
    path: `/v4/spreadsheets/${encodeURIComponent(id)}`,
    query: { fields: "spreadsheetId,properties(title),sheets(properties(title,index))" },
    answer: Spreadsheet,
    scope: "spreadsheets",
  });
  return { id, title: properties?.title ?? name, sheets: (sheets ?? []).map((sheet) => sheet.properties.title) };
}

/**
 * Finds a sheet and returns its exact name. Without a name, returns the first sheet. @throws Problem INVALID_REQUEST
 */
export function findSheet(spreadsheet: { title: string; sheets: string[] }, sheetName: string | undefined): string {
  const name = sheetName?.trim() ?? "";
  const { title, sheets } = spreadsheet;
  const match = name === "" ? sheets[0] : sheets.find((sheet) => sheet.toLowerCase() === name.toLowerCase());
  if (match !== undefined) return match;
  throw new Problem("INVALID_REQUEST", `${title} has no sheet “${name}”; it has ${sheets.join(", ")}.`, {
    hint: "Specify one of its sheets.",
    details: { field: "sheet" },
  });
}
