import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { configureServices } from "#connectors/catalogue";
import { github } from "#connectors/github/github";
import { type ListRequest, readPages } from "#connectors/http/pages";
import { defineListTool, formatList } from "#connectors/list-tool";
import type { ToolContext } from "#connectors/tool";
import { DEFAULT_SEED as ATLASSIAN } from "#sandbox/atlassian/default-seed";
import { DEFAULT_SEED as GOOGLE } from "#sandbox/google/default-seed";
import { contextOver, runTool } from "./support/outside.ts";
import { connectService, sandboxServices } from "./support/sandbox.ts";

type Data = Record<string, unknown> & { next_cursor?: string };
type List = { input?: Record<string, unknown>; field: string };

/**
 * Every tool that lists: an input with which the sandbox has several items, and the field of the result that holds
 * them.
 */
const LISTS: Record<string, List> = {
  "airtable.list_bases": { field: "bases" },
  "airtable.list_records": { input: { table: "Tasks" }, field: "records" },
  "bitbucket.list_pull_requests": { input: { state: "all" }, field: "pull_requests" },
  "bitbucket.list_repositories": { field: "repositories" },
  "confluence.list_comments": { input: { page: "Runbook: sign-in fails" }, field: "comments" },
  "confluence.list_spaces": { field: "spaces" },
  "confluence.search": { field: "pages" },
  "github.list_commits": { input: { repository: "kay-docs" }, field: "commits" },
  "github.list_issues": { input: { repository: "kay-docs", state: "all" }, field: "issues" },
  "github.list_pull_requests": { input: { repository: "kay-docs", state: "all" }, field: "pull_requests" },
  "github.list_repositories": { field: "repositories" },
  "github.search": { input: { text: "is:open" }, field: "results" },
  "gmail.search": { input: { place: "anywhere" }, field: "messages" },
  "google-calendar.list_events": { input: { start: "2026-11-01", end: "2027-02-01" }, field: "events" },
  "google-docs.search": { field: "documents" },
  "google-drive.search": { field: "files" },
  "google-sheets.search": { field: "spreadsheets" },
  "hubspot.list_deals": { input: { stage: "all" }, field: "deals" },
  "hubspot.search_contacts": { field: "contacts" },
  "jira.list_projects": { field: "projects" },
  "jira.search": { input: { project: "KAY" }, field: "issues" },
  "notion.query_database": { input: { database: "Road map" }, field: "rows" },
  "notion.search": { field: "results" },
  "slack.list_channels": { field: "channels" },
  "slack.list_users": { field: "people" },
  "slack.read_channel": { input: { channel: "#general" }, field: "messages" },
  "slack.search_messages": { input: { text: "the" }, field: "messages" },
};

/** The sandbox's world with some more spaces and spreadsheets, of which it has only one each. */
const SEED = {
  atlassian: {
    ...ATLASSIAN,
    sites: ATLASSIAN.sites.map((site) => ({
      ...site,
      spaces: [...(site.spaces ?? []), { key: "OPS", name: "Operations" }, { key: "QA", name: "Quality" }],
    })),
  },
  google: {
    ...GOOGLE,
    files: [
      ...(GOOGLE.files ?? []),
      ...["B", "C"].map((name) => ({ name, owner: "dana@example.com", sheets: [{ title: "One" }] })),
    ],
  },
};

/** Follows the cursors from the start on. The limits of the calls are taken in turn. */
async function readAll(call: (input: Data) => Promise<Data>, limits: number[], field: string): Promise<unknown[]> {
  const pages: unknown[][] = [];
  for (let cursor: string | undefined; ; ) {
    const limit = limits[pages.length % limits.length] ?? 1;
    const data = await call({ limit, ...(cursor ? { cursor } : {}) });
    const items = data[field] as unknown[];
    // A channel is read backwards, with the newest message of a call last.
    pages.push(field === "messages" && "channel" in data ? items.toReversed() : items);
    cursor = data.next_cursor;
    if (cursor === undefined) return pages.flat();
    expect(pages.length).toBeLessThan(50);
  }
}

test("every tool with a limit has a cursor, and is tested here", () => {
  const services = configureServices({ clients: {} }).map(({ service }) => service);
  const fields = services.flatMap(({ tools }) =>
    tools.map(({ name, input }) => ({
      name,
      known: Object.keys(z.toJSONSchema(input, { io: "input" }).properties ?? {}),
    })),
  );
  const withField = (field: string) =>
    fields.flatMap(({ name, known }) => (known.includes(field) ? [name] : [])).sort();
  expect([withField("limit"), withField("cursor")]).toEqual([Object.keys(LISTS), Object.keys(LISTS)]);
});

test.each(Object.entries(LISTS))(
  "%s lists everything once and in order by cursors, whatever the limits",
  async (name, list) => {
    const { run } = await connectService(sandboxServices(SEED), name.split(".")[0] ?? "");
    const call = async (input: Data) => {
      const data = (await run(name, { ...list.input, ...input })).data as Data;
      expect(data[list.field]).toHaveProperty(
        "length",
        expect.toSatisfy((length) => length <= Number(input.limit)),
      );
      return data;
    };
    const allItems = await readAll(call, [50], list.field);
    expect(allItems.length).toBeGreaterThan(1);
    for (const limits of [[1], [2], [1, 3]]) expect(await readAll(call, limits, list.field)).toEqual(allItems);
  },
);

test("a thread is read from its newest replies on, with the message that began it first", async () => {
  const { run } = await connectService(sandboxServices(), "slack");
  const { url: thread } = await run("slack.send_message", { channel: "#random", text: "Why?" });
  for (const text of ["one", "two", "three", "four"])
    await run("slack.reply", { channel: "#random", message: thread, text });
  const call = async (input: Data) =>
    (await run("slack.read_channel", { channel: "#random", thread, ...input })).data as Data;
  const first = await call({ limit: 3 });
  const texts = (data: Data) => (data.messages as { text: string }[]).map(({ text }) => text);
  expect(texts(first)).toEqual(["Why?", "two", "three", "four"]);
  expect(texts(await call({ cursor: first.next_cursor }))).toEqual(["one"]);
});

/** A list whose pages have any sizes, also 0, and whose cursors say nothing about them. */
function createPages(sizes: number[]) {
  const starts = sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0));
  const pages = sizes.map((size, index) =>
    Array.from({ length: size }, (_, item) => ({ id: (starts[index] ?? 0) + item })),
  );
  return {
    all: pages.flat(),
    fetchPage: async (cursor = "0") => {
      const next = Number(cursor) + 1;
      return { items: pages[Number(cursor)] ?? [], next: next < pages.length ? String(next) : undefined };
    },
  };
}

test("whatever the sizes of pages and the limits, each item is listed once and in order", async () => {
  const sizes = fc.array(fc.nat({ max: 7 }), { maxLength: 30 });
  const limits = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(sizes, limits, async (sizes, limits) => {
      const { all, fetchPage } = createPages(sizes);
      const pages: object[] = [];
      let list: ListRequest = { limit: 0, start: { index: 0 }, next: { index: 0 } };
      for (let calls = 0; list.next; calls++) {
        list = { limit: limits[calls % limits.length] ?? 1, start: list.next };
        pages.push(...(await readPages(fetchPage, list)).items);
      }
      expect(pages).toEqual(all);
    }),
  );
});

/** A tool that lists the numbers up to 9, and says where it was asked to start. */
const numbers = defineListTool({
  name: "test.list_numbers",
  description: "List numbers.",
  input: z.object({ parity: z.optional(z.string()) }),
  limit: { usual: 3, most: 5 },
  examples: [],
  summary: () => "List numbers",
  run: async (_, _context, list) => {
    const { fetchPage } = createPages([4, 0, 6]);
    const { items, more } = await readPages(fetchPage, list);
    const text = formatList(list, { count: items.length, words: "numbers", more, items: () => items.join() });
    return { data: { start: list.start, ids: items.map(({ id }) => id) }, text: text.split(":")[0] ?? "" };
  },
});
const callNumbers = async (input: Data) => {
  const { data, text } = await numbers.run(numbers.input.parse(input), {} as ToolContext);
  return { text, ...(data as Data) };
};

test("a limit in the middle of a page: the cursor names the page and the item in it", async () => {
  const first = await callNumbers({ limit: 5 });
  expect(first).toMatchObject({ ids: [0, 1, 2, 3, 4], text: "The first 5 numbers; there are more" });
  const second = await callNumbers({ cursor: first.next_cursor });
  expect(second).toMatchObject({
    start: { cursor: "2", index: 1 },
    ids: [5, 6, 7],
    text: "The next 3 numbers; there are more",
  });
  const last = await callNumbers({ limit: 5, cursor: second.next_cursor });
  expect(last).toEqual({ start: { cursor: "2", index: 4 }, ids: [8, 9], text: "The next 2 numbers" });
});

test.each<[string, (cursor: string) => Data]>([
  ["cut", (cursor) => ({ cursor: cursor.slice(0, -1) })],
  ["changed", (cursor) => ({ cursor: `${cursor}x` })],
  ["of other fields", (cursor) => ({ cursor, parity: "even" })],
  ["an address", () => ({ cursor: "https://api.github.com/user" })],
  ["a page of the service", () => ({ cursor: Buffer.from('[0,"https://evil.test/x"]').toString("base64url") })],
  ["much too long", (cursor) => ({ cursor: cursor + "A".repeat(1_000_000) })],
])("a cursor that is %s is one clear error", async (_, change) => {
  const { next_cursor: cursor = "" } = await callNumbers({});
  await expect(callNumbers(change(cursor))).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "This cursor does not belong to this list.",
    hint: "Call test.list_numbers with the whole next_cursor of a result and the same other fields, or without a cursor.",
  });
});

test("an empty field is like one that is left out, and a null-like cursor starts the list", async () => {
  const { next_cursor: cursor } = await callNumbers({ parity: "" });
  expect(await callNumbers({ cursor })).toMatchObject({ ids: [3, 4, 5] });
  expect(await callNumbers({ cursor: " " })).toMatchObject({ ids: [0, 1, 2] });
});

test("a cursor leads to no other address, even one that was made up with the right checksum", async () => {
  const requests: string[] = [];
  const evil = "//evil.test/x?page=2&a=https://evil.test#/../../user";
  const place = Buffer.from(JSON.stringify([0, evil])).toString("base64url");
  const filter = JSON.stringify(["github.list_commits", [["repository", "o/r"]]]);
  const check = createHash("sha256").update(`${filter}\n${place}`).digest("base64url").slice(0, 8);
  const fetch = async (url: string) => {
    requests.push(url);
    return Response.json([]);
  };
  const input = { repository: "o/r", cursor: `${check}.${place}` };
  await runTool(github, "github.list_commits", input, contextOver({ fetch }, github, {}));
  expect(requests).toHaveLength(1);
  expect(new URL(requests[0] ?? "")).toMatchObject({
    origin: "https://api.github.com",
    pathname: "/repos/o/r/commits",
  });
});

test("a service that no longer takes its cursor is reported with what to do", async () => {
  const fetch = async (url: string) =>
    url.includes("page=2")
      ? Response.json({ message: "Bad cursor" }, { status: 422 })
      : Response.json([{ sha: "a".repeat(40), commit: {} }], {
          headers: { link: '<https://api.github.com/repositories/1/commits?page=2>; rel="next"' },
        });
  const context = contextOver({ fetch }, github, {});
  const first = await runTool(github, "github.list_commits", { repository: "o/r", limit: 1 }, context);
  const { next_cursor: cursor } = first.data as Data;
  await expect(runTool(github, "github.list_commits", { repository: "o/r", cursor }, context)).rejects.toMatchObject({
    hint: "The cursor may be too old: list again without it.",
  });
});
