import type { Context, Hono } from "hono";
import { parseQueryList } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import { getScope, type HubspotEnv, parseBody, parseNames, parseObjectType, requireScope } from "./access.ts";
import { badRequestError } from "./errors.ts";
import { findObjectType } from "./properties.ts";
import { archiveRecord, createRecord, findRecord, listArchived, updateRecord } from "./records.ts";
import { searchRecords } from "./search.ts";
import type { CrmRecord, HubspotState, ObjectType } from "./state.ts";
import { getAssociationName, listAssociated, toPagingView, toRecordView } from "./views.ts";

const OBJECTS = "/crm/v3/objects/:type";
const ONE = `${OBJECTS}/:id`;

/** Records of the CRM (https://developers.hubspot.com/docs/api-reference, "CRM objects"), one at a time. */
export function registerObjectRoutes(app: Hono<HubspotEnv>, provider: ProviderContext<HubspotState>): void {
  app.post(`${OBJECTS}/search`, (c) => find(c));
  app.get(OBJECTS, (c) => list(c));
  app.post(OBJECTS, async (c) => {
    const type = parseObjectType(c, "write");
    const record = createRecord(provider, type, await parseBody(c));
    provider.save();
    return c.json(toRecordView(record, type, Object.keys(record.properties)), 201);
  });
  app.get(ONE, (c) => {
    const type = parseObjectType(c, "read");
    return c.json(toView(c, type, getRecord(c, type)));
  });
  app.patch(ONE, async (c) => {
    const type = parseObjectType(c, "write");
    const record = findRecord(c.get("world")[type], type, c.req.param("id"), c.req.query("idProperty"));
    const names = updateRecord(provider, type, record, (await parseBody(c)).properties);
    provider.save();
    return c.json(toRecordView(record, type, names));
  });
  app.delete(ONE, (c) => {
    archiveRecord(provider, parseObjectType(c, "write"), c.req.param("id"));
    provider.save();
    return c.body(null, 204);
  });
}

async function find(c: Context<HubspotEnv>) {
  const type = parseObjectType(c, "read");
  const body = await parseBody(c);
  const { matches, start, limit } = searchRecords(c.get("world")[type], type, body);
  const properties = parseNames(body, "properties");
  const results = matches.slice(start, start + limit).map((record) => toRecordView(record, type, properties));
  const next = start + limit < matches.length ? { paging: { next: { after: String(start + limit) } } } : {};
  return c.json({ total: matches.length, results, ...next });
}

function list(c: Context<HubspotEnv>) {
  const type = parseObjectType(c, "read");
  const limit = Number(c.req.query("limit") ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw badRequestError("The page size must be between 1 and 100.");
  const after = c.req.query("after");
  const records = [...getRecords(c, type)].sort((a, b) => Number(a.id) - Number(b.id));
  const start = after === undefined ? 0 : records.findIndex(({ id }) => Number(id) >= Number(after));
  if (start < 0) return c.json({ results: [] });
  const results = records.slice(start, start + limit).map((record) => toView(c, type, record));
  const next = records[start + limit];
  return c.json({ results, ...(next ? toPagingView(c, Number(next.id), Number.POSITIVE_INFINITY) : {}) });
}

/** Returns the active records, or the archived ones on request. */
function getRecords(c: Context<HubspotEnv>, type: ObjectType): CrmRecord[] {
  const world = c.get("world");
  return c.req.query("archived") === "true" ? listArchived(world, type) : world[type];
}

function getRecord(c: Context<HubspotEnv>, type: ObjectType): CrmRecord {
  return findRecord(getRecords(c, type), type, c.req.param("id") ?? "", c.req.query("idProperty"));
}

function toView(c: Context<HubspotEnv>, type: ObjectType, record: CrmRecord) {
  const properties = parseQueryList(c, "properties");
  const associations = parseQueryList(c, "associations").flatMap((name) => {
    const otherType = findObjectType(name);
    if (!otherType) throw badRequestError(`${name} is not a valid object type`);
    requireScope(c, getScope(otherType, "read"));
    const ids = listAssociated(c.get("world"), type, record, otherType);
    return ids.length === 0
      ? []
      : [[otherType, { results: ids.map((id) => ({ id, type: getAssociationName(type, otherType) })) }]];
  });
  return {
    ...toRecordView(record, type, properties),
    ...(associations.length > 0 ? { associations: Object.fromEntries(associations) } : {}),
  };
}
