import { Client } from "@hubspot/api-client";
import { expect, test } from "vitest";
import { REDIRECT } from "../stand-in.ts";
import { catchFailure, serveSandbox } from "./served.ts";

const READ = "oauth crm.objects.contacts.read crm.objects.deals.read crm.objects.owners.read";
const ALL = `${READ} crm.objects.contacts.write crm.objects.deals.write`;
const NOW = new Date("2026-11-20T09:00:00Z");

async function createClient(scope = ALL) {
  const world = await serveSandbox("hubspot");
  const { token } = await world.signIn("hubspot", scope);
  const api = new Client({ accessToken: token, basePath: world.url, limiterOptions: { minTime: 0 } });
  return { world, api, crm: api.crm };
}

/**
 * A kind of association as requests have it; the client knows its category by an enumeration that it does not export.
 */
function spec<Category>(associationTypeId: number) {
  return [{ associationCategory: "HUBSPOT_DEFINED" as Category, associationTypeId }];
}

test("@hubspot/api-client exchanges a code for tokens, refreshes them, and identifies their owner", async () => {
  const { world, api } = await createClient();
  const { id, secret } = world.clients.hubspot;
  const code = await world.code("hubspot", ALL);
  const first = await api.oauth.tokensApi.create("authorization_code", code, REDIRECT, id, secret);
  const second = await api.oauth.tokensApi.create(
    "refresh_token",
    undefined,
    undefined,
    id,
    secret,
    first.refreshToken,
  );
  expect(second).toEqual({ ...first, accessToken: expect.any(String) });
  expect(second.accessToken).not.toBe(first.accessToken);
  expect(await api.oauth.accessTokensApi.get(second.accessToken)).toEqual({
    token: second.accessToken,
    tokenType: "access",
    user: "dana@example.com",
    userId: 9000001,
    hubId: 146480001,
    hubDomain: "kay-demo.hubspot.com",
    appId: 100001,
    scopes: ALL.split(" "),
    expiresIn: 1800,
  });
  const refused = api.oauth.tokensApi.create("refresh_token", undefined, undefined, id, secret, "x");
  expect(await catchFailure(refused)).toMatchObject({
    code: 400,
    body: { status: "BAD_REFRESH_TOKEN", message: "missing or invalid refresh token" },
  });
});

test("@hubspot/api-client reads contacts page by page, and searches them sorted", async () => {
  const { crm } = await createClient(READ);
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = await crm.contacts.basicApi.getPage(3, after, ["email"]);
    pages.push(page.results.map(({ id }) => id));
    after = page.paging?.next?.after;
  } while (after);
  expect(pages).toEqual([["2101", "2102", "2103"], ["2104"]]);
  expect((await crm.contacts.getAll(1)).map(({ id }) => id)).toEqual(pages.flat());
  const search = { query: "north", limit: 1, properties: ["email"], filterGroups: [] };
  const results = await crm.contacts.searchApi.doSearch({ ...search, sorts: ["-createdate"] });
  expect(results).toEqual({
    total: 2,
    paging: { next: { after: "1" } },
    results: [
      {
        id: "2102",
        properties: {
          email: "jonas@northwind.example.com",
          createdate: "2026-10-31T09:00:00.000Z",
          lastmodifieddate: "2026-11-11T09:00:00.000Z",
          hs_object_id: "2102",
        },
        createdAt: new Date("2026-10-31T09:00:00Z"),
        updatedAt: new Date("2026-11-11T09:00:00Z"),
        archived: false,
      },
    ],
  });
  const rest = await crm.contacts.searchApi.doSearch({ ...search, sorts: ["-createdate"], after: "1" });
  expect(rest.results.map(({ id }) => id)).toEqual(["2101"]);
});

test("@hubspot/api-client creates a contact, changes it by its address, and archives it", async () => {
  const { crm } = await createClient();
  const { basicApi } = crm.contacts;
  const properties = { email: "ada@example.com", firstname: "Ada" };
  const contact = await basicApi.create({ properties, associations: [] });
  const times = { createdate: NOW.toISOString(), lastmodifieddate: NOW.toISOString() };
  expect(contact).toEqual({
    id: "8302",
    properties: { ...properties, ...times, lifecyclestage: "lead", hs_object_id: "8302" },
    createdAt: NOW,
    updatedAt: NOW,
    archived: false,
  });
  await basicApi.update("ada@example.com", { properties: { phone: "1" } }, "email");
  expect((await basicApi.getById("8302", ["phone"])).properties).toEqual({
    phone: "1",
    ...times,
    hs_object_id: "8302",
  });
  await basicApi.archive("8302");
  await basicApi.archive("8302");
  expect(await catchFailure(basicApi.getById("8302"))).toMatchObject({ code: 404 });
  const page = await basicApi.getPage(10, undefined, ["email"], undefined, undefined, true);
  expect(page.results).toEqual([
    {
      id: "8302",
      properties: { email: "ada@example.com", ...times, hs_object_id: "8302" },
      createdAt: NOW,
      updatedAt: NOW,
      archived: true,
      archivedAt: NOW,
    },
  ]);
});

test("@hubspot/api-client creates, reads, changes and archives many at once, all or none", async () => {
  const { crm } = await createClient();
  const { batchApi, basicApi } = crm.contacts;
  const input = (email: string) => ({ properties: { email }, associations: [] });
  const created = await batchApi.create({ inputs: [input("a@example.com"), input("b@example.com")] });
  expect([created.status, created.results.map(({ id }) => id)]).toEqual(["COMPLETE", ["8302", "8303"]]);
  const twin = batchApi.create({ inputs: [input("c@example.com"), input("a@example.com")] });
  expect(await catchFailure(twin)).toMatchObject({ code: 409, body: { category: "CONFLICT" } });
  expect(await catchFailure(basicApi.getById("c@example.com", [], [], [], false, "email"))).toMatchObject({
    code: 404,
  });
  const updated = await batchApi.update({ inputs: [{ id: "8302", properties: { phone: "1" } }] });
  expect(updated.results.map(({ properties }) => properties.phone)).toEqual(["1"]);
  await batchApi.archive({ inputs: [{ id: "8303" }] });
  const request = { inputs: [{ id: "8302" }, { id: "8303" }], properties: ["email"], propertiesWithHistory: [] };
  const result = await batchApi.read(request);
  expect({ ...result, results: result.results.map(({ properties }) => properties.email) }).toMatchObject({
    status: "COMPLETE",
    results: ["a@example.com"],
    numErrors: 1,
    errors: [
      {
        status: "error",
        category: "OBJECT_NOT_FOUND",
        message: "Could not get some CONTACT objects, they may be deleted or not exist. Check that ids are valid.",
        context: { ids: ["8303"] },
      },
    ],
  });
});

test("@hubspot/api-client associates a deal and a note with a contact, on creation and later, and removes the association", async () => {
  const { crm } = await createClient();
  const tie = (id: string, kind: number) => [{ to: { id }, types: spec<never>(kind) }];
  const deal = await crm.deals.basicApi.create({ properties: { dealname: "New" }, associations: tie("2104", 3) });
  expect(deal.properties).toMatchObject({ dealstage: "appointmentscheduled", pipeline: "default" });
  const properties = { hs_timestamp: NOW.toISOString(), hs_note_body: "x" };
  const note = await crm.objects.notes.basicApi.create({ properties, associations: tie(deal.id, 214) });
  const { basicApi } = crm.associations.v4;
  expect(await basicApi.create("contact", "2104", "notes", note.id, spec<never>(201))).toEqual({
    fromObjectTypeId: "0-1",
    fromObjectId: "2104",
    toObjectTypeId: "0-46",
    toObjectId: note.id,
    labels: [],
  });
  const associated = await basicApi.createDefault("deals", deal.id, "contacts", "2103");
  expect(associated.results).toEqual([
    { _from: { id: deal.id }, to: { id: "2103" }, associationSpec: spec(3)[0] },
    { _from: { id: "2103" }, to: { id: deal.id }, associationSpec: spec(4)[0] },
  ]);
  await basicApi.archive("contacts", "2104", "deals", deal.id);
  expect((await basicApi.getPage("deals", deal.id, "contacts")).results).toEqual([
    { toObjectId: "2103", associationTypes: [{ category: "HUBSPOT_DEFINED", typeId: 3, label: null }] },
  ]);
  const readNote = await crm.objects.notes.basicApi.getById(note.id, undefined, undefined, ["contacts", "deals"]);
  expect(readNote.associations).toEqual({
    contacts: { results: [{ id: "2104", type: "note_to_contact" }] },
    deals: { results: [{ id: deal.id, type: "note_to_deal" }] },
  });
});

test("@hubspot/api-client finds owners by page, by ID and by user, and the stages of a pipeline", async () => {
  const { crm } = await createClient(READ);
  const first = await crm.owners.ownersApi.getPage(undefined, undefined, 1);
  const second = await crm.owners.ownersApi.getPage(undefined, first.paging?.next?.after, 1);
  expect([first, second].map(({ results }) => results.map(({ email }) => email))).toEqual([
    ["dana@example.com"],
    ["sam@example.com"],
  ]);
  expect(second.paging).toBeUndefined();
  const [owner] = first.results;
  expect(await crm.owners.ownersApi.getById(71000001)).toEqual(owner);
  expect(await crm.owners.ownersApi.getById(9000001, "userId")).toEqual(owner);
  const { results } = await crm.pipelines.pipelineStagesApi.getAll("deals", "default");
  expect((await crm.pipelines.pipelinesApi.getById("deals", "default")).stages).toEqual(results);
  const won = await crm.pipelines.pipelineStagesApi.getById("deals", "default", "closedwon");
  expect(won).toEqual(results.find(({ id }) => id === "closedwon"));
  expect(won).toMatchObject({ label: "Closed Won", metadata: { isClosed: "true", probability: "1.0" } });
});

test("@hubspot/api-client reports missing objects, invalid input, a missing scope, an expired token and too many requests", async () => {
  const { world, crm } = await createClient(READ);
  const { basicApi } = crm.contacts;
  const failure = async (work: Promise<unknown>) => {
    const error = (await catchFailure(work)) as { code: number; body: unknown };
    return [error.constructor.name, error.code, error.body];
  };
  const body = (category: string, message: string, more: object = {}) => ({
    status: "error",
    message,
    correlationId: expect.stringMatching(/^[\da-f-]{36}$/),
    ...more,
    category,
  });
  expect(await failure(basicApi.getById("1"))).toEqual([
    "ApiException",
    404,
    body("OBJECT_NOT_FOUND", "resource not found"),
  ]);
  expect(await failure(basicApi.getPage(101))).toEqual([
    "ApiException",
    400,
    body("VALIDATION_ERROR", "The page size must be between 1 and 100."),
  ]);
  expect(await failure(basicApi.create({ properties: {}, associations: [] }))).toMatchObject([
    "ApiException",
    403,
    {
      category: "MISSING_SCOPES",
      errors: [{ context: { requiredGranularScopes: ["crm.objects.contacts.write"] } }],
    },
  ]);
  const limit = { status: "error", message: "You have reached your secondly limit.", errorType: "RATE_LIMIT" };
  const fault = { status: 429, headers: { "retry-after": "1" }, body: { ...limit, policyName: "SECONDLY" } };
  await world.ask("hubspot", "/_sandbox/faults", { method: "PUT", json: fault });
  expect(await failure(basicApi.getPage(1))).toEqual(["ApiException", 429, { ...limit, policyName: "SECONDLY" }]);
  const dead = new Client({ accessToken: "dead", basePath: world.url });
  expect(await failure(dead.crm.contacts.basicApi.getPage(1))).toMatchObject([
    "ApiException",
    401,
    { category: "EXPIRED_AUTHENTICATION" },
  ]);
});
