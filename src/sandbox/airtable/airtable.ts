import { Hono } from "hono";
import { html } from "hono/html";
import { toOAuthError, toTokenBody } from "../oauth/token.ts";
import type { OAuthTraits, Provider, ProviderContext, SandboxEnv } from "../provider.ts";
import { renderFacts, sendWebPage } from "../web-page.ts";
import { type AirtableEnv, findBase, listBases, requireScope, requireToken, SCOPES } from "./access.ts";
import { buildAirtable } from "./build.ts";
import { toScalar } from "./cells.ts";
import { DEFAULT_SEED } from "./default-seed.ts";
import { notFoundError } from "./errors.ts";
import { registerRecordRoutes } from "./records.ts";
import { AirtableSeed } from "./seed.ts";
import type { AirtableState } from "./state.ts";
import { toBaseView, toTableView } from "./views.ts";

const HOUR = 3_600;
const SIXTY_DAYS = 5_184_000;

/**
 * OAuth 2.0 at Airtable (airtable.com/developers/web/api/oauth-reference): PKCE is required; access tokens last an
 * hour, refresh tokens 60 days.
 */
const oauth: OAuthTraits = {
  authorizePath: "/oauth2/v1/authorize",
  tokenPath: "/oauth2/v1/token",
  subject: () => "Airtable",
  scopes: SCOPES,
  needsChallenge: true,
  accessSeconds: HOUR,
  refreshSeconds: SIXTY_DAYS,
  refresh: "rotating",
  answer: (tokens) => ({ ...toTokenBody(tokens), refresh_expires_in: SIXTY_DAYS }),
  errors: {
    client: toOAuthError(401, "invalid_client", "Client authentication failed"),
    code: toOAuthError(400, "invalid_grant", "Authorization code is invalid"),
    refresh: toOAuthError(400, "invalid_grant", "Refresh token is invalid"),
    grant_type: toOAuthError(400, "unsupported_grant_type", "Grant type is not supported"),
    request: toOAuthError(400, "invalid_request", "The request body cannot be read"),
  },
};

/** Stand-in for airtable.com and api.airtable.com, on one origin. */
export const airtable: Provider<AirtableState> = {
  name: "airtable",
  title: "Airtable",
  oauth,
  seed: AirtableSeed,
  builtIn: DEFAULT_SEED,
  build: (seed, now) => buildAirtable(seed as AirtableSeed, now),
  accounts: (world) => world.accounts,
  routes(app, provider) {
    const v0 = new Hono<AirtableEnv>();
    v0.use(requireToken(provider));
    registerMetaRoutes(v0);
    registerRecordRoutes(v0, provider);
    v0.all("/*", () => {
      throw notFoundError();
    });
    app.route("/v0", v0);
    registerWebPages(app, provider);
  },
};

/** The account, its bases, and their tables (airtable.com/developers/web/api/list-bases). */
function registerMetaRoutes(app: Hono<AirtableEnv>): void {
  app.get("/meta/whoami", (c) => {
    const { id, email } = c.get("account");
    const { scopes } = c.get("grant");
    return c.json({ id, scopes, ...(scopes.includes("user.email:read") ? { email } : {}) });
  });
  app.get("/meta/bases", requireScope("schema.bases:read"), (c) => c.json({ bases: listBases(c).map(toBaseView) }));
  app.get("/meta/bases/:base/tables", requireScope("schema.bases:read"), (c) =>
    c.json({ tables: findBase(c).tables.map(toTableView) }),
  );
}

/** Read-only pages that links lead to: `/<base>`, `/<base>/<table>` and `/<base>/<table>/<record>`. */
function registerWebPages(app: Hono<SandboxEnv>, provider: ProviderContext<AirtableState>): void {
  app.get("/:base{app[A-Za-z0-9]{14}}/:table?/:record?", (c) => {
    const world = provider.world();
    const base = world.bases.find(({ id }) => id === c.req.param("base"));
    const table = base?.tables.find(({ id }) => id === c.req.param("table"));
    const record = table?.records.find(({ id }) => id === c.req.param("record"));
    const names = [c.req.param("table"), c.req.param("record")].filter((segment) => segment !== undefined).length;
    const count = [table, record].filter((item) => item !== undefined).length;
    if (!base || count < names) return c.notFound();
    const getRecordName = (record: { fields: Record<string, unknown> }) =>
      String(record.fields[table?.fields[0]?.name ?? ""] ?? "Unnamed record");
    const title = record ? getRecordName(record) : table ? `${table.name} (${base.name})` : base.name;
    const lines = table ? table.records.map(getRecordName) : base.tables.map((table) => table.name);
    if (!record || !table) return sendWebPage(c, title, html`<ul>${lines.map((line) => html`<li>${line}</li>`)}</ul>`);
    const facts = table.fields.map((field) => [field.name, String(toScalar(field, record, base, world) ?? "")]);
    return sendWebPage(c, title, renderFacts(Object.fromEntries(facts)));
  });
}
