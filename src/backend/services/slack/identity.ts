import * as z from "zod/mini";
import type { Identity, ServiceHttp } from "#connectors/service";
import { callMethod, callReadMethod } from "#connectors/slack/call";
import { getUserName, User } from "#connectors/slack/people";

const Test = z.looseObject({
  url: z.string(),
  team: z.nullish(z.string()),
  user: z.nullish(z.string()),
  team_id: z.string(),
  user_id: z.string(),
});

/**
 * Who consented, and in which workspace: a token opens exactly one. Ids of people are unique within a workspace only, so the account's id
 * names both. Source: https://docs.slack.dev/reference/methods/auth.test/ and …/users.info/
 */
export async function fetchSlackIdentity(http: ServiceHttp): Promise<Identity> {
  const test = await callMethod(http, "auth.test", { answer: Test, reads: true });
  const answer = z.looseObject({ user: User });
  const { user } = await callReadMethod(http, "users.info", {
    query: { user: test.user_id },
    answer,
    scope: "users:read",
  });
  const url = test.url.replace(/\/+$/, "");
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
