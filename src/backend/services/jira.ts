import { ATLASSIAN_ENDPOINTS, createAtlassianOAuth, fetchAtlassianIdentity } from "./atlassian.ts";
import { assignIssueTool } from "./jira/assign.ts";
import { addCommentTool } from "./jira/comment.ts";
import { createIssueTool } from "./jira/create.ts";
import { getIssueTool } from "./jira/get.ts";
import { listProjectsTool } from "./jira/list-projects.ts";
import { searchTool } from "./jira/search.ts";
import { transitionIssueTool } from "./jira/transition.ts";
import type { Service } from "./service.ts";

const SCOPES = ["read:jira-work", "write:jira-work", "read:jira-user"];

/** Jira Cloud. Source: https://developer.atlassian.com/cloud/jira/platform/rest/v3/ */
export const jira: Service = {
  name: "jira",
  title: "Jira",
  oauth: createAtlassianOAuth(SCOPES),
  endpoints: ATLASSIAN_ENDPOINTS,
  identify: (http) => fetchAtlassianIdentity(http, "Jira", SCOPES),
  tools: [
    searchTool,
    getIssueTool,
    createIssueTool,
    transitionIssueTool,
    addCommentTool,
    assignIssueTool,
    listProjectsTool,
  ],
};
