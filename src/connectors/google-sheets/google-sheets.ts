import { createGoogleEndpoints, createGoogleOAuth, fetchGoogleIdentity } from "../google/oauth.ts";
import { SAFE_GET } from "../http/generic-request.ts";
import type { Service } from "../service.ts";
import { addSheetTool, createSpreadsheetTool } from "./create.ts";
import { readRangeTool, searchTool } from "./read.ts";
import { appendRowsTool, updateCellsTool } from "./write.ts";

/**
 * Google Sheets. Drive finds its spreadsheets. Source:
 * https://developers.google.com/workspace/sheets/api/reference/rest
 */
export const googleSheets: Service = {
  name: "google-sheets",
  title: "Google Sheets",
  oauth: createGoogleOAuth(["spreadsheets", "drive.readonly"]),
  endpoints: createGoogleEndpoints({
    api: "https://sheets.googleapis.com",
    drive: "https://www.googleapis.com",
    web: "https://docs.google.com",
  }),
  api: { genericReads: SAFE_GET },
  identify: fetchGoogleIdentity,
  tools: [searchTool, readRangeTool, appendRowsTool, addSheetTool, updateCellsTool, createSpreadsheetTool],
};
