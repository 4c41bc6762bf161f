import { googleEndpoints, googleIdentity, googleOAuth } from "./google.ts";
import { appendRows } from "./google-sheets/append.ts";
import { createSpreadsheet } from "./google-sheets/create.ts";
import { readRange } from "./google-sheets/read.ts";
import { search } from "./google-sheets/search.ts";
import { updateCells } from "./google-sheets/update.ts";
import type { Service } from "./service.ts";

/** Google Sheets; its spreadsheets are found by Drive. Source: https://developers.google.com/workspace/sheets/api/reference/rest */
export const googleSheets: Service = {
  name: "google-sheets",
  title: "Google Sheets",
  oauth: googleOAuth(["spreadsheets", "drive.readonly"]),
  endpoints: googleEndpoints({
    api: "https://sheets.googleapis.com",
    drive: "https://www.googleapis.com",
    web: "https://docs.google.com",
  }),
  identify: googleIdentity,
  tools: [search, readRange, appendRows, updateCells, createSpreadsheet],
};
