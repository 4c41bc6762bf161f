import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import type { Identity } from "../oauth.ts";
import type { ServiceHttp } from "../service-http.ts";
import { findOwner } from "./owners.ts";

const Token = z.looseObject({
  active: z.literal(true),
  hub_id: z.number(),
  user_id: z.number(),
  user: z.nullish(z.string()),
  hub_domain: z.nullish(z.string()),
});

const Details = z.looseObject({
  portalId: z.nullish(z.number()),
  uiDomain: z.nullish(z.string()),
  companyCurrency: z.nullish(z.string()),
  timeZone: z.nullish(z.string()),
});

/**
 * Returns the user and HubSpot account that consented. HubSpot reports the user only through token introspection; name,
 * owner ID, currency and address come from the CRM if it allows access. Source:
 * https://developers.hubspot.com/docs/api-reference/auth-oauth-v3/guide, …/account-information
 */
export async function fetchHubspotIdentity(http: ServiceHttp): Promise<Identity> {
  const introspection = { method: "POST", introspects: true, reads: true } as const;
  const token = await http.request({ ...introspection, path: "/oauth/v3/token/introspect", answer: Token });
  const owner = token.user ? await ignoreFailure(findOwner(http, token.user)) : undefined;
  const details = await ignoreFailure(http.request({ path: "/account-info/v3/details", answer: Details }));
  const accountId = `${token.hub_id}:${token.user_id}`;
  return {
    accountId,
    user: { account_id: accountId, name: owner?.name, email: token.user ?? undefined },
    metadata: {
      url: `${buildAppUrl(http, details?.uiDomain)}/contacts/${token.hub_id}`,
      portal_id: String(token.hub_id),
      portal: token.hub_domain ?? undefined,
      owner_id: owner?.id,
      currency: details?.companyCurrency ?? undefined,
    },
  };
}

/**
 * Returns the HubSpot account of a private app's token, which does not belong to a user. Source:
 * https://developers.hubspot.com/docs/api-reference/account-account-info-v3/details/get-account-info-v3-details
 */
export async function fetchHubspotAccount(http: ServiceHttp): Promise<Identity> {
  const details = await http.request({ path: "/account-info/v3/details", answer: Details });
  const portal = String(details.portalId ?? "");
  return {
    accountId: `${portal}:private-app`,
    user: {},
    metadata: {
      url: `${buildAppUrl(http, details.uiDomain)}/contacts/${portal}`,
      portal_id: portal,
      currency: details.companyCurrency ?? undefined,
    },
  };
}

/** Returns undefined on failure, for data that the connection works without. */
async function ignoreFailure<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof Problem) return undefined;
    throw error;
  });
}

/** Returns the web address of an account, on one of HubSpot's hosts: `app.hubspot.com`, `app-eu1.hubspot.com`. */
function buildAppUrl(http: ServiceHttp, host: string | null | undefined): string {
  return host && /^app[a-z0-9-]*\.hubspot\.com$/.test(host) ? `https://${host}` : (http.endpoints.app ?? "");
}
