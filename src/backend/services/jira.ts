import { ATLASSIAN_ENDPOINTS, atlassianIdentity, atlassianOAuth } from "./atlassian.ts";
import { assignIssue } from "./jira/assign.ts";
import { addComment } from "./jira/comment.ts";
import { createIssue } from "./jira/create.ts";
import { getIssue } from "./jira/get.ts";
import { listProjects } from "./jira/list-projects.ts";
import { search } from "./jira/search.ts";
import { transitionIssue } from "./jira/transition.ts";
import type { Service } from "./service.ts";

const SCOPES = ["read:jira-work", "write:jira-work", "read:jira-user"];

/** Jira Cloud. Source: https://developer.atlassian.com/cloud/jira/platform/rest/v3/ */
export const jira: Service = {
  name: "jira",
  title: "Jira",
  oauth: atlassianOAuth(SCOPES),
  endpoints: ATLASSIAN_ENDPOINTS,
  identify: (http) => atlassianIdentity(http, "Jira", SCOPES),
  tools: [search, getIssue, createIssue, transitionIssue, addComment, assignIssue, listProjects],
};
