import * as z from "zod/mini";
import { SAFE_GET } from "../http/generic-request.ts";
import type { Identity } from "../oauth.ts";
import type { Service } from "../service.ts";
import type { ServiceHttp } from "../service-http.ts";
import { addRowTool } from "./add-row.ts";
import { appendTool } from "./append.ts";
import { addCommentTool } from "./comment.ts";
import { createPageTool } from "./create.ts";
import { getPageTool } from "./get.ts";
import { queryDatabaseTool } from "./query.ts";
import { searchTool } from "./search.ts";
import { setPropertyTool } from "./set-property.ts";

/**
 * Notion. A connection's owner chooses its permissions in Notion ("capabilities"), so there are no scopes. Access
 * tokens have no stated lifetime; each refresh returns a new refresh token. Sources:
 * https://developers.notion.com/docs/authorization, https://developers.notion.com/reference/refresh-a-token,
 * …/reference/versioning and …/reference/request-limits (409 `conflict_error` and 529 `service_overload` must be
 * retried like 429).
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
    revocation: { style: "rfc7009", covers: "consent" },
    accessPage: "https://www.notion.com/help/add-and-manage-connections-with-the-api",
  },
  endpoints: {
    authorize: "https://api.notion.com/v1/oauth/authorize",
    token: "https://api.notion.com/v1/oauth/token",
    revoke: "https://api.notion.com/v1/oauth/revoke",
    api: "https://api.notion.com",
    web: "https://www.notion.so",
  },
  api: {
    headers: { "notion-version": "2026-03-11" },
    repeat: [409, 529],
    genericReads: [
      ...SAFE_GET,
      { method: "POST", path: /^\/v1\/(?:search|(?:databases|data_sources)\/[\w-]+\/query)$/ },
    ],
  },
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

const Owner = z.looseObject({
  type: z.nullish(z.string()),
  user: z.nullish(
    z.looseObject({
      id: z.string(),
      name: z.nullish(z.string()),
      avatar_url: z.nullish(z.string()),
      person: z.nullish(z.looseObject({ email: z.nullish(z.string()) })),
    }),
  ),
});

const Bot = z.looseObject({
  id: z.string(),
  name: z.nullish(z.string()),
  bot: z.nullish(
    z.looseObject({
      owner: z.nullish(Owner),
      workspace_name: z.nullish(z.string()),
      workspace_id: z.nullish(z.string()),
    }),
  ),
});

/**
 * Returns the account and workspace that consented. A token belongs to one workspace. Source:
 * https://developers.notion.com/reference/get-self
 */
async function fetchNotionIdentity(http: ServiceHttp): Promise<Identity> {
  const { id, name, bot } = await http.request({ path: "/v1/users/me", answer: Bot });
  const person = bot?.owner?.user;
  const accountId = person?.id ?? id;
  return {
    accountId,
    user: {
      account_id: accountId,
      name: person?.name ?? name,
      email: person?.person?.email,
      avatar_url: person?.avatar_url,
    },
    metadata: {
      url: http.endpoints.web,
      workspace: bot?.workspace_name ?? undefined,
      workspace_id: bot?.workspace_id ?? undefined,
      bot_id: id,
      ...(person ? { user_id: person.id } : {}),
    },
  };
}
