import { expect, test } from "vitest";
import { hubspot } from "#connectors/hubspot/hubspot";
import { createRunner, type Expected, httpOver, outside, summarize } from "../support/outside.ts";

const API = "https://api.hubapi.com";
const PORTAL = {
  url: "https://app-eu1.hubspot.com/contacts/62515",
  portal_id: "62515",
  owner_id: "77",
  currency: "EUR",
};
const CONTACT = "firstname,lastname,email,phone,company,jobtitle,lifecyclestage,lastmodifieddate";
const DEAL = "dealname,amount,deal_currency_code,dealstage,pipeline,closedate,hubspot_owner_id,hs_lastmodifieddate";
const MARA = record("101", {
  firstname: "Mara",
  lastname: "Lind",
  email: "mara@example.com",
  phone: null,
  company: "Northwind | Co",
  lastmodifieddate: "2026-11-20T10:00:00.000Z",
});
const RENEWAL = record("501", { dealname: "Renewal", amount: "8400.50", dealstage: "s1", pipeline: "default" });
const PIPELINES: Expected = {
  request: `GET ${API}/crm/v3/pipelines/deals`,
  json: {
    results: [
      {
        id: "default",
        label: "Sales",
        displayOrder: 0,
        stages: [
          { id: "s3", label: "Closed lost", displayOrder: 2, metadata: { isClosed: "true", probability: "0.0" } },
          { id: "s2", label: "Closed won", displayOrder: 1, metadata: { isClosed: "true", probability: "1.0" } },
          { id: "s1", label: "Contract sent", displayOrder: 0, metadata: { isClosed: "false", probability: "0.9" } },
        ],
      },
    ],
  },
};

/** A record as returned by HubSpot. */
function record(id: string, properties: Record<string, string | null>) {
  const time = "2026-11-01T10:00:00.000Z";
  return { id, properties: { hs_object_id: id, ...properties }, createdAt: time, updatedAt: time, archived: false };
}

function createSearch(type: "contacts" | "deals", body: object, results: unknown[], more: object = {}): Expected {
  return {
    request: `POST ${API}/crm/v3/objects/${type}/search`,
    body,
    json: { total: results.length, results, ...more },
  };
}

const contactSearch = (query: string, limit = 20) => ({
  query,
  filterGroups: [],
  sorts: [{ propertyName: "lastmodifieddate", direction: "DESCENDING" }],
  properties: CONTACT.split(","),
  limit,
});

const run = createRunner(hubspot, PORTAL);

const INTROSPECT = `POST ${API}/oauth/v3/token/introspect`;
const TOKEN = { active: true, token_use: "access_token", hub_id: 62515, user_id: 9, user: "ann@example.com" };

test("the account is the user in their portal, by introspection with the client's credentials in a form and no bearer token", async () => {
  const world = outside(
    { request: INTROSPECT, json: { ...TOKEN, hub_domain: "kay.hubspot.com", scopes: ["oauth"] } },
    {
      request: `GET ${API}/crm/v3/owners?email=ann@example.com`.replace("@", "%40"),
      json: { results: [{ id: "77", email: "Ann@example.com", firstName: "Ann", lastName: "Lee", userId: 9 }] },
    },
    {
      request: `GET ${API}/account-info/v3/details`,
      json: { portalId: 62515, uiDomain: "app-eu1.hubspot.com", companyCurrency: "EUR", timeZone: "Europe/Berlin" },
    },
  );
  const forms: unknown[] = [];
  const fetch = (url: string, init?: RequestInit) => {
    if (init?.body instanceof URLSearchParams) forms.push(Object.fromEntries(init.body));
    return world.fetch(url, init);
  };
  const { http } = httpOver({ fetch }, hubspot, { client: { id: "c1", secret: "s1" } });
  expect(await hubspot.identify(http)).toEqual({
    accountId: "62515:9",
    user: { account_id: "62515:9", name: "Ann Lee", email: "ann@example.com" },
    metadata: {
      url: "https://app-eu1.hubspot.com/contacts/62515",
      portal_id: "62515",
      portal: "kay.hubspot.com",
      owner_id: "77",
      currency: "EUR",
    },
  });
  expect(forms).toEqual([{ token: "T0", client_id: "c1", client_secret: "s1" }]);
  expect(world.asked.map(({ token }) => token)).toEqual([undefined, "T0", "T0"]);
});

test("the connection works without the owner and the account's details, and links only to HubSpot's hosts", async () => {
  const refused = { status: 403, json: { status: "error", message: "no", category: "MISSING_SCOPES" } };
  const world = outside(
    { request: INTROSPECT, json: TOKEN },
    { request: `GET ${API}/crm/v3/owners?email=ann%40example.com`, ...refused },
    { request: `GET ${API}/account-info/v3/details`, json: { uiDomain: "evil.example.test" } },
  );
  const identity = await hubspot.identify(httpOver(world, hubspot).http);
  expect([identity.user.name, identity.metadata.url]).toEqual([undefined, "https://app.hubspot.com/contacts/62515"]);
});

test("an inactive token connects nothing", async () => {
  const world = outside({ request: INTROSPECT, json: { active: false } });
  await expect(hubspot.identify(httpOver(world, hubspot).http)).rejects.toMatchObject({ code: "SERVICE_FAILED" });
});

test("contacts are found over as many pages as the limit needs", async () => {
  const first = contactSearch("lind", 2);
  const result = await run(
    "hubspot.search_contacts",
    { text: "lind", limit: 2 },
    createSearch("contacts", first, [MARA], { total: 3, paging: { next: { after: "1" } } }),
    createSearch("contacts", { ...first, limit: 1, after: "1" }, [record("102", { email: "x@example.com" })], {
      total: 3,
    }),
  );
  expect(result.text).toBe(
    [
      "The first 2 of 3 contacts matching “lind”:",
      "",
      "| ID | Name | E-mail | Phone | Company | Job |",
      "| --- | --- | --- | --- | --- | --- |",
      "| 101 | Mara Lind | mara@example.com |  | Northwind \\| Co |  |",
      "| 102 | x@example.com | x@example.com |  |  |  |",
    ].join("\n"),
  );
  expect(result.url).toBe("https://app-eu1.hubspot.com/contacts/62515/objects/0-1/views/all/list");
});

test("contacts of a company are a filter, not words", async () => {
  const filters = [{ propertyName: "company", operator: "CONTAINS_TOKEN", value: "Northwind" }];
  const { query: _unused, ...body } = contactSearch("");
  const result = await run(
    "hubspot.search_contacts",
    { company: "Northwind" },
    createSearch("contacts", { ...body, filterGroups: [{ filters }] }, []),
  );
  expect(result.text).toBe("No contacts at Northwind.");
});

test("a contact is read by address, with their deals by stage name", async () => {
  const result = await run(
    "hubspot.get_contact",
    { contact: "mara@example.com" },
    {
      request: `GET ${API}/crm/v3/objects/contacts/mara%40example.com?properties=${CONTACT.replaceAll(",", "%2C")}&idProperty=email&associations=deals`,
      json: {
        ...MARA,
        associations: {
          deals: {
            results: [
              { id: "501", type: "a" },
              { id: "501", type: "b" },
            ],
          },
        },
      },
    },
    {
      request: `POST ${API}/crm/v3/objects/deals/batch/read`,
      body: { properties: DEAL.split(","), inputs: [{ id: "501" }] },
      json: { status: "COMPLETE", results: [RENEWAL] },
    },
    PIPELINES,
  );
  expect(result.data).toMatchObject({
    id: "101",
    name: "Mara Lind",
    phone: null,
    deals: [{ id: "501", name: "Renewal", amount: 8400.5, currency: "EUR", stage: "Contract sent", pipeline: "Sales" }],
    url: "https://app-eu1.hubspot.com/contacts/62515/record/0-1/101",
  });
  expect(result.text).toContain("| 501 | Renewal | 8,400.5 EUR | Contract sent | Sales | – |");
});

test("a name of several contacts is asked back with their addresses, and nothing is changed", async () => {
  const otherContact = record("102", { firstname: "Mara", lastname: "Lind", email: "m.lind@example.com" });
  await expect(
    run(
      "hubspot.update_contact",
      { contact: "Mara Lind", phone: "1" },
      createSearch("contacts", contactSearch("Mara Lind"), [MARA, otherContact]),
    ),
  ).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message:
      "Several contacts in HubSpot match “Mara Lind”: Mara Lind (mara@example.com, 101), Mara Lind (m.lind@example.com, 102).",
  });
});

test("a part of a contact's name is enough to read it, and not to change it", async () => {
  await expect(
    run(
      "hubspot.update_contact",
      { contact: "Mara", phone: "1" },
      createSearch("contacts", contactSearch("Mara"), [MARA]),
    ),
  ).rejects.toMatchObject({
    message: "No contact in HubSpot is called “Mara”.",
    hint: "Similar: Mara Lind (mara@example.com, 101). Use the whole name.",
  });
});

test("a contact is created with the properties that were given, sent once", async () => {
  const result = await run(
    "hubspot.create_contact",
    { name: "Ann van Lee", email: "ann@example.com", company: " " },
    {
      request: `POST ${API}/crm/v3/objects/contacts`,
      body: { properties: { firstname: "Ann", lastname: "van Lee", email: "ann@example.com" } },
      status: 201,
      json: record("103", { firstname: "Ann", lastname: "van Lee", email: "ann@example.com" }),
    },
  );
  expect(result.text).toBe(
    "Created the contact Ann van Lee.\n\nhttps://app-eu1.hubspot.com/contacts/62515/record/0-1/103",
  );
});

test("field errors that HubSpot writes into its message as JSON are reported by field", async () => {
  const fault = { isValid: false, message: "Email address x is invalid", error: "INVALID_EMAIL", name: "email" };
  const message = `Property values were not valid: ${JSON.stringify([fault])}`;
  await expect(
    run(
      "hubspot.create_contact",
      { email: "x" },
      {
        request: `POST ${API}/crm/v3/objects/contacts`,
        status: 400,
        json: { status: "error", message, correlationId: "c", category: "VALIDATION_ERROR" },
      },
    ),
  ).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "HubSpot: email: Email address x is invalid.",
    details: { field: "email" },
  });
});

test("an existing contact is reported with its ID", async () => {
  await expect(
    run(
      "hubspot.create_contact",
      { email: "ann@example.com" },
      {
        request: `POST ${API}/crm/v3/objects/contacts`,
        status: 409,
        json: { status: "error", message: "Contact already exists. Existing ID: 103", category: "CONFLICT" },
      },
    ),
  ).rejects.toMatchObject({ message: "HubSpot: Contact already exists. Existing ID: 103." });
});

test("a missing scope is named, and no new sign-in is requested", async () => {
  const json = {
    status: "error",
    message: "This app hasn't been granted all required scopes to make this call.",
    errors: [{ message: "One or more of the following scopes are required.", context: { requiredGranularScopes: [] } }],
    category: "MISSING_SCOPES",
  };
  await expect(
    run(
      "hubspot.create_contact",
      { name: "Ann" },
      { request: `POST ${API}/crm/v3/objects/contacts`, status: 403, json },
    ),
  ).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "The connection to HubSpot lacks the permission crm.objects.contacts.write.",
  });
});

test("a contact is changed only in the given fields", async () => {
  const result = await run(
    "hubspot.update_contact",
    { contact: "101", phone: "+1 555", lifecycle_stage: "Sales Qualified Lead" },
    {
      request: `GET ${API}/crm/v3/objects/contacts/101?properties=${CONTACT.replaceAll(",", "%2C")}`,
      json: MARA,
    },
    {
      request: `PATCH ${API}/crm/v3/objects/contacts/101`,
      body: { properties: { phone: "+1 555", lifecyclestage: "salesqualifiedlead" } },
      json: record("101", { phone: "+1 555", lifecyclestage: "salesqualifiedlead" }),
    },
  );
  expect(result.data).toMatchObject({ name: "Mara Lind", phone: "+1 555", lifecycle_stage: "salesqualifiedlead" });
});

const DEAL_SEARCH = {
  filterGroups: [] as unknown[],
  sorts: [{ propertyName: "hs_lastmodifieddate", direction: "DESCENDING" }],
  properties: DEAL.split(","),
  limit: 20,
};
const inStages = (...values: string[]) => ({ propertyName: "dealstage", operator: "IN", values });

test.each([
  [{}, [], "1 deal, together 8,400.5 EUR:"],
  [{ stage: "open" }, [inStages("s1")], "1 open deal, together 8,400.5 EUR:"],
  [{ stage: "won" }, [inStages("s2")], "1 won deal, together 8,400.5 EUR:"],
  [{ stage: "closed" }, [inStages("s2", "s3")], "1 closed deal, together 8,400.5 EUR:"],
  [
    { stage: "contract sent", owner: "me" },
    [inStages("s1"), { propertyName: "hubspot_owner_id", operator: "EQ", value: "77" }],
    "1 deal of yours in contract sent, together 8,400.5 EUR:",
  ],
])("deals %j are filtered by the IDs of stages", async (input, filters, head) => {
  const result = await run(
    "hubspot.list_deals",
    input,
    PIPELINES,
    createSearch("deals", { ...DEAL_SEARCH, filterGroups: filters.length > 0 ? [{ filters }] : [] }, [RENEWAL]),
  );
  expect(result.text.split("\n")[0]).toBe(head);
});

test("a deal starts in the first stage of the default pipeline, associated with its contact", async () => {
  const result = await run(
    "hubspot.create_deal",
    { name: "Acme renewal", amount: 5000, close_date: "2026-12-31", contact: "Mara Lind" },
    PIPELINES,
    createSearch("contacts", contactSearch("Mara Lind"), [MARA]),
    {
      request: `POST ${API}/crm/v3/objects/deals`,
      body: {
        properties: {
          dealname: "Acme renewal",
          pipeline: "default",
          dealstage: "s1",
          amount: "5000",
          closedate: "2026-12-31T12:00:00Z",
        },
        associations: [
          { to: { id: "101" }, types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 3 }] },
        ],
      },
      status: 201,
      json: record("502", { dealname: "Acme renewal" }),
    },
  );
  expect(result.text).toMatch(/^Created the deal Acme renewal with Mara Lind in Contract sent\.\n/);
});

test("a deal moves to a stage by its name, and a deal already there stays", async () => {
  const getDeal = {
    request: `GET ${API}/crm/v3/objects/deals/501?properties=${DEAL.replaceAll(",", "%2C")}`,
    json: RENEWAL,
  };
  const moved = await run("hubspot.move_deal", { deal: "501", stage: "won" }, getDeal, PIPELINES, {
    request: `PATCH ${API}/crm/v3/objects/deals/501`,
    body: { properties: { dealstage: "s2" } },
    json: RENEWAL,
  });
  expect(moved.data).toMatchObject({ from: "Contract sent", stage: "Closed won", changed: true });
  const stays = await run("hubspot.move_deal", { deal: "501", stage: "contract sent" }, getDeal, PIPELINES);
  expect(stays.text).toBe("Renewal is already in Contract sent.");
  await expect(run("hubspot.move_deal", { deal: "501", stage: "gone" }, getDeal, PIPELINES)).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    hint: "Available stages: Contract sent, Closed won, Closed lost.",
  });
});

test("a note is HTML with the text escaped, with the current time, associated with contact and deal", async () => {
  const tie = (id: string, associationTypeId: number) => ({
    to: { id },
    types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId }],
  });
  const result = await run(
    "hubspot.add_note",
    { contact: "Mara Lind", deal: "501", text: "Called & said <b>\n\n- **yes**" },
    createSearch("contacts", contactSearch("Mara Lind"), [MARA]),
    { request: `GET ${API}/crm/v3/objects/deals/501?properties=${DEAL.replaceAll(",", "%2C")}`, json: RENEWAL },
    {
      request: `POST ${API}/crm/v3/objects/notes`,
      body: {
        properties: {
          hs_timestamp: "2026-11-27T12:00:00.000Z",
          hs_note_body: "<p>Called &amp; said &lt;b&gt;</p><ul><li><strong>yes</strong></li></ul>",
        },
        associations: [tie("101", 202), tie("501", 214)],
      },
      status: 201,
      json: record("801", {}),
    },
  );
  expect(result.text).toMatch(/^Added the note to Mara Lind and Renewal\.\n/);
});

test("summaries say exactly what a call does", () => {
  const summary = (name: string, input: Record<string, unknown>) => summarize(hubspot, name, input);
  expect([
    summary("hubspot.create_contact", { name: "Ann Lee", email: "ann@example.com" }),
    summary("hubspot.update_contact", { contact: "Ann Lee", phone: "1", new_name: "Ann Leo" }),
    summary("hubspot.create_deal", { name: "X", amount: 5000, contact: "Ann Lee" }),
    summary("hubspot.move_deal", { deal: "X", stage: "won" }),
    summary("hubspot.add_note", { deal: "X", text: "a\nb" }),
    summary("hubspot.list_deals", { stage: "Contract sent", owner: "Ann" }),
  ]).toEqual([
    "Create the contact Ann Lee (email ann@example.com)",
    "Change the contact Ann Lee: phone 1, name Ann Leo",
    "Create the deal “X” (amount 5,000, with Ann Lee)",
    "Move the deal X to won",
    "Note on the deal X: “a b”",
    "List deals of Ann in Contract sent",
  ]);
});
