import { expect, test } from "vitest";
import { HUBSPOT, sandbox } from "./stand-in.ts";

const SCOPES =
  "oauth crm.objects.contacts.read crm.objects.contacts.write crm.objects.deals.read crm.objects.deals.write crm.objects.owners.read";
const signIn = (scope = SCOPES, account?: string) => sandbox().signIn("hubspot", scope, account);
const CONTACTS = "/crm/v3/objects/contacts";
const DEALS = "/crm/v3/objects/deals";
const ids = (body: { results: { id: string }[] }) => body.results.map(({ id }) => id);

test("the token endpoint answers in HubSpot's words, at v3 and at v1, and the refresh token stays", async () => {
  const world = sandbox();
  const first = (await world.tokens("hubspot", SCOPES)).body;
  expect(first).toMatchObject({ token_type: "bearer", expires_in: 1800, scopes: SCOPES.split(" ") });
  const refreshed = (
    await world.exchange("hubspot", { grant_type: "refresh_token", refresh_token: first.refresh_token })
  ).body;
  expect([refreshed.refresh_token, refreshed.access_token === first.access_token]).toEqual([
    first.refresh_token,
    false,
  ]);
  const { id, secret } = world.clients.hubspot;
  const v1 = (parameters: Record<string, string>) =>
    world.ask("hubspot", "/oauth/v1/token", {
      method: "POST",
      body: new URLSearchParams({ client_id: id, client_secret: secret, ...parameters }),
    });
  expect((await v1({ grant_type: "refresh_token", refresh_token: first.refresh_token })).status).toBe(200);
  const refused = await v1({ grant_type: "refresh_token", refresh_token: "x" });
  expect([refused.status, refused.body]).toEqual([
    400,
    { status: "BAD_REFRESH_TOKEN", error: "invalid_grant", message: "missing or invalid refresh token" },
  ]);
});

test("introspection describes a token only to its client", async () => {
  const world = sandbox();
  const { token } = await world.signIn("hubspot", SCOPES, "sam@example.com");
  const { id: client_id, secret: client_secret } = world.clients.hubspot;
  const introspect = async (form: Record<string, string>) =>
    (await world.ask("hubspot", "/oauth/v3/token/introspect", { method: "POST", body: new URLSearchParams(form) }))
      .body;
  expect(await introspect({ client_id, client_secret, token })).toMatchObject({
    active: true,
    hub_id: 146480001,
    user: "sam@example.com",
    hub_domain: "kay-demo.hubspot.com",
  });
  expect(await introspect({ client_id, client_secret, token: "x" })).toEqual({ active: false });
  expect(await introspect({ client_id, client_secret: "x", token })).toMatchObject({ status: "BAD_CLIENT_ID" });
  expect((await world.ask("hubspot", `/oauth/v1/access-tokens/${token}`)).body.user).toBe("sam@example.com");
});

test("contacts are searched by words, by filters and by page, and the totals agree", async () => {
  const { call } = await signIn();
  const search = async (json: object) => (await call(`${CONTACTS}/search`, { method: "POST", json })).body;
  const filter = (propertyName: string, operator: string, more: object) => ({
    filterGroups: [{ filters: [{ propertyName, operator, ...more }] }],
  });
  expect(ids(await search({ query: "north" }))).toEqual(["2101", "2102"]);
  expect(ids(await search(filter("email", "CONTAINS_TOKEN", { value: "*@contoso.example.com" })))).toEqual(["2103"]);
  expect(ids(await search(filter("lifecyclestage", "IN", { values: ["lead"] })))).toEqual(["2102", "2104"]);
  expect(ids(await search(filter("phone", "NOT_HAS_PROPERTY", {})))).toEqual(["2102", "2104"]);
  const sorts = [{ propertyName: "lastmodifieddate", direction: "DESCENDING" }];
  const first = await search({ limit: 3, sorts });
  expect([ids(first), first.total, first.paging]).toEqual([["2101", "2103", "2104"], 4, { next: { after: "3" } }]);
  expect(await search({ limit: 3, sorts, after: "3" })).toMatchObject({ total: 4, results: [{ id: "2102" }] });
  expect(await search({ limit: 201 })).toMatchObject({ status: "error", category: "VALIDATION_ERROR" });
  expect(await search(filter("shoe_size", "EQ", { value: "4" }))).toMatchObject({ category: "VALIDATION_ERROR" });
});

test("a contact is created once, read by its address, changed and archived", async () => {
  const { call } = await signIn();
  const properties = { email: "ada@example.com", firstname: "Ada", company: "Engine" };
  const created = await call(CONTACTS, { method: "POST", json: { properties } });
  expect([created.status, created.body]).toMatchObject([
    201,
    { id: "8302", properties: { ...properties, lifecyclestage: "lead" }, archived: false },
  ]);
  const twin = await call(CONTACTS, { method: "POST", json: { properties: { email: "ADA@example.com" } } });
  expect([twin.status, twin.body.message]).toEqual([409, "Contact already exists. Existing ID: 8302"]);
  const contact = await call(`${CONTACTS}/ada@example.com?idProperty=email&properties=company,phone`);
  expect(contact.body.properties).toMatchObject({ company: "Engine", phone: null });
  const refused = await call(`${CONTACTS}/8302`, { method: "PATCH", json: { properties: { email: "x", shoe: "4" } } });
  expect([refused.status, refused.body.message]).toEqual([
    400,
    `Property values were not valid: ${JSON.stringify([
      { isValid: false, message: "Email address x is invalid", error: "INVALID_EMAIL", name: "email" },
      { isValid: false, message: 'Property "shoe" does not exist', error: "PROPERTY_DOESNT_EXIST", name: "shoe" },
    ])}`,
  ]);
  expect((await call(`${CONTACTS}/8302`, { method: "PATCH", json: { properties: { phone: "1" } } })).status).toBe(200);
  expect((await call(`${CONTACTS}/8302`, { method: "DELETE" })).status).toBe(204);
  expect((await call(`${CONTACTS}/8302`)).body).toMatchObject({ category: "OBJECT_NOT_FOUND" });
});

test("a deal has only stages of its pipeline, and is associated with contacts and notes", async () => {
  const { call } = await signIn();
  const { results } = (await call("/crm/v3/pipelines/deals")).body;
  expect(results[0].stages.map(({ label }: { label: string }) => label)).toContain("Contract Sent");
  const tie = (id: string, associationTypeId: number) => ({
    to: { id },
    types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId }],
  });
  const json = { properties: { dealname: "New", closedate: "2026-12-31" }, associations: [tie("2104", 3)] };
  const created = await call(DEALS, { method: "POST", json });
  expect([created.status, created.body.properties]).toMatchObject([
    201,
    { dealstage: "appointmentscheduled", pipeline: "default", closedate: "2026-12-31T00:00:00.000Z" },
  ]);
  const { id } = created.body;
  const note = { properties: { hs_timestamp: "2026-11-20T09:00:00Z", hs_note_body: "<p>x</p>" } };
  const answer = await call("/crm/v3/objects/notes", {
    method: "POST",
    json: { ...note, associations: [tie(id, 214)] },
  });
  expect(answer.status).toBe(201);
  expect((await call(`${DEALS}/${id}?associations=contacts,notes`)).body.associations).toEqual({
    contacts: { results: [{ id: "2104", type: "deal_to_contact" }] },
    notes: { results: [{ id: answer.body.id, type: "deal_to_note" }] },
  });
  expect((await call(`${CONTACTS}/2104?associations=deals`)).body.associations.deals.results).toHaveLength(2);
  const patch = (dealstage: string) => call(`${DEALS}/${id}`, { method: "PATCH", json: { properties: { dealstage } } });
  expect([(await patch("nowhere")).status, (await patch("closedwon")).status]).toEqual([400, 200]);
  const batch = await call(`${DEALS}/batch/read`, { method: "POST", json: { inputs: [{ id }, { id: "5201" }] } });
  expect(ids(batch.body)).toEqual(["5201", id]);
  expect((await call("/crm/v3/objects/notes", { method: "POST", json: { properties: {} } })).status).toBe(400);
});

test("a missing scope is refused in HubSpot's words, and so are an expired token and an unknown path", async () => {
  const { call } = await signIn("oauth crm.objects.contacts.read");
  const refused = await call(CONTACTS, { method: "POST", json: { properties: { firstname: "x" } } });
  expect([refused.status, refused.body]).toMatchObject([
    403,
    {
      status: "error",
      category: "MISSING_SCOPES",
      errors: [{ context: { requiredGranularScopes: ["crm.objects.contacts.write"] } }],
    },
  ]);
  expect((await call(DEALS)).status).toBe(403);
  expect((await call(CONTACTS, { token: "x" })).body).toMatchObject({ category: "EXPIRED_AUTHENTICATION" });
  expect((await call("/crm/v3/nothing")).status).toBe(404);
});

test("lists are paged, and the URL of a record leads to a page for users", async () => {
  const world = sandbox();
  const { call } = await world.signIn("hubspot", SCOPES);
  const first = (await call(`${DEALS}?limit=2`)).body;
  expect(first.paging.next).toEqual({ after: "5203", link: `${HUBSPOT}${DEALS}?limit=2&after=5203` });
  expect(ids((await call(first.paging.next.link)).body)).toEqual(["5203", "5204"]);
  const page = await world.ask("hubspot", "/contacts/146480001/record/0-1/2101");
  expect([page.status, page.text.includes("Security wants to see where tokens are kept.")]).toEqual([200, true]);
});

test("changes form a seed, and continue after a restart", async () => {
  const states: unknown[] = [];
  const world = sandbox({ save: (state) => void states.push(structuredClone(state)) });
  const { call, token } = await world.signIn("hubspot", SCOPES);
  await call(CONTACTS, { method: "POST", json: { properties: { firstname: "Ada" } } });
  await Promise.resolve();
  const again = sandbox({ saved: states.at(-1) });
  expect((await again.ask("hubspot", `${CONTACTS}/8302`, { token })).body.properties.firstname).toBe("Ada");
});
