import type { Context, Hono } from "hono";
import type { Place } from "../provider.ts";
import { type HubspotEnv, need, scopeOf } from "./access.ts";
import { badRequest, HubspotRefusal, notFound } from "./errors.ts";
import { isObjectType } from "./properties.ts";
import { search } from "./search.ts";
import { checked } from "./validate.ts";
import { pagingView, recordView, tiedTo, tieName } from "./views.ts";
import type { CrmRecord, HubspotWorld, ObjectType } from "./world.ts";

const OBJECTS = "/crm/v3/objects/:type";
const ONE = `${OBJECTS}/:id`;

/** Records of the CRM (https://developers.hubspot.com/docs/api-reference, "CRM objects"). */
export function objectRoutes(app: Hono<HubspotEnv>, place: Place<HubspotWorld>): void {
  app.post(`${OBJECTS}/search`, (c) => find(c));
  app.post(`${OBJECTS}/batch/read`, (c) => readMany(c));
  app.get(OBJECTS, (c) => list(c));
  app.post(OBJECTS, (c) => create(c, place));
  app.get(ONE, (c) => show(c));
  app.patch(ONE, (c) => edit(c, place));
  app.delete(ONE, (c) => archive(c, place));
}

async function find(c: Context<HubspotEnv>) {
  const type = typeOf(c, "read");
  const body = await bodyOf(c);
  const { found, start, limit } = search(c.get("world")[type], type, body);
  const asked = Array.isArray(body.properties) ? body.properties.map(String) : undefined;
  const results = found.slice(start, start + limit).map((record) => recordView(record, type, asked));
  const next = start + limit < found.length ? { paging: { next: { after: String(start + limit) } } } : {};
  return c.json({ total: found.length, results, ...next });
}

async function readMany(c: Context<HubspotEnv>) {
  const type = typeOf(c, "read");
  const body = await bodyOf(c);
  const inputs = (Array.isArray(body.inputs) ? body.inputs : []) as { id?: unknown }[];
  if (inputs.length > 100) throw badRequest("The maximum number of inputs is 100.");
  const asked = Array.isArray(body.properties) ? body.properties.map(String) : undefined;
  const results = c
    .get("world")
    [type].filter(({ id }) => inputs.some((input) => String(input.id) === id))
    .map((record) => recordView(record, type, asked));
  return c.json({ status: "COMPLETE", results });
}

function list(c: Context<HubspotEnv>) {
  const type = typeOf(c, "read");
  const limit = Number(c.req.query("limit") ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw badRequest("The page size must be between 1 and 100.");
  const after = c.req.query("after");
  const records = [...c.get("world")[type]].sort((a, b) => Number(a.id) - Number(b.id));
  const start = after === undefined ? 0 : records.findIndex(({ id }) => Number(id) >= Number(after));
  if (start < 0) return c.json({ results: [] });
  const results = records.slice(start, start + limit).map((record) => view(c, type, record));
  const next = records[start + limit];
  return c.json({ results, ...(next ? pagingView(c, Number(next.id), Number.POSITIVE_INFINITY) : {}) });
}

function show(c: Context<HubspotEnv>) {
  const type = typeOf(c, "read");
  return c.json(view(c, type, recordOf(c, type)));
}

async function create(c: Context<HubspotEnv>, place: Place<HubspotWorld>) {
  const type = typeOf(c, "write");
  const world = c.get("world");
  const body = await bodyOf(c);
  const properties = checked(world, type, body.properties);
  const time = new Date(place.now()).toISOString();
  const record: CrmRecord = {
    id: String(Math.max(1_000, ...allOf(world).map(({ id }) => Number(id))) + 1),
    properties: type === "contacts" ? { lifecyclestage: "lead", ...properties } : properties,
    createdAt: time,
    updatedAt: time,
    contacts: [],
    deals: [],
  };
  tie(world, type, record, body.associations);
  world[type].push(record);
  place.changed();
  return c.json(recordView(record, type, Object.keys(record.properties)), 201);
}

async function edit(c: Context<HubspotEnv>, place: Place<HubspotWorld>) {
  const type = typeOf(c, "write");
  const record = recordOf(c, type);
  const { properties } = await bodyOf(c);
  const changes = checked(c.get("world"), type, properties, record);
  record.properties = Object.fromEntries(
    Object.entries({ ...record.properties, ...changes }).filter(([, value]) => value !== ""),
  );
  record.updatedAt = new Date(place.now()).toISOString();
  place.changed();
  return c.json(recordView(record, type, Object.keys(changes)));
}

function archive(c: Context<HubspotEnv>, place: Place<HubspotWorld>) {
  const type = typeOf(c, "write");
  const world = c.get("world");
  const { id } = c.req.param() as { id: string };
  world[type] = world[type].filter((record) => record.id !== id);
  if (type !== "notes") {
    for (const record of allOf(world)) record[type] = record[type].filter((one) => one !== id);
  }
  place.changed();
  return c.body(null, 204);
}

/** HubSpot's ids of its own kinds of association, by the two types. */
const TIES: Record<string, ObjectType | undefined> = {
  "deals 3": "contacts",
  "notes 202": "contacts",
  "notes 214": "deals",
  "contacts 4": "deals",
};

/** Tie a new record to others. Contacts are tied from the deal's side. */
function tie(world: HubspotWorld, type: ObjectType, record: CrmRecord, associations: unknown): void {
  const list = (Array.isArray(associations) ? associations : []) as {
    to?: { id?: unknown };
    types?: { associationTypeId?: unknown }[];
  }[];
  for (const { to, types = [] } of list) {
    const other = TIES[`${type} ${Number(types[0]?.associationTypeId)}`];
    if (!other) throw badRequest(`invalid associationTypeId ${String(types[0]?.associationTypeId)} for ${type}`);
    const found = world[other].find(({ id }) => id === String(to?.id));
    if (!found) throw badRequest(`One or more associations are not valid: ${tieName(type, other)} ${String(to?.id)}`);
    if (type === "contacts") found.contacts.push(record.id);
    else record[other === "contacts" ? "contacts" : "deals"].push(found.id);
  }
}

function view(c: Context<HubspotEnv>, type: ObjectType, record: CrmRecord) {
  const asked = c.req
    .queries("properties")
    ?.flatMap((names) => names.split(","))
    .filter(Boolean);
  const others = (c.req.queries("associations") ?? []).flatMap((names) => names.split(",")).filter(Boolean);
  const associations = others.flatMap((name) => {
    if (!isObjectType(name)) throw badRequest(`${name} is not a valid object type`);
    need(c, scopeOf(name, "read"));
    const ids = tiedTo(c.get("world"), type, record, name);
    return ids.length === 0 ? [] : [[name, { results: ids.map((id) => ({ id, type: tieName(type, name) })) }]];
  });
  return {
    ...recordView(record, type, asked),
    ...(associations.length > 0 ? { associations: Object.fromEntries(associations) } : {}),
  };
}

/** The type in the path, if the grant may do that with it. */
function typeOf(c: Context<HubspotEnv>, access: "read" | "write"): ObjectType {
  const type = c.req.param("type") ?? "";
  if (!isObjectType(type)) throw badRequest(`Unable to infer object type from: ${type}`);
  need(c, scopeOf(type, access));
  return type;
}

/** The record in the path, by id or by `idProperty`. */
function recordOf(c: Context<HubspotEnv>, type: ObjectType): CrmRecord {
  const wanted = c.req.param("id") ?? "";
  const unique = c.req.query("idProperty");
  if (unique !== undefined && unique !== "email") {
    throw new HubspotRefusal(400, "VALIDATION_ERROR", `${unique} is not a unique property of ${type}`);
  }
  const found = c
    .get("world")
    [type].find(({ id, properties }) =>
      unique === "email" ? properties.email?.toLowerCase() === wanted.toLowerCase() : id === wanted,
    );
  if (!found) throw notFound();
  return found;
}

async function bodyOf(c: Context): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw badRequest("Invalid input JSON");
  return body as Record<string, unknown>;
}

function allOf({ contacts, deals, notes }: HubspotWorld): CrmRecord[] {
  return [...contacts, ...deals, ...notes];
}
