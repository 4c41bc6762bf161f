import { findNamed, parseMoment, requireUnique, requireUniqueValues, SeedError } from "../seed-build.ts";
import { OBJECT_TYPES } from "./properties.ts";
import type { HubspotSeed, PipelineSeed, RecordSeed } from "./seed.ts";
import type { CrmRecord, HubspotState, ObjectType, Owner, Pipeline } from "./state.ts";

/**
 * The pipeline that every HubSpot account begins with. Source:
 * https://knowledge.hubspot.com/object-settings/set-up-and-customize-pipelines
 */
const SALES: PipelineSeed = {
  id: "default",
  label: "Sales Pipeline",
  stages: [
    { id: "appointmentscheduled", label: "Appointment Scheduled", probability: "0.2" },
    { id: "qualifiedtobuy", label: "Qualified To Buy", probability: "0.4" },
    { id: "presentationscheduled", label: "Presentation Scheduled", probability: "0.6" },
    { id: "decisionmakerboughtin", label: "Decision Maker Bought-In", probability: "0.8" },
    { id: "contractsent", label: "Contract Sent", probability: "0.9" },
    { id: "closedwon", label: "Closed Won", probability: "1.0", isClosed: true },
    { id: "closedlost", label: "Closed Lost", probability: "0.0", isClosed: true },
  ],
};

/** Fills in a HubSpot seed. @throws SeedError */
export function buildHubspot(data: HubspotSeed, now: number): HubspotState {
  const owners = data.owners.map((owner, index) => ({
    id: owner.id ?? String(71_000_001 + index),
    userId: owner.userId ?? 9_000_001 + index,
    email: owner.email,
    firstName: owner.firstName,
    lastName: owner.lastName ?? "",
  }));
  requireUniqueValues(
    owners.map(({ email }) => email.toLowerCase()),
    (index) => `owners[${index}].email`,
  );
  const pipelines = (data.pipelines ?? [SALES]).map(buildPipeline);
  const world: HubspotState = {
    portal: {
      portalId: data.portal?.portalId ?? 146_480_001,
      hub_domain: data.portal?.hub_domain ?? "kay-demo.hubspot.com",
      companyCurrency: data.portal?.companyCurrency ?? "EUR",
      timeZone: data.portal?.timeZone ?? "Europe/Berlin",
    },
    owners,
    pipelines,
    contacts: [],
    deals: [],
    notes: [],
  };
  for (const type of ["contacts", "deals", "notes"] as const) {
    for (const [index, record] of (data[type] ?? []).entries()) {
      world[type].push(buildRecord(record, type, { world, now, index, path: `${type}[${index}]` }));
    }
    requireUnique(world[type], type, "id");
  }
  const addresses = world.contacts.map(({ id, properties }) => properties.email?.toLowerCase() || id);
  requireUniqueValues(addresses, (index) => `contacts[${index}].properties.email`);
  return world;
}

function buildPipeline({ id, label, stages }: PipelineSeed, index: number): Pipeline {
  return {
    id: id ?? String(4_400_001 + index),
    label,
    stages: stages.map((stage, stageIndex) => ({
      id: stage.id ?? String(55_000_001 + index * 100 + stageIndex),
      label: stage.label,
      probability: stage.probability ?? "0.5",
      isClosed: stage.isClosed ?? false,
    })),
  };
}

type Building = { world: HubspotState; now: number; index: number; path: string };

/** First IDs of each type, so that types do not share IDs. */
const FIRST_ID: Record<ObjectType, number> = { contacts: 2_101, deals: 5_201, notes: 8_301 };

function buildRecord(data: RecordSeed, type: ObjectType, { world, now, index, path }: Building): CrmRecord {
  const unknown = Object.keys(data.properties).find((name) => !OBJECT_TYPES[type].writable.includes(name));
  if (unknown !== undefined)
    throw new SeedError(`${path}.properties.${unknown}`, `there is no such property of ${type}`);
  const createdAt = parseMoment(data.createdAt ?? "-30d", now, `${path}.createdAt`);
  return {
    id: data.id ?? String(FIRST_ID[type] + index),
    properties: resolve(data.properties, type, { world, now, path: `${path}.properties` }),
    createdAt,
    updatedAt: data.updatedAt === undefined ? createdAt : parseMoment(data.updatedAt, now, `${path}.updatedAt`),
    contacts: (data.contacts ?? []).map((reference, contactIndex) =>
      findRecordId(world.contacts, reference, `${path}.contacts[${contactIndex}]`),
    ),
    deals: (data.deals ?? []).map((reference, dealIndex) =>
      findRecordId(world.deals, reference, `${path}.deals[${dealIndex}]`),
    ),
  };
}

/** Converts names of stages, pipelines and owners to HubSpot's IDs, and times to ISO 8601. */
function resolve(
  properties: Record<string, string>,
  type: ObjectType,
  { world, now, path }: { world: HubspotState; now: number; path: string },
): Record<string, string> {
  const all = { ...properties };
  if (all.hubspot_owner_id !== undefined) {
    all.hubspot_owner_id = findOwnerId(world.owners, all.hubspot_owner_id, `${path}.hubspot_owner_id`);
  }
  if (type === "notes") all.hs_timestamp = parseMoment(all.hs_timestamp ?? "-1d", now, `${path}.hs_timestamp`);
  if (type !== "deals") return all;
  if (all.closedate !== undefined) all.closedate = parseMoment(all.closedate, now, `${path}.closedate`);
  const pipeline = world.pipelines.find(({ id, label }) => [id, label].includes(all.pipeline ?? id));
  if (!pipeline) throw new SeedError(`${path}.pipeline`, `there is no pipeline "${all.pipeline}"`);
  const stageId = all.dealstage ?? pipeline.stages[0]?.id ?? "";
  const stage = pipeline.stages.find(({ id, label }) => [id, label].includes(stageId));
  if (!stage) {
    const labels = pipeline.stages.map(({ label }) => label).join(", ");
    throw new SeedError(`${path}.dealstage`, `there is no stage "${stageId}"; there are ${labels}`);
  }
  return { ...all, pipeline: pipeline.id, dealstage: stage.id };
}

function findOwnerId(owners: Owner[], reference: string, path: string): string {
  const getNames = ({ id, email, firstName, lastName }: Owner) => [id, email, `${firstName} ${lastName}`.trim()];
  return findNamed(owners, getNames, reference, path, "owner").id;
}

function findRecordId(records: CrmRecord[], reference: string, path: string): string {
  const getNames = ({ id, properties: { email, dealname, firstname, lastname } }: CrmRecord) => [
    id,
    email,
    dealname,
    `${firstname} ${lastname}`,
  ];
  return findNamed(records, getNames, reference, path, "record").id;
}
