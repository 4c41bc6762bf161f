import type { Place } from "../provider.ts";
import { HubspotRefusal, notFound } from "./errors.ts";
import { tieAll } from "./ties.ts";
import { checked } from "./validate.ts";
import type { CrmRecord, HubspotWorld, ObjectType } from "./world.ts";

/** The record with an id, or with the address that `idProperty` says it is. @throws HubspotRefusal 400, 404 */
export function recordWith(records: CrmRecord[], type: ObjectType, wanted: string, idProperty?: string): CrmRecord {
  if (idProperty !== undefined && !(idProperty === "email" && type === "contacts") && idProperty !== "hs_object_id") {
    throw new HubspotRefusal(400, "VALIDATION_ERROR", `${idProperty} is not a unique property of ${type}`);
  }
  const found = records.find(({ id, properties }) =>
    idProperty === "email" ? properties.email?.toLowerCase() === wanted.toLowerCase() : id === wanted,
  );
  if (!found) throw notFound();
  return found;
}

/** Make a record from `properties` and `associations`, and add it. @throws HubspotRefusal */
export function createRecord(place: Place<HubspotWorld>, type: ObjectType, given: Record<string, unknown>): CrmRecord {
  const world = place.world();
  const properties = checked(world, type, given.properties);
  const time = new Date(place.now()).toISOString();
  const record: CrmRecord = {
    id: String(Math.max(1_000, ...everyRecord(world).map(({ id }) => Number(id))) + 1),
    properties: type === "contacts" ? { lifecyclestage: "lead", ...properties } : properties,
    createdAt: time,
    updatedAt: time,
    contacts: [],
    deals: [],
  };
  tieAll(world, type, record, given.associations);
  world[type].push(record);
  return record;
}

/** Change properties of a record. @returns names of those that were given @throws HubspotRefusal */
export function changeRecord(place: Place<HubspotWorld>, type: ObjectType, record: CrmRecord, properties: unknown) {
  const changes = checked(place.world(), type, properties, record);
  record.properties = Object.fromEntries(
    Object.entries({ ...record.properties, ...changes }).filter(([, value]) => value !== ""),
  );
  record.updatedAt = new Date(place.now()).toISOString();
  return Object.keys(changes);
}

/** Put a record where only those who ask for archived ones see it; one that is not there is as good as archived. */
export function archiveRecord(place: Place<HubspotWorld>, type: ObjectType, id: string): void {
  const world = place.world();
  const record = world[type].find((one) => one.id === id);
  if (!record) return;
  world[type] = world[type].filter((one) => one !== record);
  if (type !== "notes") for (const one of everyRecord(world)) one[type] = one[type].filter((tied) => tied !== id);
  const archived = { ...record, contacts: [], deals: [], archivedAt: new Date(place.now()).toISOString() };
  world.archived = { ...world.archived, [type]: [...archivedOf(world, type), archived] };
}

export function archivedOf(world: HubspotWorld, type: ObjectType): CrmRecord[] {
  return world.archived?.[type] ?? [];
}

/** Ids are never given twice, and so the archived ones count. */
function everyRecord(world: HubspotWorld): CrmRecord[] {
  const types = ["contacts", "deals", "notes"] as const;
  return types.flatMap((type) => [...world[type], ...archivedOf(world, type)]);
}
