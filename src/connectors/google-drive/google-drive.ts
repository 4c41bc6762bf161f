import { createGoogleEndpoints, createGoogleOAuth, fetchGoogleIdentity } from "../google/oauth.ts";
import { SAFE_GET } from "../http/generic-request.ts";
import type { Service } from "../service.ts";
import { createFolderTool, shareFileTool, trashFileTool } from "./change.ts";
import { getFileTool, searchTool } from "./read.ts";

/** Google Drive. Source: https://developers.google.com/workspace/drive/api/reference/rest/v3 */
export const googleDrive: Service = {
  name: "google-drive",
  title: "Google Drive",
  oauth: createGoogleOAuth(["drive"]),
  endpoints: createGoogleEndpoints({ api: "https://www.googleapis.com", web: "https://drive.google.com" }),
  api: { genericReads: SAFE_GET },
  identify: fetchGoogleIdentity,
  tools: [searchTool, getFileTool, createFolderTool, shareFileTool, trashFileTool],
};
