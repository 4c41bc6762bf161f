import { ATLASSIAN_ENDPOINTS, createAtlassianOAuth, fetchAtlassianIdentity } from "./atlassian.ts";
import { addCommentTool } from "./confluence/comment.ts";
import { createPageTool } from "./confluence/create.ts";
import { getPageTool } from "./confluence/get.ts";
import { listSpacesTool } from "./confluence/list-spaces.ts";
import { searchTool } from "./confluence/search.ts";
import { updatePageTool } from "./confluence/update.ts";
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
  oauth: createAtlassianOAuth(SCOPES),
  endpoints: ATLASSIAN_ENDPOINTS,
  identify: (http) => fetchAtlassianIdentity(http, "Confluence", SCOPES),
  tools: [searchTool, getPageTool, createPageTool, updatePageTool, addCommentTool, listSpacesTool],
};
