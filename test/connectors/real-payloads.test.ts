import { expect, test } from "vitest";
import { airtable } from "#connectors/airtable/airtable";
import { bitbucket } from "#connectors/bitbucket/bitbucket";
import { confluence } from "#connectors/confluence/confluence";
import { github } from "#connectors/github/github";
import { hubspot } from "#connectors/hubspot/hubspot";
import { jira } from "#connectors/jira/jira";
import { notion } from "#connectors/notion/notion";
import { type Route, runConnected as run } from "./support/outside.ts";

// https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/: fields that a project hides are missing
test("an issue without fields is listed, and comments without author, date or body are read", async () => {
  const issues = [
    { id: "1", key: "KAY-1" },
    { id: "2", key: "KAY-2", fields: { status: null, assignee: null } },
  ];
  const result = await run(jira, "search", { project: "KAY" }, [/search\/jql/, { issues, isLast: true }]);
  expect(result.text).toContain("| KAY-1 |  |  |  | – |");
  const comment = { comments: [{ id: "1", author: null, body: null, created: null }], total: 1 };
  const issue = await run(jira, "get_issue", { issue: "KAY-1" }, [/./, { key: "KAY-1", fields: { comment } }]);
  expect(issue.data).toMatchObject({ comments: [{ author: "someone", created: "", text: "" }], description: "" });
  const none = await run(jira, "get_issue", { issue: "KAY-1" }, [/./, { key: "KAY-1", fields: { comment: {} } }]);
  expect(none.data).toMatchObject({ comments: [], comments_total: 0 });
});

const PAGE = { id: "123", title: "T", version: { number: 3 }, _links: { webui: "/spaces/K/pages/123/T" } };
const NO_PAGE = { errors: [{ status: 404, code: "NOT_FOUND", title: "Not Found", detail: null }] };

// https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-blog-post/
test("a blog post that a search lists is read by its ID or address", async () => {
  const post = { ...PAGE, body: { storage: { value: "<p>news</p>" } } };
  const routes: Route[] = [
    [/blogposts\/123/, post],
    [/pages\/123/, NO_PAGE, 404],
  ];
  for (const page of ["123", "https://acme.atlassian.net/wiki/spaces/K/blog/2026/01/31/123/News"])
    expect((await run(confluence, "get_page", { page }, ...routes)).data).toMatchObject({ text: "news" });
  await expect(run(confluence, "get_page", { page: "123" }, [/./, NO_PAGE, 404])).rejects.toMatchObject({
    message: "Confluence: Not Found.",
  });
});

test.each([{}, { body: {} }, { body: null }, { body: { storage: null } }, { body: { storage: { value: null } } }])(
  "a page whose content did not come is not called empty: %j",
  async (more) => {
    const { text, data } = await run(confluence, "get_page", { page: "123" }, [
      /pages/,
      { ...PAGE, title: null, ...more },
    ]);
    expect(text).toContain("(Confluence did not return the content.)");
    expect(data).toMatchObject({ title: "Untitled", text: "" });
  },
);

// https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/: the fork was deleted, the author left
const PULL = { id: 1, title: "t", state: "OPEN", author: null, source: { branch: { name: "f" }, repository: null } };

test("pull requests of deleted forks are listed, each once, and closed repositories do not end the list", async () => {
  const next = "https://api.bitbucket.org/2.0/repositories/acme/b/pullrequests?page=2";
  const { data } = await run(
    bitbucket,
    "list_pull_requests",
    {},
    [/repositories\/acme\?/, { values: [{ slug: "a" }, { slug: "b" }] }],
    [/acme\/a\//, { type: "error", error: { message: "Access denied" } }, 403],
    [/page=2/, { values: [PULL, { ...PULL, id: 2 }] }],
    [/acme\/b\//, { values: [PULL], next }],
  );
  expect(data).toMatchObject({ pull_requests: [{ id: 1, author: "someone", source: "f" }, { id: 2 }], more: true });
});

// https://docs.github.com/en/rest/commits/commits#list-commits (409), …/search/search#timeouts-and-incomplete-results
test("an empty repository has no commits, and an incomplete search says so", async () => {
  const empty: Route = [/commits/, { message: "Git Repository is empty." }, 409];
  expect((await run(github, "list_commits", { repository: "acme/web" }, empty)).text).toBe("No commits in acme/web.");
  const search: Route = [/search/, { total_count: 5000, incomplete_results: true, items: [] }];
  expect((await run(github, "search", { text: "x" }, search)).text).toBe(
    "GitHub found 5000 issues about “x”, but did not return them in time. Narrow the search.",
  );
});

// https://developers.hubspot.com/docs/api-reference/crm-deals-v3/guide: numbers as such, times in ms, null properties
test("records of HubSpot are read with numbers, switches, times in ms and nulls", async () => {
  const properties = { dealname: null, amount: 1234.5, dealstage: "gone", pipeline: null, closedate: "1764000000000" };
  const { data } = await run(
    hubspot,
    "list_deals",
    { stage: "all" },
    [/pipelines/, { results: [] }],
    [/search/, { total: "1", results: [{ id: 7, properties, archived: true }] }],
  );
  expect(data).toMatchObject({ deals: [{ id: "7", name: "deal 7", amount: 1234.5, closes: "2025-11-24" }], total: 1 });
});

const FIELDS = ["Name", "AI", "Failed AI", "Formula", "Ratio", "Lookup"].map((name) => ({ id: name, name, type: "x" }));
const TABLE = { id: "tblAAAAAAAAAAAAAA", name: "T", primaryFieldId: "Name", fields: FIELDS };
const BASES: Route[] = [
  [/meta\/bases$/, { bases: [{ id: "appAAAAAAAAAAAAAA", name: "B" }] }],
  [/tables/, { tables: [TABLE] }],
];

// https://airtable.com/developers/web/api/field-model: AI text, formula errors, special values
test("computed fields of Airtable are read, also those that failed", async () => {
  const fields = {
    Name: { state: "generated", value: "Summary of it", isStale: false },
    AI: { state: "loading", value: null, isStale: true },
    "Failed AI": { state: "error", errorType: "emptyDependency", value: null, isStale: true },
    Formula: { error: "#ERROR!" },
    Ratio: { specialValue: "NaN" },
    Lookup: ["a", 3, null, { error: "#ERROR!" }],
  };
  const record: Route = [/rec/, { id: "recAAAAAAAAAAAAAA", fields }];
  const { text } = await run(airtable, "get_record", { table: "T", record: "recAAAAAAAAAAAAAA" }, ...BASES, record);
  expect(text).toContain("**Summary of it**");
  expect(text).toContain("- Failed AI: emptyDependency\n- Formula: #ERROR!\n- Ratio: NaN\n- Lookup: a, 3, #ERROR!");
  const failed: Route = [/rec/, { id: "recAAAAAAAAAAAAAA", fields: { Name: { error: "#ERROR!" } } }];
  const unnamed = await run(airtable, "get_record", { table: "T", record: "recAAAAAAAAAAAAAA" }, ...BASES, failed);
  expect(unnamed.text).toContain("**recAAAAAAAAAAAAAA**");
});

const NOTION_PAGE = { object: "page", id: "11111111-1111-1111-1111-111111111111", url: "https://n.test/p" };
const readNotion = (properties: object, results: unknown[]) =>
  run(
    notion,
    "get_page",
    { page: NOTION_PAGE.id },
    [/children/, { results, has_more: false, next_cursor: null }],
    [/pages/, { ...NOTION_PAGE, properties }],
  );

// https://developers.notion.com/reference/page-property-values; users have only an ID without the capability to read them
test.each([
  [
    {
      type: "people",
      people: [
        { object: "user", id: "u1" },
        { object: "user", id: "u2", name: "Ann" },
      ],
    },
    "u1, Ann",
  ],
  [{ type: "created_by", created_by: { object: "user", id: "b1", type: "bot", name: null } }, "b1"],
  [{ type: "rollup", rollup: { type: "array", array: [null, { type: "number", number: 0 }], function: "x" } }, "0"],
  [{ type: "rollup", rollup: { type: "incomplete", incomplete: {}, function: "count" } }, "(not computed by Notion)"],
  // https://github.com/mariosimao/notion-sdk-php/issues/495
  [{ type: "formula", formula: { type: "unsupported", unsupported: {} } }, "(not computed by Notion)"],
  [{ type: "formula", formula: { type: "boolean", boolean: false } }, "false"],
  [{ type: "relation", relation: [{ id: "1" }, { id: "2" }], has_more: true }, "more than 2 linked"],
  [{ type: "unique_id", unique_id: { prefix: "T", number: null } }, ""],
  [{ type: "verification", verification: { state: "verified", verified_by: null, date: null } }, "verified"],
  [{ type: "place", place: { lat: 1, lon: 2, name: "HQ", address: "Street 1" } }, "HQ, Street 1"],
  [
    { type: "files", files: [{ name: "", type: "external", external: { url: "https://x.test/b" } }] },
    "https://x.test/b",
  ],
  [{ type: "button", button: {} }, ""],
  [{ type: "future", future: { a: 1 } }, ""],
])("a property of Notion is read: %j", async (property, value) => {
  expect((await readNotion({ P: property }, [])).data).toMatchObject({ properties: { P: value } });
});

// https://developers.notion.com/reference/block
test.each([
  [{ type: "child_database", child_database: { title: "" } }, "[Untitled]"],
  [{ type: "bookmark", bookmark: { url: "", caption: [] } }, "(block that cannot be read: bookmark)"],
  [
    { type: "file", file: { type: "file", name: "f", caption: [], file: { url: "https://f.test/(1)" } } },
    "[f](https://f.test/%281%29)",
  ],
  [{ object: "block" }, "(unsupported block)"],
  [{ type: "image", image: null }, "(block that cannot be read: image)"],
])("B247 a block of Notion is read or named: %j", async (block, text) => {
  expect((await readNotion({}, [{ id: "b", ...block }])).data).toMatchObject({ text });
});

// https://github.com/ramnes/notion-sdk-py, tests/cassettes of 2026-07: Notion's pages are at app.notion.com now
test.each([
  "https://app.notion.com/p/Test-2026-07-04-11-12-05-075393-393abc1eedcd81a09a08d7413a049dc8",
  "https://app.notion.com/p/acme/Test-393abc1eedcd81a09a08d7413a049dc8/?source=copy_link",
  "https://acme.notion.site/393abc1e-edcd-81a0-9a08-d7413a049dc8#393abc1eedcd80f3813be205934558c6",
  "notion://www.notion.so/acme/Test-393abc1eedcd81a09a08d7413a049dc8",
  "www.notion.so/acme/Test-393abc1eedcd81a09a08d7413a049dc8",
])("a page of Notion is read by its address %s", async (page) => {
  const routes: Route[] = [
    [/children/, { results: [], has_more: false }],
    [/\/v1\/pages\/393abc1e-edcd-81a0-9a08-d7413a049dc8$/, { object: "page", id: "i", url: page, properties: {} }],
  ];
  expect((await run(notion, "get_page", { page }, ...routes)).url).toBe(page);
});
