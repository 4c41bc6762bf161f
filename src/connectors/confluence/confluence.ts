import { ATLASSIAN_ENDPOINTS, createAtlassianOAuth, fetchAtlassianIdentity, getSite } from "../atlassian/oauth.ts";
import { SAFE_GET } from "../http/generic-request.ts";
import type { Service } from "../service.ts";
import { addCommentTool } from "./comment.ts";
import { createPageTool } from "./create.ts";
import { getPageTool } from "./get.ts";
import { listCommentsTool } from "./list-comments.ts";
import { listSpacesTool } from "./list-spaces.ts";
import { searchTool } from "./search.ts";
import { updatePageTool } from "./update.ts";

/** Search exists only in REST v1 (classic scope); everything else uses v2 (granular scopes). */
const SCOPES = [
  "search:confluence",
  "read:page:confluence",
  "write:page:confluence",
  "read:space:confluence",
  "read:comment:confluence",
  "write:comment:confluence",
  "read:user:confluence",
];

/** Confluence Cloud. Source: https://developer.atlassian.com/cloud/confluence/rest/v2/ */
export const confluence: Service = {
  name: "confluence",
  title: "Confluence",
  oauth: createAtlassianOAuth(SCOPES),
  endpoints: ATLASSIAN_ENDPOINTS,
  api: {
    genericReads: [...SAFE_GET],
    genericBase: (metadata) => `/ex/confluence/${getSite(metadata, "confluence").cloudId}`,
  },
  identify: (http) => fetchAtlassianIdentity(http, "Confluence", SCOPES),
  tools: [searchTool, getPageTool, createPageTool, updatePageTool, addCommentTool, listCommentsTool, listSpacesTool],
};
