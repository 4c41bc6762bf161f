import { googleEndpoints, googleIdentity, googleOAuth } from "./google.ts";
import { createFolder } from "./google-drive/create-folder.ts";
import { getFile } from "./google-drive/get.ts";
import { search } from "./google-drive/search.ts";
import { shareFile } from "./google-drive/share.ts";
import { trashFile } from "./google-drive/trash.ts";
import type { Service } from "./service.ts";

/** Google Drive. Source: https://developers.google.com/workspace/drive/api/reference/rest/v3 */
export const googleDrive: Service = {
  name: "google-drive",
  title: "Google Drive",
  oauth: googleOAuth(["drive"]),
  endpoints: googleEndpoints({ api: "https://www.googleapis.com", web: "https://drive.google.com" }),
  identify: googleIdentity,
  tools: [search, getFile, createFolder, shareFile, trashFile],
};
