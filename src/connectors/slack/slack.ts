import * as z from "zod/mini";
import type { Identity } from "../oauth.ts";
import type { GenericRead, Service } from "../service.ts";
import type { ServiceHttp } from "../service-http.ts";
import { callMethod, callReadMethod } from "./call.ts";
import { SLACK_ERRORS } from "./errors.ts";
import { listChannelsTool, listUsersTool } from "./list.ts";
import { getUserName, User } from "./people.ts";
import { addReactionTool } from "./react.ts";
import { readChannelTool } from "./read-channel.ts";
import { searchMessagesTool } from "./search.ts";
import { replyTool, sendMessageTool, uploadFileTool } from "./send.ts";

/**
 * The scopes that the user consents to. `search:read` and direct messages exist only for users, so kay acts as the user
 * and needs no bot.
 */
const SCOPES = [
  "channels:read",
  "channels:history",
  "groups:read",
  "groups:history",
  "im:read",
  "im:history",
  "im:write",
  "chat:write",
  "files:write",
  "reactions:write",
  "search:read",
  "users:read",
  "users:read.email",
];

/**
 * Slack takes every method, writes included, as GET or POST, so the name of the method decides whether it reads.
 * Source: https://docs.slack.dev/apis/web-api/ and https://docs.slack.dev/reference/methods
 */
const READ_METHODS = [
  "api.test",
  "auth.test",
  "bookmarks.list",
  "bots.info",
  "conversations.(?:history|info|list|members|replies)",
  "dnd.(?:info|teamInfo)",
  "emoji.list",
  "files.(?:info|list)",
  "pins.list",
  "reactions.(?:get|list)",
  "reminders.(?:info|list)",
  "search.(?:all|files|messages)",
  "team.(?:info|profile.get)",
  "usergroups.(?:list|users.list)",
  "users.(?:conversations|getPresence|identity|info|list|lookupByEmail|profile.get)",
];
const SLACK_READS: GenericRead[] = (["GET", "POST"] as const).map((method) => ({
  method,
  path: new RegExp(`^/(?:${READ_METHODS.join("|").replaceAll(".", "\\.")})$`),
}));

/**
 * Slack. User scopes go in `user_scope`, separated by commas, and the user's token is in `authed_user`; the other token
 * belongs to a bot. PKCE is off, because it would permanently turn the app into a public client. With token rotation,
 * which each app can enable, tokens last twelve hours and refresh tokens rotate; without it, tokens do not expire.
 * Sources: https://docs.slack.dev/authentication/installing-with-oauth/, …/using-token-rotation/, …/using-pkce/
 */
export const slack: Service = {
  name: "slack",
  title: "Slack",
  oauth: {
    provider: "slack",
    scopes: SCOPES,
    scopeParameter: "user_scope",
    scopeSeparator: ",",
    tokensIn: "authed_user",
    pkce: false,
    clientAuth: "client_secret_basic",
    refresh: "rotating",
    revocation: { style: "bearer", covers: "account" },
    accessPage: "https://my.slack.com/apps/manage",
    goneErrors: [
      "invalid_refresh_token",
      "token_revoked",
      "token_expired",
      "account_inactive",
      "authorization_not_found",
    ],
  },
  endpoints: {
    authorize: "https://slack.com/oauth/v2/authorize",
    token: "https://slack.com/api/oauth.v2.access",
    revoke: "https://slack.com/api/auth.revoke",
    api: "https://slack.com/api",
    files: "https://files.slack.com",
  },
  api: { errors: SLACK_ERRORS, genericReads: SLACK_READS },
  identify: fetchSlackIdentity,
  tools: [
    listChannelsTool,
    readChannelTool,
    searchMessagesTool,
    sendMessageTool,
    replyTool,
    listUsersTool,
    addReactionTool,
    uploadFileTool,
  ],
};

const Test = z.looseObject({
  url: z.string(),
  team: z.nullish(z.string()),
  user: z.nullish(z.string()),
  team_id: z.string(),
  user_id: z.string(),
});

/**
 * Returns the user and workspace that consented. User IDs are unique only within a workspace, so the account ID
 * contains both. Source: https://docs.slack.dev/reference/methods/auth.test/ and …/users.info/
 */
async function fetchSlackIdentity(http: ServiceHttp): Promise<Identity> {
  const test = await callMethod(http, "auth.test", { answer: Test, reads: true });
  const answer = z.looseObject({ user: User });
  const { user } = await callReadMethod(http, "users.info", {
    query: { user: test.user_id },
    answer,
    scope: "users:read",
  });
  const url = test.url.replace(/(?<!\/)\/+$/, "");
  const accountId = `${test.team_id}:${test.user_id}`;
  return {
    accountId,
    user: {
      account_id: accountId,
      name: getUserName(user),
      email: user.profile?.email ?? undefined,
      username: user.name ?? test.user ?? undefined,
      avatar_url: user.profile?.image_192 ?? user.profile?.image_72 ?? undefined,
    },
    metadata: {
      url,
      workspace: test.team ?? url.replace(/^https?:\/\//, ""),
      team_id: test.team_id,
      user_id: test.user_id,
    },
  };
}
