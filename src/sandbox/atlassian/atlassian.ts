import { type Context, Hono } from "hono";
import { getAvatarUrl } from "../pictures.ts";
import type { OAuthTraits, Provider, ProviderContext, SandboxEnv } from "../provider.ts";
import { buildAtlassian } from "./build.ts";
import { createConfluenceApp } from "./confluence/confluence.ts";
import { DEFAULT_SEED } from "./default-seed.ts";
import { createGateway, getScopesAt, getSiteUrl, listSites, type SiteEnv, sendUnauthorized } from "./gateway.ts";
import { createJiraApp, createJiraTextApp } from "./jira/jira.ts";
import { CONFLUENCE_SCOPES, JIRA_SCOPES, SCOPES } from "./scopes.ts";
import { AtlassianSeed } from "./seed.ts";
import type { AtlassianState } from "./state.ts";
import { registerWebPages } from "./web-pages.ts";

/**
 * Atlassian's OAuth 2.0 (3LO). The bodies of errors are those its token endpoint was seen to answer: a spent or dead refresh token is 403
 * `unauthorized_client`, a bad code `invalid_request`, a wrong secret `access_denied`.
 */
const oauth: OAuthTraits = {
  authorizePath: "/authorize",
  tokenPath: "/oauth/token",
  subject: (scopes) => `${getProducts(scopes)} at Atlassian`,
  scopes: SCOPES,
  fixed: { audience: "api.atlassian.com" },
  accessSeconds: 3600,
  refresh: "rotating",
  offlineScope: "offline_access",
  answer: ({ access, refresh, scopes, expiresIn }) => ({
    access_token: access,
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
    expires_in: expiresIn,
    token_type: "Bearer",
    scope: scopes.join(" "),
  }),
  errors: {
    client: { status: 401, body: { error: "access_denied", error_description: "Unauthorized" } },
    code: { status: 400, body: { error: "invalid_request", error_description: "authorization_code is invalid" } },
    refresh: { status: 403, body: { error: "unauthorized_client", error_description: "refresh_token is invalid" } },
    grant_type: {
      status: 400,
      body: { error: "unsupported_grant_type", error_description: "grant_type is not supported" },
    },
    request: { status: 400, body: { error: "invalid_request", error_description: "The request body cannot be read" } },
  },
};

/** Stand-in for auth.atlassian.com and api.atlassian.com, on one origin. */
export const atlassian: Provider<AtlassianState> = {
  name: "atlassian",
  title: "Atlassian",
  oauth,
  seed: AtlassianSeed,
  builtIn: DEFAULT_SEED,
  build: (seed, now) => buildAtlassian(seed as AtlassianSeed, now),
  accounts: (world) =>
    world.accounts.map(({ accountId, displayName, emailAddress }) => ({
      id: accountId,
      name: displayName,
      email: emailAddress,
    })),
  routes(app, place) {
    app.get("/oauth/token/accessible-resources", (c) => resources(c, place));
    app.get("/me", (c) => me(c, place));
    const products = new Hono<SiteEnv>();
    products.use("/jira/:cloudid/*", createGateway(place));
    products.use("/confluence/:cloudid/*", createGateway(place));
    products.route("/jira/:cloudid/rest/api/3", createJiraApp(place));
    products.route("/jira/:cloudid/rest/api/2", createJiraTextApp(place));
    products.route("/confluence/:cloudid/wiki", createConfluenceApp(place));
    app.route("/ex", products);
    registerWebPages(app, place);
  },
};

function getProducts(scopes: string[]): string {
  const opens = (product: Record<string, string>) => scopes.some((scope) => Object.hasOwn(product, scope));
  const names = [opens(JIRA_SCOPES) && "Jira", opens(CONFLUENCE_SCOPES) && "Confluence"].filter(Boolean);
  return names.join(" and ") || "your account";
}

/** `GET /oauth/token/accessible-resources`: an entry for each site and product that the token has scopes for. */
function resources(c: Context<SandboxEnv>, place: ProviderContext<AtlassianState>) {
  const grant = place.grant(c.req.raw);
  if (!grant) return sendUnauthorized(c);
  const entries = listSites(place.world(), grant.account).flatMap((site) =>
    [JIRA_SCOPES, CONFLUENCE_SCOPES].map((product) => ({
      id: site.id,
      url: getSiteUrl(site, c.req.raw),
      name: site.name,
      scopes: getScopesAt(site, grant.scopes).filter((scope) => Object.hasOwn(product, scope)),
      avatarUrl: getAvatarUrl(c.req.raw, site.name),
    })),
  );
  return c.json(entries.filter(({ scopes }) => scopes.length > 0));
}

/** `GET /me` (User identity API); needs `read:me`. */
function me(c: Context<SandboxEnv>, place: ProviderContext<AtlassianState>) {
  const grant = place.grant(c.req.raw);
  const account = place.world().accounts.find(({ accountId }) => accountId === grant?.account);
  if (!grant || !account) return sendUnauthorized(c);
  if (!grant.scopes.includes("read:me")) return c.json({ code: 403, message: "Forbidden" }, 403);
  return c.json({
    account_type: "atlassian",
    account_id: account.accountId,
    email: account.emailAddress,
    name: account.displayName,
    picture: getAvatarUrl(c.req.raw, account.displayName),
    account_status: account.active ? "active" : "inactive",
    nickname: account.displayName,
    zoneinfo: account.timeZone,
    locale: "en-US",
    extended_profile: {},
  });
}
