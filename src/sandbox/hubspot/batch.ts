import type { Context, Hono } from "hono";
import { parseObjectList } from "../api.ts";
import type { ProviderContext } from "../provider.ts";
import type { HubspotEnv } from "./access.ts";
import { parseBody, parseNames, parseObjectType } from "./access.ts";
import { badRequestError, invalidInputError } from "./errors.ts";
import { archiveRecord, createRecord, findRecord, updateRecord } from "./records.ts";
import type { CrmRecord, HubspotState, ObjectType } from "./state.ts";
import { toRecordView } from "./views.ts";

const BATCH = "/crm/v3/objects/:type/batch";
type Input = { id?: unknown; idProperty?: unknown; properties?: unknown; associations?: unknown };

/**
 * Up to 100 records at once (developers.hubspot.com/docs/api-reference, "CRM objects", batch): changes are all or none.
 */
export function registerBatchRoutes(app: Hono<HubspotEnv>, provider: ProviderContext<HubspotState>): void {
  app.post(`${BATCH}/read`, (c) => readMany(c, provider));
  app.post(`${BATCH}/create`, async (c) => {
    const type = parseObjectType(c, "write");
    const inputs = parseInputs(await parseBody(c));
    const results = applyAtOnce(provider, () => inputs.map((input) => createRecord(provider, type, input)));
    return c.json(
      complete(
        provider,
        results.map((record) => toRecordView(record, type, Object.keys(record.properties))),
      ),
      201,
    );
  });
  app.post(`${BATCH}/update`, async (c) => {
    const type = parseObjectType(c, "write");
    const inputs = parseInputs(await parseBody(c));
    const results = applyAtOnce(provider, () => inputs.map((input) => applyChange(provider, type, input)));
    return c.json(complete(provider, results));
  });
  app.post(`${BATCH}/archive`, async (c) => {
    const type = parseObjectType(c, "write");
    for (const { id } of parseInputs(await parseBody(c))) archiveRecord(provider, type, String(id));
    provider.save();
    return c.body(null, 204);
  });
}

/** Returns the existing ones, each once; 207 names the missing ones. */
async function readMany(c: Context<HubspotEnv>, provider: ProviderContext<HubspotState>) {
  const type = parseObjectType(c, "read");
  const body = await parseBody(c);
  const ids = [...new Set(parseInputs(body).map(({ id }) => String(id)))];
  const idProperty = body.idProperty === undefined ? undefined : String(body.idProperty);
  const records = c.get("world")[type];
  const getKey = (record: CrmRecord) => (idProperty === "email" ? (record.properties.email ?? "") : record.id);
  const matchesId = (record: CrmRecord, id: string) => getKey(record).toLowerCase() === id.toLowerCase();
  const matches = records.filter((record) => ids.some((id) => matchesId(record, id)));
  const missingIds = ids.filter((id) => !matches.some((record) => matchesId(record, id)));
  const results = matches.map((record) => toRecordView(record, type, parseNames(body, "properties")));
  if (missingIds.length === 0) return c.json(complete(provider, results));
  const name = { contacts: "CONTACT", deals: "DEAL", notes: "NOTE" }[type];
  const error = {
    status: "error",
    category: "OBJECT_NOT_FOUND",
    message: `Could not get some ${name} objects, they may be deleted or not exist. Check that ids are valid.`,
    context: { ids: missingIds },
  };
  return c.json({ ...complete(provider, results), numErrors: 1, errors: [error] }, 207);
}

function applyChange(provider: ProviderContext<HubspotState>, type: ObjectType, { id, idProperty, properties }: Input) {
  const unique = idProperty === undefined ? undefined : String(idProperty);
  const record = findRecord(provider.world()[type], type, String(id), unique);
  return toRecordView(record, type, updateRecord(provider, type, record, properties));
}

function parseInputs(body: Record<string, unknown>): Input[] {
  const inputs: Input[] = parseObjectList(body.inputs, invalidInputError);
  if (inputs.length > 100) throw badRequestError("The maximum number of inputs is 100.");
  return inputs;
}

/** An invalid input stops the whole batch. */
function applyAtOnce<T>(provider: ProviderContext<HubspotState>, work: () => T): T {
  const world = provider.world();
  const oldWorld = structuredClone(world);
  try {
    const result = work();
    provider.save();
    return result;
  } catch (error) {
    Object.assign(world, oldWorld);
    throw error;
  }
}

function complete<T>(provider: ProviderContext<HubspotState>, results: T[]) {
  const time = provider.timestamp();
  return { status: "COMPLETE", results, startedAt: time, completedAt: time };
}
