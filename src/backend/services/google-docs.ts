import { createGoogleEndpoints, createGoogleOAuth, fetchGoogleIdentity } from "./google.ts";
import { appendTextTool } from "./google-docs/append.ts";
import { createDocumentTool } from "./google-docs/create.ts";
import { readDocumentTool } from "./google-docs/read.ts";
import { replaceTextTool } from "./google-docs/replace.ts";
import { searchTool } from "./google-docs/search.ts";
import type { Service } from "./service.ts";

/** Google Docs; its documents are found by Drive. Source: https://developers.google.com/workspace/docs/api/reference/rest/v1 */
export const googleDocs: Service = {
  name: "google-docs",
  title: "Google Docs",
  oauth: createGoogleOAuth(["documents", "drive.readonly"]),
  endpoints: createGoogleEndpoints({
    api: "https://docs.googleapis.com",
    drive: "https://www.googleapis.com",
    web: "https://docs.google.com",
  }),
  identify: fetchGoogleIdentity,
  tools: [searchTool, readDocumentTool, createDocumentTool, appendTextTool, replaceTextTool],
};
