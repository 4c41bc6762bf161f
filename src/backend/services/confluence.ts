import { ATLASSIAN_ENDPOINTS, atlassianIdentity, atlassianOAuth } from "./atlassian.ts";
import { getPage } from "./confluence/get.ts";
import { search } from "./confluence/search.ts";
import type { Service } from "./service.ts";

/** Search is in REST v1 only (classic scope), pages are in v2 (granular scope). */
const SCOPES = ["search:confluence", "read:page:confluence"];

/** Confluence Cloud. Source: https://developer.atlassian.com/cloud/confluence/rest/v2/ */
export const confluence: Service = {
  name: "confluence",
  title: "Confluence",
  oauth: atlassianOAuth(SCOPES),
  endpoints: ATLASSIAN_ENDPOINTS,
  identify: (http) => atlassianIdentity(http, "Confluence", SCOPES),
  tools: [search, getPage],
};
