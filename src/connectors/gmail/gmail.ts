import { createGoogleEndpoints, createGoogleOAuth, fetchGoogleIdentity } from "../google/oauth.ts";
import { SAFE_GET } from "../http/generic-request.ts";
import type { Service } from "../service.ts";

import { forwardTool } from "./forward.ts";
import { archiveTool, changeLabelTool } from "./label.ts";
import { readMessageTool } from "./read.ts";
import { replyTool } from "./reply.ts";
import { searchTool } from "./search.ts";
import { createDraftTool, sendMessageTool } from "./send.ts";

/**
 * Gmail. `gmail.modify` allows everything but permanent deletion. Source:
 * https://developers.google.com/workspace/gmail/api/reference/rest
 */
export const gmail: Service = {
  name: "gmail",
  title: "Gmail",
  oauth: createGoogleOAuth(["gmail.modify"]),
  endpoints: createGoogleEndpoints({ api: "https://gmail.googleapis.com", web: "https://mail.google.com" }),
  api: { genericReads: SAFE_GET },
  identify: fetchGoogleIdentity,
  tools: [
    searchTool,
    readMessageTool,
    sendMessageTool,
    replyTool,
    forwardTool,
    createDraftTool,
    archiveTool,
    changeLabelTool,
  ],
};
