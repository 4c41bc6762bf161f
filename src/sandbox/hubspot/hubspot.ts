import { type Context, Hono } from "hono";
import type { OAuthTraits, Provider, ProviderContext, SandboxEnv } from "../provider.ts";
import { type HubspotEnv, requireScope, requireToken, SCOPES } from "./access.ts";
import { registerAssociationRoutes } from "./associations.ts";
import { registerBatchRoutes } from "./batch.ts";
import { buildHubspot } from "./build.ts";
import { DEFAULT_SEED } from "./default-seed.ts";
import { badRequestError, notFoundError } from "./errors.ts";
import { registerObjectRoutes } from "./objects.ts";
import { OBJECT_TYPES } from "./properties.ts";
import { HubspotSeed } from "./seed.ts";
import type { HubspotState } from "./state.ts";
import { toOwnerView, toPagingView, toPipelineView } from "./views.ts";
import { registerWebPages } from "./web-pages.ts";

/**
 * OAuth at HubSpot (developers.hubspot.com/docs/api-reference/auth-oauth-v3/guide): 30 minutes, a lasting refresh
 * token, its own error words.
 */
const oauth: OAuthTraits = {
  authorizePath: "/oauth/authorize",
  tokenPath: "/oauth/v3/token",
  olderTokenPaths: ["/oauth/v1/token"],
  subject: () => "HubSpot",
  scopes: SCOPES,
  accessSeconds: 1800,
  refresh: "stable",
  revocation: { path: "/oauth/v3/token/revoke", covers: "consent" },
  answer: ({ access, refresh, scopes, expiresIn }) => ({
    token_type: "bearer",
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
    access_token: access,
    scopes,
    expires_in: expiresIn,
  }),
  errors: {
    client: { status: 400, body: { status: "BAD_CLIENT_ID", message: "missing or unknown client id" } },
    code: { status: 400, body: { status: "BAD_AUTH_CODE", message: "missing or unknown auth code" } },
    refresh: {
      status: 400,
      body: { status: "BAD_REFRESH_TOKEN", error: "invalid_grant", message: "missing or invalid refresh token" },
    },
    grant_type: { status: 400, body: { status: "BAD_GRANT_TYPE", message: "missing or unknown grant type" } },
    request: { status: 400, body: { status: "BAD_REQUEST", message: "the request body cannot be read" } },
  },
};

/** Stand-in for app.hubspot.com and api.hubapi.com, on one origin. */
export const hubspot: Provider<HubspotState> = {
  name: "hubspot",
  title: "HubSpot",
  oauth,
  seed: HubspotSeed,
  builtIn: DEFAULT_SEED,
  build: (seed, now) => buildHubspot(seed as HubspotSeed, now),
  accounts: (world) =>
    world.owners.map(({ userId, firstName, lastName, email }) => ({
      id: String(userId),
      name: `${firstName} ${lastName}`.trim(),
      email,
    })),
  routes(app, provider) {
    registerTokenRoutes(app, provider);
    registerWebPages(app, provider);
    const api = new Hono<HubspotEnv>();
    for (const path of ["/crm/*", "/account-info/*"]) api.use(path, requireToken(provider));
    registerAccountRoutes(api);
    registerBatchRoutes(api, provider);
    registerObjectRoutes(api, provider);
    registerAssociationRoutes(api, provider);
    for (const path of ["/crm/*", "/account-info/*"]) {
      api.all(path, () => {
        throw notFoundError();
      });
    }
    app.route("/", api);
  },
};

/**
 * Returns the details of a token: by introspection with the client's credentials (v3), or by the token in the path
 * (v1).
 */
function registerTokenRoutes(app: Hono<SandboxEnv>, provider: ProviderContext<HubspotState>): void {
  app.post("/oauth/v3/token/introspect", async (c) => {
    const form = new URLSearchParams(await c.req.text());
    const { id, secret } = provider.client;
    if (form.get("client_id") !== id || form.get("client_secret") !== secret) {
      return c.json(oauth.errors.client.body, 400);
    }
    const about = describeToken(provider, form.get("token") ?? "");
    return c.json(about ? { active: true, token_use: "access_token", client_id: id, ...about } : { active: false });
  });
  app.get("/oauth/v1/access-tokens/:token", (c) => {
    const about = describeToken(provider, c.req.param("token"));
    if (about) return c.json(about);
    return c.json({ status: "error", message: "access token is unknown or expired" }, 404);
  });
}

function describeToken(provider: ProviderContext<HubspotState>, token: string) {
  if (!/^[\x21-\x7e]+$/.test(token)) return undefined;
  const grant = provider.grant(new Request("http://localhost/", { headers: { authorization: `Bearer ${token}` } }));
  const { portal, owners } = provider.world();
  const owner = owners.find(({ userId }) => String(userId) === grant?.account);
  if (!grant || !owner) return undefined;
  return {
    token,
    user: owner.email,
    hub_domain: portal.hub_domain,
    scopes: grant.scopes,
    hub_id: portal.portalId,
    app_id: 100_001,
    expires_in: oauth.accessSeconds,
    user_id: owner.userId,
    token_type: "access",
    is_private_distribution: false,
  };
}

/**
 * The account, its owners and its pipelines of deals (developers.hubspot.com/docs/api-reference: account information,
 * owners, pipelines).
 */
function registerAccountRoutes(app: Hono<HubspotEnv>): void {
  app.get("/account-info/v3/details", (c) => {
    const { portalId, companyCurrency, timeZone } = c.get("world").portal;
    const currencyAndOffset = { additionalCurrencies: [], utcOffset: "+01:00", utcOffsetMilliseconds: 3_600_000 };
    const { host } = new URL(c.req.url);
    const hosting = { uiDomain: host, dataHostingLocation: "eu1" };
    return c.json({ portalId, accountType: "STANDARD", timeZone, companyCurrency, ...currencyAndOffset, ...hosting });
  });
  // HubSpot's own description of the list ends in a slash, so its clients request that.
  for (const path of ["/crm/v3/owners", "/crm/v3/owners/"]) app.get(path, (c) => sendOwners(c));
  app.get("/crm/v3/owners/:id", (c) => {
    requireScope(c, "crm.objects.owners.read");
    const by = c.req.query("idProperty") === "userId" ? "userId" : "id";
    const match = c.get("world").owners.find((owner) => String(owner[by]) === c.req.param("id"));
    if (!match) throw notFoundError();
    return c.json(toOwnerView(match));
  });
  for (const name of ["deals", "deal", OBJECT_TYPES.deals.typeId])
    registerPipelineRoutes(app, `/crm/v3/pipelines/${name}`);
}

function registerPipelineRoutes(app: Hono<HubspotEnv>, path: string): void {
  app.get(path, (c) => {
    requireScope(c, "crm.objects.deals.read");
    return c.json({ results: c.get("world").pipelines.map(toPipelineView) });
  });
  app.get(`${path}/:id`, (c) => c.json(findPipeline(c)));
  app.get(`${path}/:id/stages`, (c) => c.json({ results: findPipeline(c).stages }));
  app.get(`${path}/:id/stages/:stage`, (c) => {
    const stage = findPipeline(c).stages.find(({ id }) => id === c.req.param("stage"));
    if (!stage) throw notFoundError();
    return c.json(stage);
  });
}

function findPipeline(c: Context<HubspotEnv>) {
  requireScope(c, "crm.objects.deals.read");
  const index = c.get("world").pipelines.findIndex(({ id }) => id === c.req.param("id"));
  const pipeline = c.get("world").pipelines[index];
  if (!pipeline) throw notFoundError();
  return toPipelineView(pipeline, index);
}

function sendOwners(c: Context<HubspotEnv>) {
  requireScope(c, "crm.objects.owners.read");
  const email = c.req.query("email")?.toLowerCase();
  const limit = Number(c.req.query("limit") ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > 500)
    throw badRequestError("The page size must be between 1 and 500.");
  const start = Number(c.req.query("after") ?? 0) || 0;
  const owners = c.get("world").owners.filter((owner) => email === undefined || owner.email.toLowerCase() === email);
  return c.json({
    results: owners.slice(start, start + limit).map(toOwnerView),
    ...toPagingView(c, start + limit, owners.length),
  });
}
