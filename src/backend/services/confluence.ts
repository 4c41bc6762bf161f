import { ATLASSIAN_ENDPOINTS, atlassianIdentity, atlassianOAuth } from "./atlassian.ts";
import { addComment } from "./confluence/comment.ts";
import { createPage } from "./confluence/create.ts";
import { getPage } from "./confluence/get.ts";
import { listSpaces } from "./confluence/list-spaces.ts";
import { search } from "./confluence/search.ts";
import { updatePage } from "./confluence/update.ts";
import type { Service } from "./service.ts";

/** Search is in REST v1 only (classic scope), all else is in v2 (granular scopes). */
const SCOPES = [
  "search:confluence",
  "read:page:confluence",
  "write:page:confluence",
  "read:space:confluence",
  "write:comment:confluence",
];

/** Confluence Cloud. Source: https://developer.atlassian.com/cloud/confluence/rest/v2/ */
export const confluence: Service = {
  name: "confluence",
  title: "Confluence",
  oauth: atlassianOAuth(SCOPES),
  endpoints: ATLASSIAN_ENDPOINTS,
  identify: (http) => atlassianIdentity(http, "Confluence", SCOPES),
  tools: [search, getPage, createPage, updatePage, addComment, listSpaces],
};
