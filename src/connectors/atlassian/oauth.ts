import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import type { Identity, OAuth, Site } from "../oauth.ts";
import type { Endpoints, ServiceHttp } from "../service-http.ts";

/** Source: https://developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps/ */
export const ATLASSIAN_ENDPOINTS: Endpoints = {
  authorize: "https://auth.atlassian.com/authorize",
  token: "https://auth.atlassian.com/oauth/token",
  revoke: "https://auth.atlassian.com/oauth/revoke",
  api: "https://api.atlassian.com",
};

/**
 * Creates Atlassian's OAuth 2.0 (3LO) settings with the scopes of one product. Refresh tokens require `offline_access`
 * and rotate. Apps are confidential clients; the documentation describes no PKCE for them.
 */
export function createAtlassianOAuth(scopes: string[]): OAuth {
  return {
    provider: "atlassian",
    scopes: [...scopes, ...ACCOUNT_SCOPES],
    authorizeParams: { audience: "api.atlassian.com", prompt: "consent" },
    pkce: false,
    clientAuth: "client_secret_post",
    refresh: "rotating",
    revocation: { style: "rfc7009", covers: "account" },
    accessPage: "https://id.atlassian.com/manage-profile/apps",
    goneErrors: ["unauthorized_client"],
  };
}

/** Account scopes, which no site lists. */
const ACCOUNT_SCOPES = ["read:me", "offline_access"];

const Account = z.looseObject({
  account_id: z.string(),
  name: z.nullish(z.string()),
  email: z.nullish(z.string()),
  picture: z.nullish(z.string()),
  account_type: z.nullish(z.string()),
  account_status: z.nullish(z.string()),
});

const Resources = z.array(
  z.looseObject({ id: z.string(), url: z.string(), name: z.string(), scopes: z.array(z.string()) }),
);

/**
 * Returns the account that consented and its site. If several sites have any of the product's scopes, all are returned
 * and the user chooses one. Sites without such a scope belong to other products.
 *
 * @throws Problem SERVICE_FAILED when no site has the product
 */
export async function fetchAtlassianIdentity(http: ServiceHttp, title: string, scopes: string[]): Promise<Identity> {
  const resources = await http.request({ path: "/oauth/token/accessible-resources", answer: Resources });
  const sites = getSites(resources, scopes);
  const account = await http.request({ path: "/me", answer: Account, scope: "read:me" });
  const [first, ...others] = sites;
  if (!first) {
    throw new Problem("SERVICE_FAILED", `This Atlassian account has no site with ${title}.`, {
      hint: "Connect again and choose a site on the consent page, or use another account.",
    });
  }
  const { account_id, name, email, picture, account_type, account_status } = account;
  return {
    accountId: account_id,
    user: { account_id, name, email, picture, account_type, account_status },
    metadata: others.length === 0 ? first.metadata : {},
    ...(others.length === 0 ? {} : { sites }),
  };
}

/** Returns the site that a connection is bound to. @throws Problem SITE_REQUIRED when it is bound to none */
export function getSite(metadata: Record<string, unknown>, service: string): { cloudId: string; url: string } {
  const { cloud_id: cloudId, url } = metadata;
  if (typeof cloudId === "string" && typeof url === "string") return { cloudId: encodeURIComponent(cloudId), url };
  throw new Problem("SITE_REQUIRED", "This connection opens several sites, and none is selected.", {
    hint: `Connect again with \`kay connect ${service} --site <name>\`.`,
  });
}

/** Merges sites with the same cloud ID: Atlassian lists a site once per product. */
function getSites(resources: z.output<typeof Resources>, scopes: string[]): Site[] {
  const sites = new Map<string, Site>();
  for (const { id, url, name, scopes: granted } of resources) {
    if (!granted.some((scope) => scopes.includes(scope))) continue;
    const knownScopes = sites.get(id)?.scopes ?? [];
    const metadata = { url: url.replace(/(?<!\/)\/+$/, ""), cloud_id: id, site: name };
    sites.set(id, { id, name, url: metadata.url, scopes: [...new Set([...knownScopes, ...granted])], metadata });
  }
  return [...sites.values()];
}
