import type { Context } from "hono";
import type { HubspotEnv } from "./access.ts";
import { OBJECT_TYPES } from "./properties.ts";
import type { CrmRecord, HubspotState, ObjectType, Owner, Pipeline } from "./state.ts";

/** Returns every non-empty property of a record, including HubSpot's own. */
export function listProperties(record: CrmRecord, type: ObjectType): Record<string, string> {
  const { created, updated } = OBJECT_TYPES[type];
  return {
    ...record.properties,
    hs_object_id: record.id,
    [created]: record.createdAt,
    [updated]: record.updatedAt,
  };
}

/** Returns a record with the requested properties; empty ones are null. */
export function toRecordView(record: CrmRecord, type: ObjectType, requestedNames: string[] | undefined) {
  const all = listProperties(record, type);
  const { defaults, created, updated } = OBJECT_TYPES[type];
  const names =
    requestedNames && requestedNames.length > 0
      ? [...new Set([...requestedNames, created, updated, "hs_object_id"])]
      : defaults;
  const properties = Object.fromEntries(names.map((name) => [name, all[name] ?? null]));
  const { id, createdAt, updatedAt, archivedAt } = record;
  const archived = archivedAt === undefined ? { archived: false } : { archived: true, archivedAt };
  return { id, properties, createdAt, updatedAt, ...archived };
}

/** Returns the IDs of associated records of another type, in either direction. */
export function listAssociated(world: HubspotState, type: ObjectType, record: CrmRecord, other: ObjectType): string[] {
  if (other === "notes" || (other === "deals" && type === "contacts")) {
    const key = type === "contacts" ? "contacts" : "deals";
    return world[other].filter((other) => other[key].includes(record.id)).map(({ id }) => id);
  }
  return other === "contacts" ? record.contacts : record.deals;
}

/** Names of HubSpot's association types, as in `type` of an association. */
export function getAssociationName(type: ObjectType, other: ObjectType): string {
  const singular: Record<ObjectType, string> = { contacts: "contact", deals: "deal", notes: "note" };
  return `${singular[type]}_to_${singular[other]}`;
}

export function toOwnerView({ id, userId, email, firstName, lastName }: Owner) {
  const time = "2025-01-15T08:00:00.000Z";
  return { id, email, type: "PERSON", firstName, lastName, userId, createdAt: time, updatedAt: time, archived: false };
}

export function toPipelineView({ id, label, stages }: Pipeline, displayOrder: number) {
  const time = "2025-01-15T08:00:00.000Z";
  return {
    label,
    displayOrder,
    id,
    stages: stages.map((stage, order) => ({
      label: stage.label,
      displayOrder: order,
      metadata: { isClosed: String(stage.isClosed), probability: stage.probability },
      id: stage.id,
      createdAt: time,
      updatedAt: time,
      archived: false,
    })),
    createdAt: time,
    updatedAt: time,
    archived: false,
  };
}

/** Returns `paging` if there is more, with the URL of the next page on the requested origin. */
export function toPagingView(c: Context<HubspotEnv>, after: number, total: number) {
  if (after >= total) return {};
  const link = new URL(c.req.url);
  link.searchParams.set("after", String(after));
  return { paging: { next: { after: String(after), link: link.href } } };
}
