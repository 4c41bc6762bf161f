import { createGoogleEndpoints, createGoogleOAuth, fetchGoogleIdentity } from "./google.ts";
import { appendRowsTool } from "./google-sheets/append.ts";
import { createSpreadsheetTool } from "./google-sheets/create.ts";
import { readRangeTool } from "./google-sheets/read.ts";
import { searchTool } from "./google-sheets/search.ts";
import { updateCellsTool } from "./google-sheets/update.ts";
import type { Service } from "./service.ts";

/** Google Sheets; its spreadsheets are found by Drive. Source: https://developers.google.com/workspace/sheets/api/reference/rest */
export const googleSheets: Service = {
  name: "google-sheets",
  title: "Google Sheets",
  oauth: createGoogleOAuth(["spreadsheets", "drive.readonly"]),
  endpoints: createGoogleEndpoints({
    api: "https://sheets.googleapis.com",
    drive: "https://www.googleapis.com",
    web: "https://docs.google.com",
  }),
  identify: fetchGoogleIdentity,
  tools: [searchTool, readRangeTool, appendRowsTool, updateCellsTool, createSpreadsheetTool],
};
