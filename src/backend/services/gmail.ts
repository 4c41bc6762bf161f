import { archiveTool } from "./gmail/archive.ts";
import { createDraftTool } from "./gmail/draft.ts";
import { changeLabelTool } from "./gmail/label.ts";
import { readMessageTool } from "./gmail/read.ts";
import { replyTool } from "./gmail/reply.ts";
import { searchTool } from "./gmail/search.ts";
import { sendMessageTool } from "./gmail/send.ts";
import { createGoogleEndpoints, createGoogleOAuth, fetchGoogleIdentity } from "./google.ts";
import type { Service } from "./service.ts";

/** Gmail. `gmail.modify` is everything but deleting for good. Source: https://developers.google.com/workspace/gmail/api/reference/rest */
export const gmail: Service = {
  name: "gmail",
  title: "Gmail",
  oauth: createGoogleOAuth(["gmail.modify"]),
  endpoints: createGoogleEndpoints({ api: "https://gmail.googleapis.com", web: "https://mail.google.com" }),
  identify: fetchGoogleIdentity,
  tools: [searchTool, readMessageTool, sendMessageTool, replyTool, createDraftTool, archiveTool, changeLabelTool],
};
