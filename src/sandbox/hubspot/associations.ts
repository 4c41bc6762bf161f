import type { Context, Hono } from "hono";
import type { Place } from "../provider.ts";
import type { HubspotEnv } from "./access.ts";
import { badRequest } from "./errors.ts";
import { TYPES } from "./properties.ts";
import { recordWith } from "./records.ts";
import { typeIn } from "./request.ts";
import { tie, tieId, untie } from "./ties.ts";
import { tiedTo } from "./views.ts";
import type { HubspotWorld, ObjectType } from "./world.ts";

const FROM = "/crm/v4/objects/:type/:id/associations";

/** Which records belong together (developers.hubspot.com/docs/api-reference, "Associations v4"), in HubSpot's own kinds, without labels. */
export function associationRoutes(app: Hono<HubspotEnv>, place: Place<HubspotWorld>): void {
  app.get(`${FROM}/:other`, (c) => {
    const [type, other] = [typeIn(c, "read"), typeIn(c, "read", "other")];
    const world = c.get("world");
    const record = recordWith(world[type], type, c.req.param("id"));
    const associationTypes = [{ category: "HUBSPOT_DEFINED", typeId: tieIdOf(type, other), label: null }];
    const ids = tiedTo(world, type, record, other);
    return c.json({ results: ids.map((toObjectId) => ({ toObjectId, associationTypes })) });
  });
  app.put(`${FROM}/default/:other/:to`, (c) => {
    const { type, record, other, found } = ends(c);
    tie(type, record, other, found);
    place.changed();
    const time = new Date(place.now()).toISOString();
    const result = (from: string, to: string, associationTypeId: number) => ({
      from: { id: from },
      to: { id: to },
      associationSpec: { associationCategory: "HUBSPOT_DEFINED", associationTypeId },
    });
    const results = [
      result(record.id, found.id, tieIdOf(type, other)),
      result(found.id, record.id, tieIdOf(other, type)),
    ];
    return c.json({ status: "COMPLETE", results, startedAt: time, completedAt: time });
  });
  app.put(`${FROM}/:other/:to`, async (c) => {
    const { type, record, other, found } = ends(c);
    const specs: unknown = await c.req.json().catch(() => undefined);
    const ids = (Array.isArray(specs) ? specs : []).map((one) => Number(one?.associationTypeId));
    if (ids.length === 0) throw badRequest("Invalid input JSON");
    const wrong = ids.find((id) => id !== tieIdOf(type, other));
    if (wrong !== undefined) throw badRequest(`invalid associationTypeId ${wrong} for ${type}`);
    tie(type, record, other, found);
    place.changed();
    const [from, to] = [TYPES[type].typeId, TYPES[other].typeId];
    const pair = { fromObjectId: record.id, toObjectId: found.id, labels: [] };
    return c.json({ fromObjectTypeId: from, toObjectTypeId: to, ...pair }, 201);
  });
  app.delete(`${FROM}/:other/:to`, (c) => {
    const { type, record, other, found } = ends(c);
    untie(type, record, other, found);
    place.changed();
    return c.body(null, 204);
  });
}

function ends(c: Context<HubspotEnv>) {
  const [type, other] = [typeIn(c, "write"), typeIn(c, "write", "other")];
  const world = c.get("world");
  const record = recordWith(world[type], type, c.req.param("id") ?? "");
  const found = recordWith(world[other], other, c.req.param("to") ?? "");
  tieIdOf(type, other);
  return { type, record, other, found };
}

function tieIdOf(type: ObjectType, other: ObjectType): number {
  const id = tieId(type, other);
  if (id === undefined) throw badRequest(`There is no association from ${type} to ${other}.`);
  return id;
}
