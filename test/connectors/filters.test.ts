import { expect, test } from "vitest";
import { googleSheets } from "#connectors/google-sheets/google-sheets";
import { connectService, sandboxServices } from "./support/sandbox.ts";

test("HubSpot deals are listed by amount, dates and order", async () => {
  const { run } = await connectService(sandboxServices(), "hubspot");
  type Deals = { deals: { name: string; amount: number | null; closes: string | null }[] };
  const list = async (input: Record<string, unknown>) =>
    ((await run("hubspot.list_deals", { stage: "all", limit: 100, ...input })).data as Deals).deals;
  const amounts = (await list({ order: "amount" })).flatMap(({ amount }) => amount ?? []);
  expect(amounts).toEqual([...amounts].sort((a, b) => b - a));
  const middle = amounts[Math.floor(amounts.length / 2)] ?? 0;
  for (const { amount } of await list({ minAmount: middle })) expect(amount).toBeGreaterThanOrEqual(middle);
  for (const { amount } of await list({ maxAmount: middle })) expect(amount).toBeLessThanOrEqual(middle);
  const closes = (await list({ order: "closes" })).flatMap((deal) => deal.closes ?? []);
  expect(closes).toEqual([...closes].sort());
  const day = closes[1] ?? "";
  expect((await list({ closesBefore: day })).map((deal) => deal.closes)).toContain(day);
  for (const deal of await list({ closesBefore: day })) expect((deal.closes ?? "") <= day).toBe(true);
  for (const deal of await list({ closesAfter: day })) expect((deal.closes ?? "") >= day).toBe(true);
  expect(await list({ createdSince: "2099-01-01" })).toEqual([]);
  await expect(list({ closesBefore: "soon" })).rejects.toMatchObject({ details: { field: "closesBefore" } });
});

test("Confluence pages are searched by date and by CQL", async () => {
  const { run } = await connectService(sandboxServices(), "confluence");
  const search = async (input: Record<string, unknown>) =>
    (await run("confluence.search", { limit: 50, ...input })).data as { cql: string; pages: { updated: string }[] };
  const { cql, pages } = await search({ changedSince: "2026-11-01" });
  expect(cql).toBe('type = "page" AND lastmodified >= "2026-11-01" ORDER BY lastmodified DESC');
  expect(pages.length).toBeGreaterThan(0);
  for (const { updated } of pages) expect(updated >= "2026-11-01").toBe(true);
  expect((await search({ changedSince: "2099-01-01" })).pages).toEqual([]);
  const query = "type = page ORDER BY created DESC";
  expect((await search({ cql: query, text: "ignored" })).cql).toBe(query);
  await expect(search({ changedSince: "soon" })).rejects.toMatchObject({ message: "“soon” is not a day." });
});

test("GitHub issues are listed by several labels and date, and commits by author and date", async () => {
  const { run } = await connectService(sandboxServices(), "github");
  const repository = "kay-demo/kay-docs";
  type Issues = { issues: { title: string }[] };
  const titles = async (input: Record<string, unknown>) =>
    ((await run("github.list_issues", { repository, state: "all", ...input })).data as Issues).issues.length;
  const all = await titles({});
  expect(await titles({ label: "bug" })).toBeLessThan(all);
  expect(await titles({ label: "bug, nothing" })).toBe(0);
  expect(await titles({ since: "2020-01-01" })).toBe(all);
  expect(await titles({ since: "2099-01-01" })).toBe(0);
  await expect(titles({ since: "soon" })).rejects.toMatchObject({ details: { field: "since" } });
  type Commits = { commits: { message: string; author: string; date: string }[] };
  const commits = async (input: Record<string, unknown>) =>
    ((await run("github.list_commits", { repository, ...input })).data as Commits).commits;
  const allCommits = await commits({});
  expect(allCommits.at(-1)?.message).toBe("Initial commit");
  for (const { author } of await commits({ author: "me" })) expect(author).toBe("dana-demo");
  expect(await commits({ since: "2099-01-01" })).toEqual([]);
  expect((await commits({ until: "2099-01-01" })).length).toBe(allCommits.length);
});

test("Airtable fields are set together", async () => {
  const { run } = await connectService(sandboxServices(), "airtable");
  type Tables = { tables: { name: string; fields: { name: string; type: string }[] }[] };
  const { bases } = (await run("airtable.list_bases", {})).data as { bases: { id: string }[] };
  const { tables } = (await run("airtable.describe_base", { base: bases[0]?.id })).data as Tables;
  const { name: table = "", fields = [] } = tables.find((table) => table.fields[0]?.type === "singleLineText") ?? {};
  const [primary = "", secondary = ""] = fields.flatMap(({ name, type }) => (/Text$/.test(type) ? [name] : []));
  await run("airtable.create_record", { table, name: "007" });
  const values = { [primary]: "2*3*4", ...(secondary ? { [secondary]: "__init__.py" } : {}) };
  const { text } = await run("airtable.update_record", { table, record: "007", fields: values });
  for (const value of Object.values(values)) expect(text).toContain(value);
  await run("airtable.update_record", { table, record: "2*3*4", field: primary, value: "008" });
  await expect(run("airtable.update_record", { table, record: "008" })).rejects.toMatchObject({
    message: "A field to set is required.",
  });
});

test("Sheets take rows as values, and new tabs", async () => {
  const { run } = await connectService(sandboxServices(), "google-sheets");
  const { data: created } = await run("google-sheets.create_spreadsheet", { title: "Rows" });
  const spreadsheet = (created as { id: string }).id;
  await run("google-sheets.add_sheet", { spreadsheet, title: "Second" });
  const rows = [
    ["Ann", 7, "007", true, null, "a, b"],
    ["=SUM(A1)", "1.0"],
  ];
  await run("google-sheets.append_rows", { spreadsheet, sheet: "Second", rows });
  const { data } = await run("google-sheets.read_range", { spreadsheet, sheet: "Second" });
  expect(data).toMatchObject({
    sheets: [expect.any(String), "Second"],
    values: [
      ["Ann", "7", "007", expect.stringMatching(/true/i), "", "a, b"],
      ["=SUM(A1)", "1.0"],
    ],
  });
  const cells = [
    ["Bob", 8],
    ["=A1", null],
  ];
  const update = { spreadsheet, sheet: "Second", range: "A1:B2", rows: cells };
  await run("google-sheets.update_cells", update);
  expect((await run("google-sheets.read_range", { spreadsheet, sheet: "Second", range: "A1:B2" })).data).toMatchObject({
    values: [
      ["Bob", "8"],
      ["=A1", "1.0"],
    ],
  });
  for (const change of [{ rows: undefined }, { rows: [] }, { range: "A1" }]) {
    const refused = run("google-sheets.update_cells", { ...update, ...change });
    await expect(refused).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  }
  const setCells = googleSheets.tools.find(({ name }) => name === "google-sheets.update_cells");
  expect(setCells?.summary(update)).toBe(
    `Write into 'Second'!A1:B2 of the spreadsheet ${spreadsheet}: Bob | 8; =A1 | (unchanged)`,
  );
  await expect(run("google-sheets.append_rows", { spreadsheet })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  const tool = googleSheets.tools.find(({ name }) => name === "google-sheets.append_rows");
  expect(tool?.summary({ spreadsheet: "S", rows })).toBe(
    "Add to the spreadsheet S: Ann | 7 | 007 | true |  | a, b; =SUM(A1) | 1.0",
  );
});
