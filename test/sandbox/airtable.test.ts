import { expect, test } from "vitest";
import { AIRTABLE, sandbox } from "./stand-in.ts";

const SCOPES = "data.records:read data.records:write schema.bases:read user.email:read";

async function signIn(scope = SCOPES, account?: string) {
  const world = sandbox();
  const { call, refresh } = await world.signIn("airtable", scope, account);
  const ask = (method: string, path: string, json?: unknown) =>
    call(`/v0${path}`, { method, ...(json === undefined ? {} : { json }) });
  const base = (await ask("GET", "/meta/bases")).body.bases?.[0]?.id;
  return { world, ask, call, refresh, base, tasks: `/${base}/Tasks` };
}

const names = (body: { records: { fields: { Name: string } }[] }) => body.records.map(({ fields }) => fields.Name);

test("consent without an S256 challenge is refused", async () => {
  const world = sandbox();
  const url = new URL(world.authorizeUrl("airtable", SCOPES));
  url.searchParams.delete("code_challenge");
  const answer = await world.ask("airtable", url.href);
  expect(new URL(answer.headers.get("location") ?? "").searchParams.get("error_description")).toBe(
    "code_challenge is required",
  );
});

test("a refresh token works once, and for 60 days", async () => {
  const { world, refresh } = await signIn();
  const { body } = await world.exchange("airtable", { grant_type: "refresh_token", refresh_token: refresh });
  expect(body).toEqual({
    access_token: expect.any(String),
    refresh_token: expect.any(String),
    refresh_expires_in: 5_184_000,
    token_type: "Bearer",
    scope: SCOPES,
    expires_in: 3_600,
  });
  expect((await world.exchange("airtable", { grant_type: "refresh_token", refresh_token: refresh })).body.error).toBe(
    "invalid_grant",
  );
  world.later(60 * 86_400_000);
  expect(
    (await world.exchange("airtable", { grant_type: "refresh_token", refresh_token: body.refresh_token })).body.error,
  ).toBe("invalid_grant");
});

test("the account, its bases and their tables, within the scopes", async () => {
  const { ask, base } = await signIn();
  expect((await ask("GET", "/meta/whoami")).body).toEqual({
    id: "usr0d4a7e526f0b4c",
    scopes: SCOPES.split(" "),
    email: "dana@example.com",
  });
  const { tables } = (await ask("GET", `/meta/bases/${base}/tables`)).body;
  expect(tables[0]).toMatchObject({
    name: "Tasks",
    primaryFieldId: tables[0].fields[0].id,
    fields: expect.arrayContaining([
      { id: expect.any(String), name: "Blocked", type: "checkbox", options: expect.anything() },
    ]),
  });
  const other = await signIn("data.records:read");
  expect((await other.ask("GET", "/meta/bases")).body).toEqual({
    error: { type: "INVALID_PERMISSIONS", message: "You are not permitted to perform this operation" },
  });
});

test("records are listed by page, and a wrong offset, formula or size is refused", async () => {
  const { ask, tasks } = await signIn();
  const first = (await ask("GET", `${tasks}?pageSize=3`)).body;
  expect([
    names(first).length,
    names((await ask("GET", `${tasks}?pageSize=3&offset=${encodeURIComponent(first.offset)}`)).body),
  ]).toEqual([3, ["Press list"]]);
  const sorted = `${tasks}?sort[0][field]=Hours&sort[0][direction]=desc&maxRecords=2`;
  expect(names((await ask("GET", sorted)).body)).toEqual(["Record the demo", "Write the announcement"]);
  const body = { filterByFormula: 'AND(SEARCH("the", {Name}), {Owner} != "Sam Sample")', sort: [{ field: "Due" }] };
  expect(names((await ask("POST", `${tasks}/listRecords`, body)).body)).toEqual([
    "Book the domain",
    "Write the announcement",
  ]);
  const readError = async (query: string) => (await ask("GET", `${tasks}?${query}`)).body.error;
  expect(await readError("pageSize=101")).toMatchObject({ type: "INVALID_REQUEST_UNKNOWN" });
  expect(await readError("offset=itr/rec")).toMatchObject({ type: "LIST_RECORDS_ITERATOR_NOT_AVAILABLE" });
  expect(await readError("filterByFormula=AND(")).toEqual({
    type: "INVALID_FILTER_BY_FORMULA",
    message: "The formula for filtering records is invalid: Please check your formula text.",
  });
});

test("ten records are written in one request, all or none", async () => {
  const { ask, tasks } = await signIn();
  const records = (count: number) => ({
    records: Array.from({ length: count }, (_, index) => ({ fields: { Name: `T${index}` } })),
  });
  const created = (await ask("POST", tasks, records(10))).body.records;
  expect(created).toHaveLength(10);
  expect((await ask("POST", tasks, records(11))).status).toBe(422);
  const [firstId, two] = created.map(({ id }: { id: string }) => id);
  const patch = {
    records: [
      { id: firstId, fields: { Hours: 1 } },
      { id: two, fields: { Hours: "many" } },
    ],
  };
  expect((await ask("PATCH", tasks, patch)).body.error).toEqual({
    type: "INVALID_VALUE_FOR_COLUMN",
    message: 'Field "Hours" cannot accept the provided value',
  });
  expect((await ask("GET", `${tasks}/${firstId}`)).body.fields).toEqual({
    Name: "T0",
    Created: "2026-11-20T09:00:00.000Z",
  });
  expect((await ask("PATCH", `${tasks}/${firstId}`, { fields: { Status: "Later" } })).body.error.type).toBe(
    "INVALID_MULTIPLE_CHOICE_OPTIONS",
  );
  expect(
    (await ask("PATCH", `${tasks}/${firstId}`, { fields: { Status: "Later" }, typecast: true })).body.fields.Status,
  ).toBe("Later");
  expect((await ask("DELETE", `${tasks}?records[]=${firstId}&records[]=${two}`)).body.records).toEqual([
    { id: firstId, deleted: true },
    { id: two, deleted: true },
  ]);
  expect((await ask("GET", `${tasks}/${firstId}`)).body).toEqual({ error: "NOT_FOUND" });
  expect((await ask("GET", "/appAAAAAAAAAAAAAA/Tasks")).body.error.type).toBe("INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND");
});

test("links lead to pages for users", async () => {
  const { world, ask, base, tasks } = await signIn();
  const [table] = (await ask("GET", `/meta/bases/${base}/tables`)).body.tables;
  const [record] = (await ask("GET", tasks)).body.records;
  const page = await world.ask("airtable", `${AIRTABLE}/${base}/${table.id}/${record.id}`);
  expect([page.status, page.text.includes("Blog, Newsletter")]).toEqual([200, true]);
  expect((await world.ask("airtable", `${AIRTABLE}/${base}/tblAAAAAAAAAAAAAA`)).status).toBe(404);
});
