import { createGoogleEndpoints, createGoogleOAuth, fetchGoogleIdentity } from "./google.ts";
import { createFolderTool } from "./google-drive/create-folder.ts";
import { getFileTool } from "./google-drive/get.ts";
import { searchTool } from "./google-drive/search.ts";
import { shareFileTool } from "./google-drive/share.ts";
import { trashFileTool } from "./google-drive/trash.ts";
import type { Service } from "./service.ts";

/** Google Drive. Source: https://developers.google.com/workspace/drive/api/reference/rest/v3 */
export const googleDrive: Service = {
  name: "google-drive",
  title: "Google Drive",
  oauth: createGoogleOAuth(["drive"]),
  endpoints: createGoogleEndpoints({ api: "https://www.googleapis.com", web: "https://drive.google.com" }),
  identify: fetchGoogleIdentity,
  tools: [searchTool, getFileTool, createFolderTool, shareFileTool, trashFileTool],
};
