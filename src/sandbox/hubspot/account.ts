import type { Context, Hono } from "hono";
import { type HubspotEnv, requireScope } from "./access.ts";
import { badRequestError, notFoundError } from "./errors.ts";
import { OBJECT_TYPES } from "./properties.ts";
import { toOwnerView, toPagingView, toPipelineView } from "./views.ts";

/** The account, its owners and its pipelines of deals (developers.hubspot.com/docs/api-reference: account information, owners, pipelines). */
export function registerAccountRoutes(app: Hono<HubspotEnv>): void {
  app.get("/account-info/v3/details", (c) => {
    const { portalId, companyCurrency, timeZone } = c.get("world").portal;
    const rest = { additionalCurrencies: [], utcOffset: "+01:00", utcOffsetMilliseconds: 3_600_000 };
    const { host } = new URL(c.req.url);
    const hosting = { uiDomain: host, dataHostingLocation: "eu1" };
    return c.json({ portalId, accountType: "STANDARD", timeZone, companyCurrency, ...rest, ...hosting });
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
