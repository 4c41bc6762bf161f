import { createGoogleEndpoints, createGoogleOAuth, fetchGoogleIdentity } from "../google/oauth.ts";
import { SAFE_GET } from "../http/generic-request.ts";
import type { Service } from "../service.ts";
import { readDocumentTool, searchTool } from "./read.ts";
import { appendTextTool, createDocumentTool, replaceTextTool } from "./write.ts";

/**
 * Google Docs. Drive finds its documents. Source: https://developers.google.com/workspace/docs/api/reference/rest/v1
 */
export const googleDocs: Service = {
  name: "google-docs",
  title: "Google Docs",
  oauth: createGoogleOAuth(["documents", "drive.readonly"]),
  endpoints: createGoogleEndpoints({
    api: "https://docs.googleapis.com",
    drive: "https://www.googleapis.com",
    web: "https://docs.google.com",
  }),
  api: { genericReads: SAFE_GET },
  identify: fetchGoogleIdentity,
  tools: [searchTool, readDocumentTool, createDocumentTool, appendTextTool, replaceTextTool],
};
