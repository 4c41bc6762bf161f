import type { Context, Hono } from "hono";
import { isRecord, type JsonRecord } from "#protocol/json";
import { parseJsonObject, parseObjectList } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import { type AirtableEnv, findTable, requireScope } from "./access.ts";
import { findField, parseCell } from "./cells.ts";
import { invalidRequestError, notFoundError, parseError, unprocessableError } from "./errors.ts";
import { listRecords } from "./list.ts";
import type { AirtableRecord, AirtableState, Base, Table } from "./state.ts";
import { createRandomId } from "./state.ts";
import { toRecordView } from "./views.ts";

/** Maximum number of records that one request writes. */
const MAX_RECORDS = 10;

const TABLE = "/:base{app[A-Za-z0-9]{14}}/:table";
/** airtable.js appends a slash to paths that it writes to. */
const WRITE_PATHS = [TABLE, `${TABLE}/`];
const ONE = `${TABLE}/:record`;

/** Records (airtable.com/developers/web/api/list-records and its neighbours). */
export function registerRecordRoutes(app: Hono<AirtableEnv>, provider: ProviderContext<AirtableState>): void {
  const [read, write] = [requireScope("data.records:read"), requireScope("data.records:write")];
  app.get(TABLE, read, (c) => listRecords(c, provider));
  app.post(`${TABLE}/listRecords`, read, (c) => listRecords(c, provider));
  app.get(ONE, read, (c) => {
    const { table } = findTable(c);
    return c.json(toRecordView(table, getRecord(c, table), c.get("world")));
  });
  app.on("POST", WRITE_PATHS, write, (c) => create(c, provider));
  app.on("PATCH", WRITE_PATHS, write, (c) => updateMany(c, provider));
  app.on("DELETE", WRITE_PATHS, write, (c) => removeMany(c, provider));
  app.patch(ONE, write, (c) => updateOne(c, provider, false));
  app.put(ONE, write, (c) => updateOne(c, provider, true));
  app.delete(ONE, write, (c) => {
    const { table } = findTable(c, true);
    const { id } = getRecord(c, table);
    table.records = table.records.filter((record) => record.id !== id);
    provider.save();
    return c.json({ id, deleted: true });
  });
}

function getRecord(c: Context<AirtableEnv>, { records }: Table): AirtableRecord {
  const record = records.find(({ id }) => id === c.req.param("record"));
  if (!record) throw notFoundError();
  return record;
}

/** The fields of records: of one, or of each in `records`. */
type Body = { records: { id?: unknown; fields: JsonRecord }[]; isList: boolean; typecast: boolean };

async function parseBody(c: Context<AirtableEnv>): Promise<Body> {
  const { records, fields, typecast } = await parseJsonObject(c, parseError);
  const isList = records !== undefined;
  const list = isList ? parseObjectList(records, invalidRequestError) : [{ fields }];
  if (list.length === 0 || list.length > MAX_RECORDS) throw invalidRequestError();
  const checkedRecords = list.map((record) => {
    if (!isRecord(record.fields)) throw invalidRequestError();
    return { ...record, fields: record.fields };
  });
  return { records: checkedRecords, isList, typecast: typecast === true };
}

async function create(c: Context<AirtableEnv>, provider: ProviderContext<AirtableState>) {
  const { records, isList, typecast } = await parseBody(c);
  const { base, table } = findTable(c, true);
  const world = c.get("world");
  const createdRecords = records.map(({ fields }): AirtableRecord => {
    const record: AirtableRecord = {
      id: createRandomId("rec", provider.random),
      createdTime: provider.timestamp(),
      fields: {},
    };
    fill(record, fields, typecast, { base, table, world });
    return record;
  });
  table.records.push(...createdRecords);
  provider.save();
  const views = createdRecords.map((record) => toRecordView(table, record, world));
  return c.json(isList ? { records: views } : views[0]);
}

async function updateOne(c: Context<AirtableEnv>, provider: ProviderContext<AirtableState>, replacesAll: boolean) {
  const { records, typecast } = await parseBody(c);
  const { base, table } = findTable(c, true);
  const record = getRecord(c, table);
  const copy: AirtableRecord = { ...record, fields: replacesAll ? {} : { ...record.fields } };
  fill(copy, records[0]?.fields ?? {}, typecast, { base, table, world: c.get("world") });
  record.fields = copy.fields;
  provider.save();
  return c.json(toRecordView(table, record, c.get("world")));
}

/** Writes all or none: everything is validated first. */
async function updateMany(c: Context<AirtableEnv>, provider: ProviderContext<AirtableState>) {
  const { records, typecast } = await parseBody(c);
  const { base, table } = findTable(c, true);
  const world = c.get("world");
  const copies = records.map(({ id, fields }): AirtableRecord => {
    const record = requireRecord(table, id);
    const copy = { ...record, fields: { ...record.fields } };
    fill(copy, fields, typecast, { base, table, world });
    return copy;
  });
  for (const copy of copies) requireRecord(table, copy.id).fields = copy.fields;
  provider.save();
  return c.json({ records: copies.map((record) => toRecordView(table, record, world)) });
}

function removeMany(c: Context<AirtableEnv>, provider: ProviderContext<AirtableState>) {
  const { table } = findTable(c, true);
  const ids = c.req.queries("records[]") ?? [];
  if (ids.length === 0 || ids.length > MAX_RECORDS) throw invalidRequestError();
  for (const id of ids) requireRecord(table, id);
  table.records = table.records.filter(({ id }) => !ids.includes(id));
  provider.save();
  return c.json({ records: ids.map((id) => ({ id, deleted: true })) });
}

function requireRecord({ records }: Table, id: unknown): AirtableRecord {
  const match = records.find((record) => record.id === id);
  if (!match) throw unprocessableError("ROW_DOES_NOT_EXIST", `Record ID ${String(id)} does not exist in this table`);
  return match;
}

type CellContext = { base: Base; table: Table; world: AirtableState };

function fill(
  record: AirtableRecord,
  fields: Record<string, unknown>,
  typecast: boolean,
  { base, table, world }: CellContext,
): void {
  for (const [name, value] of Object.entries(fields)) {
    const field = findField(table, name);
    const cell = parseCell(field, value, typecast, base, world);
    if (cell === undefined) delete record.fields[field.name];
    else record.fields[field.name] = cell;
  }
}
