import type { Context, Hono } from "hono";
import type { Place } from "../provider.ts";
import { type HubspotEnv, need, scopeOf } from "./access.ts";
import { badRequest } from "./errors.ts";
import { objectTypeOf } from "./properties.ts";
import { archivedOf, archiveRecord, changeRecord, createRecord, recordWith } from "./records.ts";
import { bodyOf, namesIn, typeIn } from "./request.ts";
import { search } from "./search.ts";
import { pagingView, recordView, tiedTo, tieName } from "./views.ts";
import type { CrmRecord, HubspotWorld, ObjectType } from "./world.ts";

const OBJECTS = "/crm/v3/objects/:type";
const ONE = `${OBJECTS}/:id`;

/** Records of the CRM (https://developers.hubspot.com/docs/api-reference, "CRM objects"), one at a time. */
export function objectRoutes(app: Hono<HubspotEnv>, place: Place<HubspotWorld>): void {
  app.post(`${OBJECTS}/search`, (c) => find(c));
  app.get(OBJECTS, (c) => list(c));
  app.post(OBJECTS, async (c) => {
    const type = typeIn(c, "write");
    const record = createRecord(place, type, await bodyOf(c));
    place.changed();
    return c.json(recordView(record, type, Object.keys(record.properties)), 201);
  });
  app.get(ONE, (c) => {
    const type = typeIn(c, "read");
    return c.json(view(c, type, recordIn(c, type)));
  });
  app.patch(ONE, async (c) => {
    const type = typeIn(c, "write");
    const record = recordWith(c.get("world")[type], type, c.req.param("id"), c.req.query("idProperty"));
    const names = changeRecord(place, type, record, (await bodyOf(c)).properties);
    place.changed();
    return c.json(recordView(record, type, names));
  });
  app.delete(ONE, (c) => {
    archiveRecord(place, typeIn(c, "write"), c.req.param("id"));
    place.changed();
    return c.body(null, 204);
  });
}

async function find(c: Context<HubspotEnv>) {
  const type = typeIn(c, "read");
  const body = await bodyOf(c);
  const { found, start, limit } = search(c.get("world")[type], type, body);
  const asked = namesIn(body, "properties");
  const results = found.slice(start, start + limit).map((record) => recordView(record, type, asked));
  const next = start + limit < found.length ? { paging: { next: { after: String(start + limit) } } } : {};
  return c.json({ total: found.length, results, ...next });
}

function list(c: Context<HubspotEnv>) {
  const type = typeIn(c, "read");
  const limit = Number(c.req.query("limit") ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw badRequest("The page size must be between 1 and 100.");
  const after = c.req.query("after");
  const records = [...recordsOf(c, type)].sort((a, b) => Number(a.id) - Number(b.id));
  const start = after === undefined ? 0 : records.findIndex(({ id }) => Number(id) >= Number(after));
  if (start < 0) return c.json({ results: [] });
  const results = records.slice(start, start + limit).map((record) => view(c, type, record));
  const next = records[start + limit];
  return c.json({ results, ...(next ? pagingView(c, Number(next.id), Number.POSITIVE_INFINITY) : {}) });
}

/** The living records, or the archived ones when they are asked for. */
function recordsOf(c: Context<HubspotEnv>, type: ObjectType): CrmRecord[] {
  const world = c.get("world");
  return c.req.query("archived") === "true" ? archivedOf(world, type) : world[type];
}

function recordIn(c: Context<HubspotEnv>, type: ObjectType): CrmRecord {
  return recordWith(recordsOf(c, type), type, c.req.param("id") ?? "", c.req.query("idProperty"));
}

function view(c: Context<HubspotEnv>, type: ObjectType, record: CrmRecord) {
  const asked = listed(c, "properties");
  const associations = listed(c, "associations").flatMap((name) => {
    const other = objectTypeOf(name);
    if (!other) throw badRequest(`${name} is not a valid object type`);
    need(c, scopeOf(other, "read"));
    const ids = tiedTo(c.get("world"), type, record, other);
    return ids.length === 0 ? [] : [[other, { results: ids.map((id) => ({ id, type: tieName(type, other) })) }]];
  });
  return {
    ...recordView(record, type, asked),
    ...(associations.length > 0 ? { associations: Object.fromEntries(associations) } : {}),
  };
}

/** A parameter that is given many times, or once with commas. */
function listed(c: Context<HubspotEnv>, name: string): string[] {
  return (c.req.queries(name) ?? []).flatMap((names) => names.split(",")).filter(Boolean);
}
