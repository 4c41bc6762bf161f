import type { Context, Hono } from "hono";
import type { ProviderContext } from "../provider.ts";
import type { HubspotEnv } from "./access.ts";
import { parseObjectType } from "./access.ts";
import { associate, dissociate, findAssociationId } from "./association-types.ts";
import { badRequestError } from "./errors.ts";
import { OBJECT_TYPES } from "./properties.ts";
import { findRecord } from "./records.ts";
import type { HubspotState, ObjectType } from "./state.ts";
import { listAssociated } from "./views.ts";

const FROM = "/crm/v4/objects/:type/:id/associations";

/**
 * Associations of records (developers.hubspot.com/docs/api-reference, "Associations v4"), in HubSpot's own kinds,
 * without labels.
 */
export function registerAssociationRoutes(app: Hono<HubspotEnv>, provider: ProviderContext<HubspotState>): void {
  app.get(`${FROM}/:other`, (c) => {
    const [type, other] = [parseObjectType(c, "read"), parseObjectType(c, "read", "other")];
    const world = c.get("world");
    const record = findRecord(world[type], type, c.req.param("id"));
    const associationTypes = [{ category: "HUBSPOT_DEFINED", typeId: getTieId(type, other), label: null }];
    const ids = listAssociated(world, type, record, other);
    return c.json({ results: ids.map((toObjectId) => ({ toObjectId, associationTypes })) });
  });
  app.put(`${FROM}/default/:other/:to`, (c) => {
    const { type, record, other, target } = parseEnds(c);
    associate(type, record, other, target);
    provider.save();
    const time = provider.timestamp();
    const toResult = (from: string, to: string, associationTypeId: number) => ({
      from: { id: from },
      to: { id: to },
      associationSpec: { associationCategory: "HUBSPOT_DEFINED", associationTypeId },
    });
    const results = [
      toResult(record.id, target.id, getTieId(type, other)),
      toResult(target.id, record.id, getTieId(other, type)),
    ];
    return c.json({ status: "COMPLETE", results, startedAt: time, completedAt: time });
  });
  app.put(`${FROM}/:other/:to`, async (c) => {
    const { type, record, other, target } = parseEnds(c);
    const specs: unknown = await c.req.json().catch(() => undefined);
    const ids = (Array.isArray(specs) ? specs : []).map((entry) => Number(entry?.associationTypeId));
    if (ids.length === 0) throw badRequestError("Invalid input JSON");
    const invalidId = ids.find((id) => id !== getTieId(type, other));
    if (invalidId !== undefined) throw badRequestError(`invalid associationTypeId ${invalidId} for ${type}`);
    associate(type, record, other, target);
    provider.save();
    const [from, to] = [OBJECT_TYPES[type].typeId, OBJECT_TYPES[other].typeId];
    const pair = { fromObjectId: record.id, toObjectId: target.id, labels: [] };
    return c.json({ fromObjectTypeId: from, toObjectTypeId: to, ...pair }, 201);
  });
  app.delete(`${FROM}/:other/:to`, (c) => {
    const { type, record, other, target } = parseEnds(c);
    dissociate(type, record, other, target);
    provider.save();
    return c.body(null, 204);
  });
}

function parseEnds(c: Context<HubspotEnv>) {
  const [type, other] = [parseObjectType(c, "write"), parseObjectType(c, "write", "other")];
  const world = c.get("world");
  const record = findRecord(world[type], type, c.req.param("id") ?? "");
  const match = findRecord(world[other], other, c.req.param("to") ?? "");
  getTieId(type, other);
  return { type, record, other, target: match };
}

function getTieId(type: ObjectType, other: ObjectType): number {
  const id = findAssociationId(type, other);
  if (id === undefined) throw badRequestError(`There is no association from ${type} to ${other}.`);
  return id;
}
