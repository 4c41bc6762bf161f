import { fetchNotionIdentity } from "#backend/services/notion/identity";
import type { Service } from "../service.ts";
import { addRowTool } from "./add-row.ts";
import { appendTool } from "./append.ts";
import { addCommentTool } from "./comment.ts";
import { createPageTool } from "./create.ts";
import { getPageTool } from "./get.ts";
import { queryDatabaseTool } from "./query.ts";
import { searchTool } from "./search.ts";
import { setPropertyTool } from "./set-property.ts";

/**
 * Notion. What a connection may do is chosen by its owner in Notion ("capabilities"), so there are no scopes. Access tokens name no end; the
 * token endpoint gives a new refresh token with each refresh. Sources: https://developers.notion.com/docs/authorization,
 * https://developers.notion.com/reference/refresh-a-token, …/reference/versioning and …/reference/request-limits (409 `conflict_error` and
 * 529 `service_overload` are to be sent again, as 429 is).
 */
export const notion: Service = {
  name: "notion",
  title: "Notion",
  oauth: {
    provider: "notion",
    scopes: [],
    authorizeParams: { owner: "user" },
    pkce: false,
    clientAuth: "client_secret_basic",
    tokenBody: "json",
    refresh: "rotating",
  },
  endpoints: {
    authorize: "https://api.notion.com/v1/oauth/authorize",
    token: "https://api.notion.com/v1/oauth/token",
    api: "https://api.notion.com",
    web: "https://www.notion.so",
  },
  api: { headers: { "notion-version": "2026-03-11" }, repeat: [409, 529] },
  identify: fetchNotionIdentity,
  tools: [
    searchTool,
    getPageTool,
    createPageTool,
    appendTool,
    queryDatabaseTool,
    addRowTool,
    setPropertyTool,
    addCommentTool,
  ],
};
