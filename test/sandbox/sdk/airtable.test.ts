import Airtable from "airtable";
import { expect, test } from "vitest";
import { catchFailure, serveSandbox } from "./served.ts";

const ALL = "data.records:read data.records:write schema.bases:read";

async function createClient(scope = ALL) {
  const world = await serveSandbox("airtable");
  const { token } = await world.signIn("airtable", scope);
  const base = (await (await world.signIn("airtable", ALL)).call("/v0/meta/bases")).body.bases[0].id;
  return new Airtable({ apiKey: token, endpointUrl: world.url, noRetryIfRateLimited: true }).base(base);
}

test("airtable.js reads a table page by page, sorted, filtered and with few fields", async () => {
  const tasks = (await createClient())("Tasks");
  const sizes: number[] = [];
  await tasks.select({ pageSize: 2 }).eachPage((records, next) => {
    sizes.push(records.length);
    next();
  });
  expect(sizes.slice(0, -1).every((size) => size === 2)).toBe(true);
  expect(sizes.length).toBeGreaterThan(1);
  const todo = await tasks
    .select({
      pageSize: 1,
      fields: ["Name", "Hours"],
      filterByFormula: "{Status} = 'Todo'",
      sort: [{ field: "Hours", direction: "desc" }],
    })
    .all();
  const hours = todo.map((record) => Number(record.get("Hours") ?? 0));
  expect(hours).toEqual([...hours].sort((a, b) => b - a));
  expect(todo.map((record) => record.get("Name"))).toContain("Record the demo");
  expect(todo.every(({ fields }) => !("Status" in fields))).toBe(true);
});

test("a long formula, which airtable.js sends in a body, finds the same", async () => {
  const tasks = (await createClient())("Tasks");
  const filterByFormula = `OR({Name} = 'Record the demo'${", {Name} = 'Nothing of that name at all'".repeat(500)})`;
  const records = await tasks.select({ filterByFormula, fields: ["Name"], pageSize: 1 }).all();
  expect(records.map((record) => record.get("Name"))).toEqual(["Record the demo"]);
});

test("airtable.js creates, changes and deletes records, one and many", async () => {
  const tasks = (await createClient())("Tasks");
  const one = await tasks.create({ Name: "Colours", Hours: 1 });
  const two = await tasks.create([{ fields: { Name: "Blue" } }, { fields: { Name: "Green" } }]);
  expect([one.get("Name"), ...two.map((record) => record.get("Name"))]).toEqual(["Colours", "Blue", "Green"]);
  const updated = await tasks.update(one.id, { Hours: 2 });
  expect([updated.get("Name"), updated.get("Hours")]).toEqual(["Colours", 2]);
  const deleted = await tasks.destroy([one.id, ...two.map(({ id }) => id)]);
  expect(deleted).toHaveLength(3);
});

test("airtable.js reports a missing record and a missing scope", async () => {
  const tasks = (await createClient())("Tasks");
  expect(await catchFailure(tasks.find("rec00000000000000"))).toMatchObject({ error: "NOT_FOUND", statusCode: 404 });
  const reader = (await createClient("data.records:read"))("Tasks");
  expect(await catchFailure(reader.create({ Name: "x" }))).toMatchObject({ error: "NOT_AUTHORIZED", statusCode: 403 });
});
