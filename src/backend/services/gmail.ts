import { archive } from "./gmail/archive.ts";
import { createDraft } from "./gmail/draft.ts";
import { label } from "./gmail/label.ts";
import { readMessage } from "./gmail/read.ts";
import { reply } from "./gmail/reply.ts";
import { search } from "./gmail/search.ts";
import { sendMessage } from "./gmail/send.ts";
import { googleEndpoints, googleIdentity, googleOAuth } from "./google.ts";
import type { Service } from "./service.ts";

/** Gmail. `gmail.modify` is everything but deleting for good. Source: https://developers.google.com/workspace/gmail/api/reference/rest */
export const gmail: Service = {
  name: "gmail",
  title: "Gmail",
  oauth: googleOAuth(["gmail.modify"]),
  endpoints: googleEndpoints({ api: "https://gmail.googleapis.com", web: "https://mail.google.com" }),
  identify: googleIdentity,
  tools: [search, readMessage, sendMessage, reply, createDraft, archive, label],
};
