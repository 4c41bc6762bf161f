import * as z from "zod/mini";
import type { Identity, ServiceHttp } from "#connectors/service";

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

/** Who consented, and in which workspace; a token is of one workspace. Source: https://developers.notion.com/reference/get-self */
export async function fetchNotionIdentity(http: ServiceHttp): Promise<Identity> {
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
