import { toRecord } from "#protocol/json";
import { parseObjectList } from "../api.ts";
import { badRequestError, invalidInputError } from "./errors.ts";
import type { CrmRecord, HubspotState, ObjectType } from "./state.ts";
import { getAssociationName } from "./views.ts";

/** HubSpot's IDs of its association types (developers.hubspot.com/docs/api-reference, "Association type IDs"). */
const TIES: Record<string, number> = {
  "deals contacts": 3,
  "contacts deals": 4,
  "contacts notes": 201,
  "notes contacts": 202,
  "deals notes": 213,
  "notes deals": 214,
};

/** Returns the ID of the association from one type to another; undefined if there is none. */
export function findAssociationId(type: ObjectType, other: ObjectType): number | undefined {
  return TIES[`${type} ${other}`];
}

/** Associates a new record with the records that a request names. @throws ApiError 400 */
export function associateAll(world: HubspotState, type: ObjectType, record: CrmRecord, associations: unknown): void {
  for (const association of parseObjectList(associations, invalidInputError)) {
    const { associationTypeId } = parseObjectList(association.types, invalidInputError)[0] ?? {};
    const { id: otherId } = toRecord(association.to);
    const id = Number(associationTypeId);
    const otherType = (["contacts", "deals", "notes"] as const).find(
      (candidate) => findAssociationId(type, candidate) === id,
    );
    if (!otherType) throw badRequestError(`invalid associationTypeId ${String(associationTypeId)} for ${type}`);
    const match = world[otherType].find((record) => record.id === String(otherId));
    if (!match)
      throw badRequestError(
        `One or more associations are not valid: ${getAssociationName(type, otherType)} ${String(otherId)}`,
      );
    associate(type, record, otherType, match);
  }
}

/** Associates two records, once. */
export function associate(type: ObjectType, record: CrmRecord, other: ObjectType, target: CrmRecord): void {
  dissociate(type, record, other, target);
  const { holder, held, key } = getSides(type, record, other, target);
  holder[key].push(held.id);
}

export function dissociate(type: ObjectType, record: CrmRecord, other: ObjectType, target: CrmRecord): void {
  const { holder, held, key } = getSides(type, record, other, target);
  holder[key] = holder[key].filter((id) => id !== held.id);
}

/** Notes store their subjects, and deals their contacts. */
function getSides(type: ObjectType, record: CrmRecord, other: ObjectType, target: CrmRecord) {
  const holds = type === "notes" || (type === "deals" && other === "contacts");
  const key: "contacts" | "deals" = (holds ? other : type) === "contacts" ? "contacts" : "deals";
  return holds ? { holder: record, held: target, key } : { holder: target, held: record, key };
}
