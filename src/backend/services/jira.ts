import { ATLASSIAN_ENDPOINTS, atlassianIdentity, atlassianOAuth } from "./atlassian.ts";
import { search } from "./jira/search.ts";
import type { Service } from "./service.ts";

const SCOPES = ["read:jira-work", "write:jira-work", "read:jira-user"];

/** Jira Cloud. Source: https://developer.atlassian.com/cloud/jira/platform/rest/v3/ */
export const jira: Service = {
  name: "jira",
  title: "Jira",
  oauth: atlassianOAuth(SCOPES),
  endpoints: ATLASSIAN_ENDPOINTS,
  identify: (http) => atlassianIdentity(http, "Jira", SCOPES),
  tools: [search],
};
