import type { ProviderContext } from "../provider.ts";
import { associateAll } from "./association-types.ts";
import { badRequestError, hubspotError, notFoundError, wrongPropertiesError } from "./errors.ts";
import { LIFECYCLE_STAGES, OBJECT_TYPES } from "./properties.ts";
import type { CrmRecord, HubspotState, ObjectType } from "./state.ts";

/** Finds the record with an ID, or with an address if `idProperty` says so. @throws ApiError 400, 404 */
export function findRecord(records: CrmRecord[], type: ObjectType, reference: string, idProperty?: string): CrmRecord {
  if (idProperty !== undefined && !(idProperty === "email" && type === "contacts") && idProperty !== "hs_object_id") {
    throw hubspotError(400, "VALIDATION_ERROR", `${idProperty} is not a unique property of ${type}`);
  }
  const record = records.find(({ id, properties }) =>
    idProperty === "email" ? properties.email?.toLowerCase() === reference.toLowerCase() : id === reference,
  );
  if (!record) throw notFoundError();
  return record;
}

/** Creates a record from `properties` and `associations`. @throws ApiError */
export function createRecord(
  provider: ProviderContext<HubspotState>,
  type: ObjectType,
  input: Record<string, unknown>,
): CrmRecord {
  const world = provider.world();
  const properties = validateProperties(world, type, input.properties);
  const time = provider.timestamp();
  const record: CrmRecord = {
    id: String(Math.max(1_000, ...listAllRecords(world).map(({ id }) => Number(id))) + 1),
    properties: type === "contacts" ? { lifecyclestage: "lead", ...properties } : properties,
    createdAt: time,
    updatedAt: time,
    contacts: [],
    deals: [],
  };
  associateAll(world, type, record, input.associations);
  world[type].push(record);
  return record;
}

/**
 * Changes properties of a record.
 * @returns the names of the changed properties
 * @throws ApiError
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
  record.updatedAt = provider.timestamp();
  return Object.keys(changes);
}

/** Archives a record. A missing one counts as archived. */
export function archiveRecord(provider: ProviderContext<HubspotState>, type: ObjectType, id: string): void {
  const world = provider.world();
  const record = world[type].find((record) => record.id === id);
  if (!record) return;
  world[type] = world[type].filter((other) => other !== record);
  if (type !== "notes")
    for (const other of listAllRecords(world)) other[type] = other[type].filter((tied) => tied !== id);
  const archived = { ...record, contacts: [], deals: [], archivedAt: provider.timestamp() };
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

type Fault = { name: string; message: string; error: string };

/**
 * Validates properties of a request: known, well-formed, and no address of another contact.
 *
 * @param record the record that is changed; undefined for a new one
 * @throws ApiError 400 with every fault, 409 for an address in use
 */
function validateProperties(
  world: HubspotState,
  type: ObjectType,
  values: unknown,
  record?: CrmRecord,
): Record<string, string> {
  if (typeof values !== "object" || values === null || Array.isArray(values))
    throw badRequestError("Invalid input JSON: properties");
  const properties = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === null ? "" : String(value)]),
  );
  const faults = Object.entries(properties).flatMap(([name, value]) => getFault(world, type, name, value) ?? []);
  const missingName = record ? undefined : getMissing(type, properties);
  if (faults.length > 0) throw wrongPropertiesError(faults);
  if (missingName) throw badRequestError(missingName);
  if (type === "contacts") refuseTaken(world, properties.email, record);
  return type === "deals" ? withStage(world, properties, record) : properties;
}

function getFault(world: HubspotState, type: ObjectType, name: string, value: string): Fault | undefined {
  const createFault = (message: string, error: string) => ({ name, message, error });
  if (!OBJECT_TYPES[type].writable.includes(name)) {
    return createFault(`Property "${name}" does not exist`, "PROPERTY_DOESNT_EXIST");
  }
  if (value === "") return undefined;
  if (name === "email" && !/^[^@\s]+@[^@\s]+\.[^@\s.]+$/.test(value)) {
    return createFault(`Email address ${value} is invalid`, "INVALID_EMAIL");
  }
  if (name === "amount" && Number.isNaN(Number(value)))
    return createFault(`${value} was not a valid number.`, "INVALID_INTEGER");
  if ((name === "closedate" || name === "hs_timestamp") && !isTime(value)) {
    return createFault(`${value} was not a valid long.`, "INVALID_LONG");
  }
  if (name === "lifecyclestage" && !LIFECYCLE_STAGES.includes(value)) {
    const options = LIFECYCLE_STAGES.join(", ");
    return createFault(`${value} was not one of the allowed options: [${options}]`, "INVALID_OPTION");
  }
  if (name === "hubspot_owner_id" && !world.owners.some(({ id }) => id === value)) {
    return createFault(`Owner ${value} does not exist`, "INVALID_OWNER_ID");
  }
  return undefined;
}

function getMissing(type: ObjectType, properties: Record<string, string>): string | undefined {
  if (type === "notes" && !properties.hs_timestamp) {
    return "Error creating NOTE. Some required properties were not set. hs_timestamp";
  }
  if (type === "deals" && !properties.dealname) {
    return "Error creating DEAL. Some required properties were not set. dealname";
  }
  return undefined;
}

function refuseTaken(world: HubspotState, email: string | undefined, record: CrmRecord | undefined): void {
  const contact = world.contacts.find(
    ({ id, properties }) => email && id !== record?.id && properties.email?.toLowerCase() === email.toLowerCase(),
  );
  if (contact) throw hubspotError(409, "CONFLICT", `Contact already exists. Existing ID: ${contact.id}`);
}

/** A deal is always in a stage of its pipeline. */
function withStage(
  world: HubspotState,
  properties: Record<string, string>,
  record: CrmRecord | undefined,
): Record<string, string> {
  const id = properties.pipeline || record?.properties.pipeline || "default";
  const pipeline =
    world.pipelines.find((pipeline) => pipeline.id === id) ?? (properties.pipeline ? undefined : world.pipelines[0]);
  if (!pipeline) {
    throw wrongPropertiesError([
      { name: "pipeline", message: `${id} was not one of the allowed options`, error: "INVALID_OPTION" },
    ]);
  }
  const stage = properties.dealstage || record?.properties.dealstage || (pipeline.stages[0]?.id ?? "");
  if (!pipeline.stages.some((candidate) => candidate.id === stage)) {
    const options = pipeline.stages.map((stage) => stage.id).join(", ");
    const message = `${stage} was not one of the allowed options: [${options}]`;
    throw wrongPropertiesError([{ name: "dealstage", message, error: "INVALID_OPTION" }]);
  }
  const dates: Record<string, string> = properties.closedate ? { closedate: formatIsoTime(properties.closedate) } : {};
  return { ...properties, ...dates, pipeline: pipeline.id, dealstage: stage };
}

function isTime(value: string): boolean {
  return /^\d{10,}$/.test(value) || (/^\d{4}-\d\d-\d\d(T|$)/.test(value) && !Number.isNaN(Date.parse(value)));
}

function formatIsoTime(value: string): string {
  return new Date(/^\d+$/.test(value) ? Number(value) : Date.parse(value)).toISOString();
}
