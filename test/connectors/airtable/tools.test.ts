import { expect, test } from "vitest";
import { airtable } from "#connectors/airtable/airtable";
import { contextOver, createRunner, type Expected, httpOver, outside, runTool } from "../support/outside.ts";

const API = "https://api.airtable.com/v0";
const BASE = "appLkNDICXNqxSDhG";
const TABLE = "tbltp8DGLhqbUmjK1";
const REC = "rec560UJdUtocSouk";

const bases: Expected = {
  request: `GET ${API}/meta/bases`,
  json: { bases: [{ id: BASE, name: "Apartment Hunting", permissionLevel: "create" }] },
};
const schema: Expected = {
  request: `GET ${API}/meta/bases/${BASE}/tables`,
  json: {
    tables: [
      {
        id: TABLE,
        name: "Apartments",
        primaryFieldId: "fld1VnoyuotSTyxW1",
        fields: [
          { id: "fld1VnoyuotSTyxW1", name: "Name", type: "singleLineText" },
          { id: "fld2", name: "Price}", type: "currency", options: { precision: 2, symbol: "$" } },
          { id: "fld3", name: "Visited", type: "checkbox", options: { icon: "check" } },
        ],
        views: [],
      },
    ],
  },
};

const runTable = createRunner(airtable, {});
const run = (name: string, input: Record<string, unknown>, ...expected: Expected[]) =>
  runTable(name, { table: "Apartments", ...input }, ...expected);

const list = (query: string) => `GET ${API}/${BASE}/${TABLE}?${query}`;

test("pages of records are followed by their offset up to the limit", async () => {
  const records = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => ({
      id: `rec${from + index}`,
      createdTime: "2026-09-12T21:03:48.000Z",
      fields: { Name: `A${from + index}`, Visited: true },
    }));
  const { data, text } = await run(
    "airtable.list_records",
    { limit: 150 },
    bases,
    schema,
    { request: list("pageSize=100"), json: { records: records(0, 100), offset: "itrX/rec100" } },
    {
      request: list("pageSize=50&offset=itrX/rec100").replace("itrX/", "itrX%2F"),
      json: { records: records(100, 150), offset: "itrX/rec150" },
    },
  );
  expect(data).toMatchObject({ more: true, table: "Apartments", base: "Apartment Hunting" });
  expect(text.split("\n").slice(0, 5)).toEqual([
    "The first 150 records in Apartments (Apartment Hunting); there are more:",
    "",
    "| Name | Visited |",
    "| --- | --- |",
    "| A0 | yes |",
  ]);
});

test("values and names are quoted in formulas, whatever they contain", async () => {
  const world = outside(bases, schema);
  const formulas: string[] = [];
  const fetch = async (url: string, init?: RequestInit) => {
    if (!url.includes(TABLE)) return world.fetch(url, init);
    formulas.push(new URL(url).searchParams.get("filterByFormula") ?? "");
    return Response.json({ records: [] });
  };
  const list = (input: Record<string, unknown>) =>
    runTool(airtable, "airtable.list_records", { table: "Apartments", ...input }, contextOver({ fetch }, airtable, {}));
  expect((await list({ field: "name", value: 'a" , TRUE()) \\ x' })).text).toBe(
    "No matching records in Apartments (Apartment Hunting).",
  );
  expect(formulas).toEqual(['LOWER({Name} & "") = "a\\" , true()) \\\\ x"']);
});

test("429 waits the half minute that Airtable requires, and the write is sent again once", async () => {
  const busy = { errors: [{ error: "RATE_LIMIT_REACHED", message: "Rate limit exceeded. Please try again later" }] };
  const create = {
    request: `POST ${API}/${BASE}/${TABLE}`,
    body: { records: [{ fields: { Name: "Loft", "Price}": 1200 } }] },
  };
  const world = outside(
    bases,
    schema,
    { ...create, status: 429, json: busy },
    { ...create, json: { records: [{ id: REC, createdTime: "", fields: { Name: "Loft" } }] } },
  );
  const { http, pauses } = httpOver(world, airtable);
  const context = {
    http,
    metadata: {},
    signal: new AbortController().signal,
    idempotencyKey: "e",
    clock: { now: () => 0 },
  };
  const { text } = await runTool(
    airtable,
    "airtable.create_record",
    { table: "apartments", name: "Loft", fields: { "price}": "$1,200" } },
    context,
  );
  world.done();
  expect(pauses).toEqual([30_000]);
  expect(text).toBe(`Added “Loft” to Apartments (Apartment Hunting).\n\nhttps://airtable.com/${BASE}/${TABLE}/${REC}`);
});

test("V09 a deletion names what it deletes, and an answer without a body is a success", async () => {
  const tool = airtable.tools.find(({ name }) => name === "airtable.delete_record");
  expect([tool?.access, tool?.summary({ table: "Apartments", record: "Loft" })]).toEqual([
    "destructive",
    "Delete the record “Loft” from “Apartments” in Airtable",
  ]);
  const path = `${API}/${BASE}/${TABLE}/${REC}`;
  const { text } = await run(
    "airtable.delete_record",
    { record: `https://airtable.com/${BASE}/${TABLE}/${REC}` },
    bases,
    schema,
    { request: `GET ${path}`, json: { id: REC, createdTime: "", fields: { Name: "Loft" } } },
    { request: `DELETE ${path}`, status: 204 },
  );
  expect(text).toBe("Deleted “Loft” from Apartments (Apartment Hunting).");
});

test("an error is shown in Airtable's words; a bare code is not", async () => {
  const path = `${API}/${BASE}/${TABLE}/${REC}`;
  const get = (answer: Partial<Expected>) =>
    run("airtable.get_record", { record: REC }, bases, schema, { request: `GET ${path}`, ...answer });
  await expect(get({ status: 404, json: { error: "NOT_FOUND" } })).rejects.toMatchObject({
    message: "Airtable could not find it, or this account may not see it.",
  });
  const error = { type: "INVALID_PERMISSIONS", message: "You are not permitted to perform this operation" };
  await expect(get({ status: 403, json: { error } })).rejects.toMatchObject({
    message: "Airtable: You are not permitted to perform this operation.",
  });
});
