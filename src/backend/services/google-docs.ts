import { googleEndpoints, googleIdentity, googleOAuth } from "./google.ts";
import { appendText } from "./google-docs/append.ts";
import { createDocument } from "./google-docs/create.ts";
import { readDocument } from "./google-docs/read.ts";
import { replaceText } from "./google-docs/replace.ts";
import { search } from "./google-docs/search.ts";
import type { Service } from "./service.ts";

/** Google Docs; its documents are found by Drive. Source: https://developers.google.com/workspace/docs/api/reference/rest/v1 */
export const googleDocs: Service = {
  name: "google-docs",
  title: "Google Docs",
  oauth: googleOAuth(["documents", "drive.readonly"]),
  endpoints: googleEndpoints({
    api: "https://docs.googleapis.com",
    drive: "https://www.googleapis.com",
    web: "https://docs.google.com",
  }),
  identify: googleIdentity,
  tools: [search, readDocument, createDocument, appendText, replaceText],
};
