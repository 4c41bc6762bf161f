import { expect, test } from "vitest";
import { notion } from "#connectors/notion/notion";
import { createRunner, type Expected, summarize } from "../support/outside.ts";

const API = "https://api.notion.com/v1";
const ID = "59833787-2cf9-4fdf-8782-e53db20768a5";
const URL_OF = "https://www.notion.so/Tuscan-kale-598337872cf94fdf8782e53db20768a5";

/** A page as returned by Notion, shortened. */
function page(title: string, more: Record<string, unknown> = {}) {
  return {
    object: "page",
    id: ID,
    created_time: "2026-03-01T19:05:00.000Z",
    last_edited_time: "2026-07-06T20:25:00.000Z",
    parent: { type: "page_id", page_id: "98ad959b-2b6a-4774-80ee-00246fb0ea9b" },
    in_trash: false,
    properties: {
      title: { id: "title", type: "title", title: [{ type: "text", plain_text: title, href: null, annotations: {} }] },
    },
    url: URL_OF,
    ...more,
  };
}

const run = createRunner(notion, { user_id: "u-me" });

const search = (query: string, results: unknown[]): Expected => ({
  request: `POST ${API}/search`,
  body: { query, filter: { property: "object", value: "page" }, page_size: 50 },
  json: { object: "list", results, next_cursor: null, has_more: false },
});

test("a title means the page with exactly that title; a similar one is not written to", async () => {
  const comment = {
    request: `POST ${API}/comments`,
    body: { parent: { page_id: ID }, rich_text: [{ type: "text", text: { content: "ok" } }] },
    json: { id: "c1" },
  };
  const both = [page("Tuscan kale soup", { id: "other" }), page("Tuscan kale")];
  const result = await run("notion.comment", { page: "tuscan kale", text: "ok" }, search("tuscan kale", both), comment);
  expect(result.text).toBe(`Commented on “Tuscan kale”.\n\n${URL_OF}`);
  await expect(run("notion.comment", { page: "Kale", text: "ok" }, search("Kale", both))).rejects.toMatchObject({
    message: "No page in Notion that kay can access is called “Kale”.",
    hint: "Similar: “Tuscan kale soup” (other), “Tuscan kale” (59833787-2cf9-4fdf-8782-e53db20768a5). Use the whole name.",
  });
  await expect(run("notion.comment", { page: "Kohl", text: "ok" }, search("Kohl", both))).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    hint: "Check the title, and that the page is shared with kay in Notion (••• › Connections).",
  });
});

test("a URL or an ID goes straight to the page, and blocks of all kinds become Markdown over their pages", async () => {
  const piece = (plain_text: string, annotations = {}, href: string | null = null) => ({
    type: "text",
    plain_text,
    annotations,
    href,
  });
  const block = (type: string, value: Record<string, unknown>, has_children = false) => ({
    object: "block",
    id: type,
    type,
    has_children,
    [type]: value,
  });
  const children = `GET ${API}/blocks/${ID}/children?page_size=100`;
  const { text } = await run(
    "notion.get_page",
    { page: `${URL_OF}?pvs=4` },
    { request: `GET ${API}/pages/${ID}`, json: page("Tuscan kale") },
    {
      request: children,
      json: {
        results: [
          block("heading_2", { rich_text: [piece("Lacinato "), piece("kale", { bold: true })] }),
          block("toggle", { rich_text: [piece("More")] }, true),
          block("child_page", { title: "Recipes" }, true),
          block("unsupported", {}),
        ],
        has_more: true,
        next_cursor: "c2",
      },
    },
    {
      request: `${children}&start_cursor=c2`,
      json: {
        results: [
          block("bookmark", { url: "https://e.test", caption: [] }),
          block("equation", { expression: "e=mc^2" }),
        ],
        has_more: false,
        next_cursor: null,
      },
    },
    {
      request: `GET ${API}/blocks/toggle/children?page_size=100`,
      json: {
        results: [block("paragraph", { rich_text: [piece("see "), piece("here", {}, "https://e.test/a_(b)")] })],
        has_more: false,
        next_cursor: null,
      },
    },
  );
  expect(text).toBe(
    [
      `**Tuscan kale**, changed 2026-07-06\n${URL_OF}`,
      "## Lacinato **kale**",
      "- More\n\n  see [here](https://e.test/a_%28b%29)",
      "[Recipes]",
      "(unsupported block)",
      "[bookmark](https://e.test)",
      "$e=mc^2$",
    ].join("\n\n"),
  );
});

test("B247 unknown blocks are read if they have text, and named otherwise", async () => {
  const block = (type: string, value: object) => ({
    object: "block",
    id: type,
    type,
    has_children: false,
    [type]: value,
  });
  const piece = (plain_text: string) => ({ type: "text", plain_text, annotations: {}, href: null });
  const results = [
    block("link_to_page", { type: "page_id", page_id: "0a1b-2c" }),
    block("unsupported", { block_type: "form" }),
    block("future_block", { level: 7 }),
    block("future_note", { title: [piece("Words of it")] }),
    block("table_of_contents", { color: "default" }),
    block("paragraph", { rich_text: [] }),
    block("column_list", {}),
  ];
  const { text } = await run(
    "notion.get_page",
    { page: URL_OF },
    { request: `GET ${API}/pages/${ID}`, json: page("P") },
    { request: `GET ${API}/blocks/${ID}/children?page_size=100`, json: { results, has_more: false } },
  );
  expect(text.split("\n\n").slice(1)).toEqual([
    "[linked page](https://www.notion.so/0a1b2c)",
    "(unsupported block: form)",
    "(block that cannot be read: future block)",
    "Words of it",
    "(block that cannot be read: table of contents)",
  ]);
});

test("a row is filtered by the type of its property, in a database named by its URL", async () => {
  const source = {
    object: "data_source",
    id: "ds1",
    title: [{ plain_text: "Tasks" }],
    url: URL_OF,
    properties: { Name: { type: "title", title: {} }, Done: { type: "checkbox", checkbox: {} } },
  };
  const row = page("x", {
    properties: {
      Name: { type: "title", title: [{ plain_text: "Wash up" }] },
      Done: { type: "checkbox", checkbox: false },
    },
  });
  const result = await run(
    "notion.query_database",
    { database: URL_OF, property: "done", value: "no", limit: 1 },
    {
      request: `GET ${API}/databases/${ID}`,
      json: { object: "database", id: ID, data_sources: [{ id: "ds1", name: "Tasks" }] },
    },
    { request: `GET ${API}/data_sources/ds1`, json: source },
    {
      request: `POST ${API}/data_sources/ds1/query`,
      body: { filter: { property: "Done", checkbox: { equals: false } }, page_size: 1 },
      json: { results: [row], has_more: true, next_cursor: "n" },
    },
  );
  expect(result.text).toBe(
    "The first row of “Tasks”; there are more:\n\n| Name | Done |\n| --- | --- |\n| Wash up | no |",
  );
});

test("a call is described exactly before anything is looked up", () => {
  const summary = (name: string, input: Record<string, unknown>) => summarize(notion, name, input);
  expect([
    summary("notion.create_page", { parent: "Home", title: "Plan", text: "a\n\nb" }),
    summary("notion.append", { page: "Plan", text: "a\nb" }),
    summary("notion.add_row", { database: "Tasks", title: "Wash up", values: { Due: "2026-12-24", Days: 2 } }),
    summary("notion.set_property", { page: "Wash up", property: "Status", value: "Done" }),
    summary("notion.set_property", { page: "Wash up", property: "Due", value: "" }),
    summary("notion.comment", { page: "Plan", text: "ok" }),
  ]).toEqual([
    "Create the page “Plan” in “Home” in Notion, with 2 blocks of text",
    "Append to “Plan” in Notion: “a b”",
    "Add the row “Wash up” (Due: 2026-12-24, Days: 2) to “Tasks” in Notion",
    "Set Status of “Wash up” in Notion to Done",
    "Clear Due of “Wash up” in Notion",
    "Comment on “Plan” in Notion: “ok”",
  ]);
});
