import * as z from "zod/mini";
import type { Identity, ServiceHttp } from "#connectors/service";

const Account = z.looseObject({
  id: z.number(),
  login: z.string(),
  name: z.nullish(z.string()),
  email: z.nullish(z.string()),
  avatar_url: z.nullish(z.string()),
  html_url: z.nullish(z.string()),
});

/** Who consented. Source: https://docs.github.com/en/rest/users/users, "Get the authenticated user". */
export async function fetchGithubIdentity(http: ServiceHttp): Promise<Identity> {
  const { id, login, name, email, avatar_url, html_url } = await http.request({ path: "/user", answer: Account });
  return {
    accountId: String(id),
    user: { account_id: String(id), name, username: login, email, avatar_url },
    metadata: { url: html_url && URL.canParse(html_url) ? new URL(html_url).origin : "https://github.com", login },
  };
}
