import type { Context, MiddlewareHandler } from "hono";
import { type ApiEnv, ApiError, requireAccount } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import type { Account, AtlassianState, Site } from "./state.ts";

/** Context of a request to Atlassian itself. */
export type AtlassianEnv = ApiEnv<AtlassianState, Account>;

/** Context of a request behind `/ex/{product}/{cloudid}`: also its site, and the scopes of the grant there. */
export type SiteEnv = {
  Bindings: AtlassianEnv["Bindings"];
  Variables: AtlassianEnv["Variables"] & { site: Site; scopes: string[] };
};

/** Requires a valid token. */
export function requireToken(provider: ProviderContext<AtlassianState>): MiddlewareHandler<AtlassianEnv> {
  return requireAccount(
    provider,
    ({ accounts }, id) => accounts.find(({ accountId }) => accountId === id),
    () => gatewayError(401, "Unauthorized"),
  );
}

/**
 * The gateway in front of Jira and Confluence (developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps): a cloud ID
 * that the token does not cover gets the gateway's own 404.
 */
export function requireSite(provider: ProviderContext<AtlassianState>): MiddlewareHandler<SiteEnv> {
  return async (c, next) => {
    const { accountId } = c.get("account");
    const site = listSites(c.get("world"), accountId).find(({ id }) => id === c.req.param("cloudid"));
    if (!site) throw noSiteError(c, provider.timestamp());
    c.set("site", site);
    c.set("scopes", getScopesAt(site, c.get("grant").scopes));
    await next();
  };
}

/** Requires one of these scopes; otherwise 401 in the gateway's words. */
export function requireScope(...scopes: string[]): MiddlewareHandler<SiteEnv> {
  return async (c, next) => {
    if (!scopes.some((scope) => c.get("scopes").includes(scope))) {
      throw gatewayError(401, "Unauthorized; scope does not match");
    }
    await next();
  };
}

/** An error of the gateway: `{"code", "message"}`. */
export function gatewayError(code: 401 | 403, message: string): ApiError {
  return new ApiError(code, message, { code, message });
}

/** Sites that an account can use. */
export function listSites(world: AtlassianState, account: string): Site[] {
  return world.sites.filter(({ accounts }) => accounts.length === 0 || accounts.includes(account));
}

/** Returns the scopes of a grant at one site. */
export function getScopesAt(site: Site, scopes: string[]): string[] {
  return scopes.filter((scope) => site.scopes === undefined || site.scopes.includes(scope));
}

/** Returns the address of a site: its own, or the sandbox's page of it. */
export function getSiteUrl(site: Site, request: Request): string {
  return site.url ?? `${new URL(request.url).origin}/sites/${encodeURIComponent(site.name)}`;
}

function noSiteError(c: Context, timestamp: string): ApiError {
  return new ApiError(404, "Not Found", {
    timestamp,
    status: 404,
    error: "Not Found",
    message: "No message available",
    path: c.req.path,
  });
}
