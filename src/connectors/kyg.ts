import * as z from "zod/mini";
import type { OAuth } from "./oauth.ts";
import type { Service } from "./service.ts";

/** The in-house service. The operator's configuration says where it runs. */
export type KygConfiguration = {
  title?: string;
  authorize: string;
  token: string;
  /** Base URL of the API, without a trailing slash. */
  api: string;
  /** Path below `api`, or URL of the same origin, that returns the token's owner. Default: `/me`. */
  userinfo?: string;
  scopes?: string[];
  pkce?: boolean;
  clientAuth?: OAuth["clientAuth"];
  refresh?: OAuth["refresh"];
};

/** Fields of OpenID Connect Core 5.1, and the simpler names that in-house services use. */
const Account = z.looseObject({
  sub: z.nullish(z.string()),
  id: z.nullish(z.union([z.string(), z.number()])),
  account_id: z.nullish(z.string()),
  name: z.nullish(z.string()),
  email: z.nullish(z.string()),
  picture: z.nullish(z.string()),
  preferred_username: z.nullish(z.string()),
});

/** Creates the kyg service. Without a configuration it has no address and is listed as not connected. */
export function createKygService(configuration: KygConfiguration | undefined): Service {
  const { authorize = "", token = "", api = "", userinfo = "/me" } = configuration ?? {};
  return {
    name: "kyg",
    title: configuration?.title ?? "kyg",
    oauth: {
      provider: "kyg",
      scopes: configuration?.scopes ?? ["openid", "profile", "email", "offline_access"],
      pkce: configuration?.pkce ?? true,
      clientAuth: configuration?.clientAuth ?? "client_secret_basic",
      refresh: configuration?.refresh ?? "rotating",
    },
    endpoints: { authorize, token, api },
    async identify(http) {
      const account = await http.request({
        path: userinfo,
        answer: Account.check(z.refine(hasId, "it names no account")),
      });
      const { name, email, picture, preferred_username: username } = account;
      const accountId = getId(account);
      return { accountId, user: { account_id: accountId, name, email, username, picture }, metadata: { url: api } };
    },
    tools: [],
  };
}

function hasId(account: z.output<typeof Account>): boolean {
  return getId(account) !== "";
}

function getId({ sub, account_id, id }: z.output<typeof Account>): string {
  return sub ?? account_id ?? (id === null || id === undefined ? "" : String(id));
}
