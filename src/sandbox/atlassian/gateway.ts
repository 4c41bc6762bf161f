import type { Context, MiddlewareHandler } from "hono";
import type { ProviderContext, SandboxEnv } from "../provider.ts";
import type { Account, AtlassianState, Site } from "./state.ts";

/** Context of a request behind `/ex/{product}/{cloudid}`: its account and its site. */
export type SiteEnv = {
  Bindings: SandboxEnv["Bindings"];
  Variables: SandboxEnv["Variables"] & { site: Site; account: Account; scopes: string[] };
};

/**
 * The gateway in front of Jira and Confluence (developer.atlassian.com/cloud/jira/platform/oauth-2-3lo-apps): a missing
 * or expired token gets 401 `{"code":401,"message":"Unauthorized"}`; a cloud ID that the token does not cover gets the
 * gateway's own 404.
 */
export function createGateway(provider: ProviderContext<AtlassianState>): MiddlewareHandler<SiteEnv> {
  return async (c, next) => {
    const grant = provider.grant(c.req.raw);
    const account = provider.world().accounts.find(({ accountId }) => accountId === grant?.account);
    if (!grant || !account) return sendUnauthorized(c);
    const site = listSites(provider.world(), account.accountId).find(({ id }) => id === c.req.param("cloudid"));
    if (!site) return sendUnknownSite(c, provider.now());
    c.set("grant", grant);
    c.set("account", account);
    c.set("site", site);
    c.set("scopes", getScopesAt(site, grant.scopes));
    await next();
  };
}

/** Requires one of these scopes; otherwise 401 in the gateway's words. */
export function requireScope(...scopes: string[]): MiddlewareHandler<SiteEnv> {
  return async (c, next) => {
    if (!scopes.some((scope) => c.get("scopes").includes(scope))) {
      return c.json({ code: 401, message: "Unauthorized; scope does not match" }, 401);
    }
    await next();
  };
}

/** The gateway's 401. */
export function sendUnauthorized(c: Context) {
  return c.json({ code: 401, message: "Unauthorized" }, 401);
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

function sendUnknownSite(c: Context, now: number) {
  const body = {
    timestamp: new Date(now).toISOString(),
    status: 404,
    error: "Not Found",
    message: "No message available",
    path: c.req.path,
  };
  return c.json(body, 404);
}
