import { type Context, Hono } from "hono";
import { getAvatarUrl } from "../files.ts";
import { createUuidFromName } from "../ids.ts";
import { toOAuthError, toTokenBody } from "../oauth/token.ts";
import type { OAuthTraits, Provider } from "../provider.ts";
import { createSeedLookup, requireUnique, requireUniqueValues } from "../seed-build.ts";
import { buildSite } from "./build-site.ts";
import { createConfluenceApp } from "./confluence/confluence.ts";
import { DEFAULT_SEED } from "./default-seed.ts";
import {
  type AtlassianEnv,
  gatewayError,
  getScopesAt,
  getSiteUrl,
  listSites,
  requireSite,
  requireToken,
  type SiteEnv,
} from "./gateway.ts";
import { createJiraApp, createJiraTextApp } from "./jira/jira.ts";
import { AtlassianSeed } from "./seed.ts";
import type { AtlassianState } from "./state.ts";
import { registerWebPages } from "./web-pages.ts";

/**
 * Scopes of Atlassian apps, in words (developer.atlassian.com/cloud/jira/platform/scopes-for-oauth-2-3LO-and-forge-apps
 * and the same page of Confluence): the classic ones, and the granular ones that Confluence's REST API v2 asks for.
 */
const JIRA_SCOPES: Record<string, string> = {
  "read:jira-work": "See Jira projects, issues and their comments",
  "write:jira-work": "Create, edit, move and comment on Jira issues",
  "read:jira-user": "See who people are in Jira",
};

const CONFLUENCE_SCOPES: Record<string, string> = {
  "search:confluence": "Search Confluence",
  "read:confluence-content.all": "Read Confluence content",
  "read:confluence-content.summary": "Read summaries of Confluence content",
  "read:confluence-space.summary": "Read summaries of Confluence spaces",
  "read:confluence-user": "See who people are in Confluence",
  "write:confluence-content": "Create and edit Confluence content",
  "read:content:confluence": "See Confluence content",
  "read:content-details:confluence": "Search Confluence content and see its details",
  "read:page:confluence": "Read Confluence pages",
  "write:page:confluence": "Create and edit Confluence pages",
  "delete:page:confluence": "Delete Confluence pages",
  "read:comment:confluence": "Read comments on Confluence pages",
  "write:comment:confluence": "Comment on Confluence pages",
  "read:space:confluence": "See Confluence spaces",
  "read:space-details:confluence": "See details of Confluence spaces",
  "read:user:confluence": "See who people are in Confluence",
};

const SCOPES: Record<string, string> = {
  ...JIRA_SCOPES,
  ...CONFLUENCE_SCOPES,
  "read:me": "See your name, email address and picture",
  "read:account": "See your account",
  offline_access: "Stay connected when you are not here",
};

/**
 * Atlassian's OAuth 2.0 (3LO). Errors are as observed at its token endpoint: a spent or revoked refresh token gets 403
 * `unauthorized_client`, an invalid code `invalid_request`, a wrong secret `access_denied`.
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
  // Named by auth.atlassian.com/.well-known/oauth-authorization-server/…
  revocation: { path: "/oauth/revoke", covers: "account" },
  answer: toTokenBody,
  errors: {
    client: toOAuthError(401, "access_denied", "Unauthorized"),
    code: toOAuthError(400, "invalid_request", "authorization_code is invalid"),
    refresh: toOAuthError(403, "unauthorized_client", "refresh_token is invalid"),
    grant_type: toOAuthError(400, "unsupported_grant_type", "grant_type is not supported"),
    request: toOAuthError(400, "invalid_request", "The request body cannot be read"),
  },
};

/** Stand-in for auth.atlassian.com and api.atlassian.com, on one origin. */
export const atlassian: Provider<AtlassianState> = {
  name: "atlassian",
  title: "Atlassian",
  oauth,
  seed: AtlassianSeed,
  builtIn: DEFAULT_SEED,
  build: (data, now) => buildAtlassian(data as AtlassianSeed, now),
  accounts: (world) =>
    world.accounts.map(({ accountId, displayName, emailAddress }) => ({
      id: accountId,
      name: displayName,
      email: emailAddress,
    })),
  routes(app, provider) {
    const identity = new Hono<AtlassianEnv>();
    identity.get("/oauth/token/accessible-resources", requireToken(provider), sendResources);
    identity.get("/me", requireToken(provider), sendProfile);
    app.route("/", identity);
    const products = new Hono<SiteEnv>();
    products.use("/jira/:cloudid/*", requireToken(provider), requireSite(provider));
    products.use("/confluence/:cloudid/*", requireToken(provider), requireSite(provider));
    products.route("/jira/:cloudid/rest/api/3", createJiraApp(provider));
    products.route("/jira/:cloudid/rest/api/2", createJiraTextApp(provider));
    products.route("/confluence/:cloudid/wiki", createConfluenceApp(provider));
    app.route("/ex", products);
    registerWebPages(app, provider);
  },
};

function getProducts(scopes: string[]): string {
  const opens = (product: Record<string, string>) => scopes.some((scope) => Object.hasOwn(product, scope));
  const names = [opens(JIRA_SCOPES) && "Jira", opens(CONFLUENCE_SCOPES) && "Confluence"].filter(Boolean);
  return names.join(" and ") || "your account";
}

/** `GET /oauth/token/accessible-resources`: an entry for each site and product that the token has scopes for. */
function sendResources(c: Context<AtlassianEnv>) {
  const { account, scopes } = c.get("grant");
  const entries = listSites(c.get("world"), account).flatMap((site) =>
    [JIRA_SCOPES, CONFLUENCE_SCOPES].map((product) => ({
      id: site.id,
      url: getSiteUrl(site, c.req.raw),
      name: site.name,
      scopes: getScopesAt(site, scopes).filter((scope) => Object.hasOwn(product, scope)),
      avatarUrl: getAvatarUrl(c.req.raw, site.name),
    })),
  );
  return c.json(entries.filter(({ scopes }) => scopes.length > 0));
}

/** `GET /me` (User identity API); needs `read:me`. */
function sendProfile(c: Context<AtlassianEnv>) {
  const account = c.get("account");
  if (!c.get("grant").scopes.includes("read:me")) throw gatewayError(403, "Forbidden");
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

/** Fills in an Atlassian seed. @throws SeedError */
function buildAtlassian(data: AtlassianSeed, now: number): AtlassianState {
  const accounts = data.accounts.map((account) => ({ timeZone: "UTC", active: true, ...account }));
  requireUnique(accounts, "accounts", "accountId");
  requireUniqueValues(
    data.sites.map(({ name }) => name.toLowerCase()),
    (index) => `sites[${index}].name`,
  );
  const lookup = createSeedLookup(
    accounts.map(({ accountId: id, displayName, emailAddress }) => ({ id, names: [emailAddress, displayName] })),
    { now, days: 14 },
  );
  const siteLookup = { ...lookup, first: accounts[0]?.accountId ?? "" };
  const sites = data.sites.map((site, index) =>
    buildSite({ id: createUuidFromName(`site ${site.name}`), ...site }, siteLookup, `sites[${index}]`),
  );
  requireUnique(sites, "sites", "id");
  return { accounts, sites };
}
