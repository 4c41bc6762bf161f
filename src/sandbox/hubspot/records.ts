import type { ProviderContext } from "../provider.ts";
import { associateAll } from "./association-types.ts";
import { HubspotError, notFoundError } from "./errors.ts";
import type { CrmRecord, HubspotState, ObjectType } from "./state.ts";
import { validateProperties } from "./validate.ts";

/** Finds the record with an ID, or with an address if `idProperty` says so. @throws HubspotRefusal 400, 404 */
export function findRecord(records: CrmRecord[], type: ObjectType, wanted: string, idProperty?: string): CrmRecord {
  if (idProperty !== undefined && !(idProperty === "email" && type === "contacts") && idProperty !== "hs_object_id") {
    throw new HubspotError(400, "VALIDATION_ERROR", `${idProperty} is not a unique property of ${type}`);
  }
  const record = records.find(({ id, properties }) =>
    idProperty === "email" ? properties.email?.toLowerCase() === wanted.toLowerCase() : id === wanted,
  );
  if (!record) throw notFoundError();
  return record;
}

/** Creates a record from `properties` and `associations`. @throws HubspotRefusal */
export function createRecord(
  provider: ProviderContext<HubspotState>,
  type: ObjectType,
  given: Record<string, unknown>,
): CrmRecord {
  const world = provider.world();
  const properties = validateProperties(world, type, given.properties);
  const time = new Date(provider.now()).toISOString();
  const record: CrmRecord = {
    id: String(Math.max(1_000, ...listAllRecords(world).map(({ id }) => Number(id))) + 1),
    properties: type === "contacts" ? { lifecyclestage: "lead", ...properties } : properties,
    createdAt: time,
    updatedAt: time,
    contacts: [],
    deals: [],
  };
  associateAll(world, type, record, given.associations);
  world[type].push(record);
  return record;
}

/**
 * Changes properties of a record.
 * @returns the names of the changed properties
 * @throws HubspotRefusal
 */
export function updateRecord(
  provider: ProviderContext<HubspotState>,
  type: ObjectType,
  record: CrmRecord,
  properties: unknown,
) {
  const changes = validateProperties(provider.world(), type, properties, record);
  record.properties = Object.fromEntries(
    Object.entries({ ...record.properties, ...changes }).filter(([, value]) => value !== ""),
  );
  record.updatedAt = new Date(provider.now()).toISOString();
  return Object.keys(changes);
}

/** Archives a record. A missing one counts as archived. */
export function archiveRecord(provider: ProviderContext<HubspotState>, type: ObjectType, id: string): void {
  const world = provider.world();
  const record = world[type].find((one) => one.id === id);
  if (!record) return;
  world[type] = world[type].filter((one) => one !== record);
  if (type !== "notes") for (const one of listAllRecords(world)) one[type] = one[type].filter((tied) => tied !== id);
  const archived = { ...record, contacts: [], deals: [], archivedAt: new Date(provider.now()).toISOString() };
  world.archived = { ...world.archived, [type]: [...listArchived(world, type), archived] };
}

export function listArchived(world: HubspotState, type: ObjectType): CrmRecord[] {
  return world.archived?.[type] ?? [];
}

/** IDs are never reused, so archived records count. */
function listAllRecords(world: HubspotState): CrmRecord[] {
  const types = ["contacts", "deals", "notes"] as const;
  return types.flatMap((type) => [...world[type], ...listArchived(world, type)]);
}
