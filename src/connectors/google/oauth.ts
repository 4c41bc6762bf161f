import * as z from "zod/mini";
import type { Endpoints, Identity, OAuth, ServiceHttp } from "../service.ts";

/** Where a Google API is, and where a person looks at what it has. */
export function createGoogleEndpoints(roles: { api: string; web: string; drive?: string }): Endpoints {
  return {
    authorize: "https://accounts.google.com/o/oauth2/v2/auth",
    token: "https://oauth2.googleapis.com/token",
    account: "https://openidconnect.googleapis.com",
    api: roles.api,
    web: roles.web,
    ...(roles.drive === undefined ? {} : { drive: roles.drive }),
  };
}

/**
 * OAuth 2.0 of Google for web server applications. A refresh token comes only with `access_type=offline`, and at a second consent only with
 * `prompt=consent`; answers to a refresh have none, the first one stays (cases V07, V12).
 * Source: https://developers.google.com/identity/protocols/oauth2/web-server
 */
export function createGoogleOAuth(scopes: string[]): OAuth {
  return {
    provider: "google",
    scopes: ["openid", "email", "profile", ...scopes.map((scope) => SCOPE + scope)],
    authorizeParams: { access_type: "offline", prompt: "consent" },
    pkce: true,
    clientAuth: "client_secret_post",
    refresh: "stable",
  };
}

/** What the names of Google's scopes begin with. */
const SCOPE = "https://www.googleapis.com/auth/";

const Account = z.looseObject({
  sub: z.string(),
  email: z.nullish(z.string()),
  name: z.nullish(z.string()),
  picture: z.nullish(z.string()),
});

/** Who consented. Source: https://developers.google.com/identity/openid-connect/openid-connect#obtaininguserprofileinformation */
export async function fetchGoogleIdentity(http: ServiceHttp): Promise<Identity> {
  const account = await http.request({ endpoint: "account", path: "/v1/userinfo", answer: Account, scope: "openid" });
  const { sub, email, name, picture } = account;
  return {
    accountId: sub,
    user: { account_id: sub, email, name, picture },
    metadata: { url: http.endpoints.web, email },
  };
}

/** The e-mail address of the account that a connection is of; empty when the person did not share it. */
export function getOwnAddress(metadata: Record<string, unknown>): string {
  return typeof metadata.email === "string" ? metadata.email : "";
}
