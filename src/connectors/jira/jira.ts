import { ATLASSIAN_ENDPOINTS, createAtlassianOAuth, fetchAtlassianIdentity, getSite } from "../atlassian/oauth.ts";
import { SAFE_GET } from "../http/generic-request.ts";
import type { Service } from "../service.ts";
import { assignIssueTool } from "./assign.ts";
import { addAttachmentTool } from "./attach.ts";
import { addCommentTool } from "./comment.ts";
import { createIssueTool } from "./create.ts";
import { editIssueTool } from "./edit.ts";
import { getIssueTool } from "./get.ts";
import { linkIssuesTool } from "./link.ts";
import { listProjectsTool } from "./list-projects.ts";
import { logWorkTool } from "./log-work.ts";
import { searchTool } from "./search.ts";
import { transitionIssueTool } from "./transition.ts";

const SCOPES = ["read:jira-work", "write:jira-work", "read:jira-user"];

/** Jira Cloud. Source: https://developer.atlassian.com/cloud/jira/platform/rest/v3/ */
export const jira: Service = {
  name: "jira",
  title: "Jira",
  oauth: createAtlassianOAuth(SCOPES),
  endpoints: ATLASSIAN_ENDPOINTS,
  api: {
    genericReads: [...SAFE_GET, { method: "POST", path: /^(?:\/ex\/jira\/[^/]+)?\/rest\/api\/3\/search\/jql$/ }],
    genericBase: (metadata) => `/ex/jira/${getSite(metadata, "jira").cloudId}`,
  },
  identify: (http) => fetchAtlassianIdentity(http, "Jira", SCOPES),
  tools: [
    searchTool,
    getIssueTool,
    createIssueTool,
    editIssueTool,
    transitionIssueTool,
    addCommentTool,
    addAttachmentTool,
    assignIssueTool,
    linkIssuesTool,
    logWorkTool,
    listProjectsTool,
  ],
};
