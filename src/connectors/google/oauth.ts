import * as z from "zod/mini";
import type { Identity, OAuth } from "../oauth.ts";
import type { Endpoints, ServiceHttp } from "../service-http.ts";

/** Creates the endpoints of a Google API and its web pages. */
export function createGoogleEndpoints(roles: { api: string; web: string; drive?: string }): Endpoints {
  return {
    authorize: "https://accounts.google.com/o/oauth2/v2/auth",
    token: "https://oauth2.googleapis.com/token",
    revoke: "https://oauth2.googleapis.com/revoke",
    account: "https://openidconnect.googleapis.com",
    api: roles.api,
    web: roles.web,
    ...(roles.drive === undefined ? {} : { drive: roles.drive }),
  };
}

/**
 * Creates Google's OAuth 2.0 settings for web server applications. A refresh token requires `access_type=offline`, and
 * `prompt=consent` for a second consent. Refresh responses have none; the first one stays valid. Source:
 * https://developers.google.com/identity/protocols/oauth2/web-server
 */
export function createGoogleOAuth(scopes: string[]): OAuth {
  return {
    provider: "google",
    scopes: ["openid", "email", "profile", ...scopes.map((scope) => SCOPE + scope)],
    authorizeParams: { access_type: "offline", prompt: "consent" },
    pkce: true,
    clientAuth: "client_secret_post",
    refresh: "stable",
    revocation: { style: "rfc7009", covers: "account" },
    accessPage: "https://myaccount.google.com/connections",
  };
}

/** Prefix of Google's scopes. */
const SCOPE = "https://www.googleapis.com/auth/";

const Account = z.looseObject({
  sub: z.string(),
  email: z.nullish(z.string()),
  name: z.nullish(z.string()),
  picture: z.nullish(z.string()),
});

/**
 * Returns the account that consented. Source:
 * https://developers.google.com/identity/openid-connect/openid-connect#obtaininguserprofileinformation
 */
export async function fetchGoogleIdentity(http: ServiceHttp): Promise<Identity> {
  const account = await http.request({ endpoint: "account", path: "/v1/userinfo", answer: Account, scope: "openid" });
  const { sub, email, name, picture } = account;
  return {
    accountId: sub,
    user: { account_id: sub, email, name, picture },
    metadata: { url: http.endpoints.web, email },
  };
}

/** Returns the email address of the connected account, or an empty string if the user did not share it. */
export function getOwnAddress(metadata: Record<string, unknown>): string {
  return typeof metadata.email === "string" ? metadata.email : "";
}
