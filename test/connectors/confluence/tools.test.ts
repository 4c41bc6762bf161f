import { expect, test } from "vitest";
import { confluence } from "#connectors/confluence/confluence";
import { buildCql } from "#connectors/confluence/search";
import { createRunner, type Expected, summarize } from "../support/outside.ts";

const SITE = { url: "https://main.atlassian.net", cloud_id: "c-main", site: "main" };
const API = "https://api.atlassian.com/ex/confluence/c-main/wiki";

const run = createRunner(confluence, SITE);

/** The request of a search, as the fake outside records it. */
function search(cql: string, limit: number): string {
  return `GET ${API}/rest/api/search?${decodeURI(String(new URLSearchParams({ cql, limit: String(limit) })))}`;
}

/** One result of `GET /wiki/rest/api/search` as returned by Confluence. */
function found(id: string, title: string) {
  return {
    content: { id, type: "page", status: "current", title, _links: { webui: `/spaces/DOCS/pages/${id}` } },
    title: `@@@hl@@@${title}@@@endhl@@@`,
    excerpt: "How to @@@hl@@@deploy@@@endhl@@@ &amp; roll back",
    url: `/spaces/DOCS/pages/${id}`,
    resultGlobalContainer: { title: "Docs", displayUrl: "/spaces/DOCS" },
    lastModified: "2026-11-20T10:00:00.000Z",
    entityType: "content",
    score: 0,
  };
}

const TITLE = buildCql({ title: "Deploy guide" });
const PAGE = {
  id: "98369",
  status: "current",
  title: "Deploy guide",
  spaceId: "65538",
  version: { number: 4, createdAt: "2026-11-20T10:00:00.000Z" },
  body: { storage: { representation: "storage", value: "<p>Run <strong>make</strong>.</p>" } },
  _links: { webui: "/spaces/DOCS/pages/98369/Deploy+guide", base: "https://main.atlassian.net/wiki" },
};
const READ = { request: `GET ${API}/api/v2/pages/98369?body-format=storage`, json: PAGE };
const URL_OF_PAGE = "https://main.atlassian.net/wiki/spaces/DOCS/pages/98369/Deploy+guide";

test.each([
  [{}, 'type = "page" ORDER BY lastmodified DESC'],
  [{ text: 'a "b" ~c*', space: "DOCS" }, 'type = "page" AND space = "DOCS" AND (title ~ "a b c" OR text ~ "a b c")'],
  [
    { type: "blogpost", title: 'x" OR type = "y' },
    'type = "blogpost" AND title = "x\\" OR type = \\"y" ORDER BY lastmodified DESC',
  ],
])("%j is searched as %s", (filter, cql) => {
  expect(buildCql(filter)).toBe(cql);
});

test("a search is a table with links for people and trimmed data for models", async () => {
  const cql = buildCql({ text: "deploy" });
  const result = await run(
    "confluence.search",
    { text: "deploy", limit: 1 },
    {
      request: search(cql, 1),
      json: { results: [found("98369", "Deploy guide")], start: 0, limit: 1, size: 1, totalSize: 5 },
    },
  );
  const url = "https://main.atlassian.net/wiki/spaces/DOCS/pages/98369";
  const page = {
    id: "98369",
    title: "Deploy guide",
    space: "Docs",
    excerpt: "How to deploy & roll back",
    updated: "2026-11-20T10:00:00.000Z",
    url,
  };
  expect(result).toEqual({
    data: { cql, pages: [page], total: 5 },
    text: [
      "The first of 5 pages about “deploy”:",
      "",
      "| Title | Space | Updated | Text |",
      "| --- | --- | --- | --- |",
      "| Deploy guide | Docs | 2026-11-20 | How to deploy & roll back |",
      "",
      `- Deploy guide: ${url}`,
    ].join("\n"),
    url: "https://main.atlassian.net/wiki/search?text=deploy",
  });
});

test("a page is found by its title and read as text", async () => {
  const result = await run(
    "confluence.get_page",
    { page: "Deploy guide" },
    { request: search(TITLE, 10), json: { results: [found("98369", "Deploy guide")] } },
    READ,
  );
  expect(result).toEqual({
    data: {
      id: "98369",
      title: "Deploy guide",
      version: 4,
      updated: "2026-11-20T10:00:00.000Z",
      text: "Run **make**.",
      url: URL_OF_PAGE,
    },
    text: `**Deploy guide**, changed 2026-11-20\n${URL_OF_PAGE}\n\nRun **make**.`,
    url: URL_OF_PAGE,
  });
});

test.each(["98369", URL_OF_PAGE, "https://main.atlassian.net/wiki/pages/viewpage.action?pageId=98369"])(
  "a page is read by %s without a search",
  async (page) => {
    expect((await run("confluence.get_page", { page }, READ)).data).toMatchObject({ id: "98369" });
  },
);

test("a title of several pages is asked back", async () => {
  const results = [found("1", "Deploy guide"), found("2", "Deploy guide")];
  await expect(
    run("confluence.get_page", { page: "Deploy guide" }, { request: search(TITLE, 10), json: { results } }),
  ).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "Several pages match “Deploy guide”: “Deploy guide” in Docs (1), “Deploy guide” in Docs (2).",
  });
});

test("a title of no page is searched among the words, then reported as unknown", async () => {
  const none = { results: [], totalSize: 0 };
  await expect(
    run(
      "confluence.get_page",
      { page: "Deploy guide", space: "DOCS" },
      { request: search(buildCql({ title: "Deploy guide", space: "DOCS" }), 10), json: none },
      { request: search(buildCql({ text: "Deploy guide", space: "DOCS" }), 10), json: none },
    ),
  ).rejects.toMatchObject({ message: "No page in DOCS is called “Deploy guide”." });
});

const STORAGE = "<p>Run <strong>make</strong>.</p>";
const PUT = `PUT ${API}/api/v2/pages/98369`;
const CONFLICT = {
  status: 409,
  json: { errors: [{ status: 409, code: "CONFLICT", title: "Version must be incremented on update.", detail: null }] },
};

/** The body of an update, in the order in which kay sends it. */
function update(value: string, number: number, title = "Deploy guide") {
  const version = { number, message: "Changed with kay" };
  return { id: "98369", status: "current", title, body: { representation: "storage", value }, version };
}

/** A page after another user's version. */
function version(number: number, value: string) {
  return { ...PAGE, version: { number, createdAt: "2026-11-27T10:00:00.000Z" }, body: { storage: { value } } };
}

test("text is added to the end of a page as storage format", async () => {
  const result = await run("confluence.update_page", { page: "98369", text: "Then **run** `kay <x>`" }, READ, {
    request: PUT,
    body: update(`${STORAGE}<p>Then <strong>run</strong> <code>kay &lt;x&gt;</code></p>`, 5),
    json: version(5, ""),
  });
  expect(result).toEqual({
    data: { id: "98369", title: "Deploy guide", version: 5, url: URL_OF_PAGE },
    text: `Added to the page Deploy guide.\n\n${URL_OF_PAGE}`,
    url: URL_OF_PAGE,
  });
});

test("another user's concurrent change is kept: the text is added to the newer version", async () => {
  const result = await run(
    "confluence.update_page",
    { page: "98369", text: "mine" },
    READ,
    { request: PUT, body: update(`${STORAGE}<p>mine</p>`, 5), ...CONFLICT },
    { ...READ, json: version(5, "<p>theirs</p>") },
    { request: PUT, body: update("<p>theirs</p><p>mine</p>", 6), json: version(6, "") },
  );
  expect(result.data).toMatchObject({ version: 6 });
});

test("a page that is replaced never overwrites an unread version", async () => {
  const createConflict = (number: number) => ({
    code: "SERVICE_FAILED",
    message: `The page “Deploy guide” changed after version ${number}. Nothing was written.`,
    hint: "Read the page again, then change it.",
    details: { service: "confluence", service_status: 409, field: "version" },
  });
  const input = { page: "98369", text: "New", mode: "replace" };
  await expect(run("confluence.update_page", { ...input, version: 3 }, READ)).rejects.toMatchObject(createConflict(3));
  await expect(
    run("confluence.update_page", input, READ, { request: PUT, body: update("<p>New</p>", 5), ...CONFLICT }),
  ).rejects.toMatchObject(createConflict(4));
});

test("a page that keeps changing is given up after three attempts", async () => {
  const attempt = (number: number, value: string): Expected[] => [
    { ...READ, json: version(number, value) },
    { request: PUT, body: update(`${value}<p>mine</p>`, number + 1), ...CONFLICT },
  ];
  await expect(
    run(
      "confluence.update_page",
      { page: "98369", text: "mine" },
      ...attempt(4, "<p>a</p>"),
      ...attempt(5, "<p>b</p>"),
      ...attempt(6, "<p>c</p>"),
    ),
  ).rejects.toMatchObject({ message: expect.stringContaining("after version 6. Nothing was written") });
});

test("a page with columns gets a new section, and a renamed page keeps its text", async () => {
  const columns = "<ac:layout><ac:layout-section><p>a</p></ac:layout-section></ac:layout>";
  const section =
    '<ac:layout-section ac:type="fixed-width"><ac:layout-cell><p>$1 more</p></ac:layout-cell></ac:layout-section>';
  const value = columns.replace("</ac:layout>", () => `${section}</ac:layout>`);
  await run(
    "confluence.update_page",
    { page: "98369", text: "$1 more" },
    { ...READ, json: version(4, columns) },
    { request: PUT, body: update(value, 5), json: version(5, "") },
  );
  const renamed = await run("confluence.update_page", { page: "98369", title: " Deploy  it " }, READ, {
    request: PUT,
    body: update(STORAGE, 5, "Deploy it"),
    json: { ...version(5, ""), title: "Deploy it" },
  });
  expect(renamed.text).toMatch(/^Renamed the page Deploy it\./);
});

test("a page whose text was not given is not written", async () => {
  await expect(
    run("confluence.update_page", { page: "98369", text: "x" }, { ...READ, json: { ...PAGE, body: {} } }),
  ).rejects.toMatchObject({
    message: "Confluence did not return the content of “Deploy guide”. Nothing was written.",
  });
  await expect(run("confluence.update_page", { page: "98369", text: " " })).rejects.toMatchObject({
    message: "A text or a new title is required.",
  });
});

const SPACES = `GET ${API}/api/v2/spaces?limit=250&status=current&sort=name`;
const DOCS = { id: "65538", key: "DOCS", name: "Docs", type: "global", _links: { webui: "/spaces/DOCS" } };
const WEB = { id: "65539", key: "WEB", name: "DOCS", type: "global" };
const ANN = { id: "65540", key: "~ann", name: "Ann Archer", type: "personal" };

test("spaces are a table over all pages; personal ones are shown only by name", async () => {
  const pages: Expected[] = [
    { request: SPACES, json: { results: [ANN, DOCS], _links: { next: "/wiki/api/v2/spaces?limit=250&cursor=c2" } } },
    { request: `${SPACES}&cursor=c2`, json: { results: [WEB], _links: {} } },
  ];
  const url = "https://main.atlassian.net/wiki/spaces/DOCS";
  expect(await run("confluence.list_spaces", {}, ...pages)).toEqual({
    data: {
      spaces: [
        { id: "65538", key: "DOCS", name: "Docs", url },
        { id: "65539", key: "WEB", name: "DOCS", url: url.replace("DOCS", "WEB") },
      ],
      more: false,
    },
    text: `2 spaces:\n\n| Key | Name | Address |\n| --- | --- | --- |\n| DOCS | Docs | ${url} |\n| WEB | DOCS | ${url.replace("DOCS", "WEB")} |`,
    url: "https://main.atlassian.net/wiki/spaces",
  });
  expect((await run("confluence.list_spaces", { name: "ann" }, ...pages)).data).toMatchObject({
    spaces: [{ key: "~ann" }],
  });
});

test("a page is created in the space with that key, before one with that name", async () => {
  const body = {
    spaceId: "65538",
    status: "current",
    title: "Plan",
    body: { representation: "storage", value: "<h1>Why</h1>" },
  };
  const result = await run(
    "confluence.create_page",
    { title: " Plan ", space: "docs", text: "# Why" },
    { request: SPACES, json: { results: [WEB, DOCS] } },
    { request: `POST ${API}/api/v2/pages`, body, json: { ...PAGE, id: "98401", title: "Plan", _links: null } },
  );
  const url = "https://main.atlassian.net/wiki/pages/viewpage.action?pageId=98401";
  expect(result).toEqual({
    data: { id: "98401", title: "Plan", version: 1, url },
    text: `Created the page Plan.\n\n${url}`,
    url,
  });
});

test("a page is placed under another one, in its space, and not elsewhere", async () => {
  const body = {
    spaceId: "65538",
    status: "current",
    title: "Plan",
    parentId: "98369",
    body: { representation: "storage", value: "" },
  };
  await run("confluence.create_page", { title: "Plan", parent: "98369" }, READ, {
    request: `POST ${API}/api/v2/pages`,
    body,
    json: PAGE,
  });
  const spaces = { request: SPACES, json: { results: [WEB, DOCS] } };
  const input = { title: "Plan", parent: "98369", space: "WEB" };
  await expect(run("confluence.create_page", input, spaces, READ)).rejects.toMatchObject({
    message: "The page “Deploy guide” is not in the space WEB.",
  });
  await expect(run("confluence.create_page", { title: "Plan" })).rejects.toMatchObject({
    message: "A space or a parent page is required.",
  });
  await expect(run("confluence.create_page", { title: "Plan", space: "OPS" }, spaces)).rejects.toMatchObject({
    message: "No space in Confluence is called “OPS”.",
    hint: "Available: DOCS (WEB), Docs (DOCS).",
  });
});

test("a comment is below the page", async () => {
  const body = { pageId: "98369", body: { representation: "storage", value: "<p>Looks <em>good</em></p>" } };
  const webui = "/spaces/DOCS/pages/98369?focusedCommentId=7";
  const result = await run("confluence.add_comment", { page: URL_OF_PAGE, text: "Looks *good*" }, READ, {
    request: `POST ${API}/api/v2/footer-comments`,
    body,
    status: 201,
    json: { id: "7", _links: { webui } },
  });
  const url = `https://main.atlassian.net/wiki${webui}`;
  expect(result).toEqual({
    data: { comment: "7", page: "98369", title: "Deploy guide", url },
    text: `Commented on Deploy guide.\n\n${url}`,
    url,
  });
});

test.each([
  [
    "confluence.create_page",
    { title: "Plan", space: "DOCS", text: "x" },
    "Create the Confluence page “Plan” in DOCS: “x”",
  ],
  ["confluence.update_page", { page: "Plan", text: "x" }, "Append to the Confluence page “Plan”: “x”"],
  [
    "confluence.update_page",
    { page: "Plan", text: "x", mode: "replace", title: "New" },
    "Replace the content of the Confluence page “Plan” with “x” (and call it “New”)",
  ],
  ["confluence.update_page", { page: "Plan", title: "New" }, "Change the Confluence page “Plan”: call it “New”"],
  ["confluence.add_comment", { page: "Plan", text: "x" }, "Comment on the Confluence page “Plan”: “x”"],
])("%s with %j says before: %s", (name, input, words) => {
  expect(summarize(confluence, name, input)).toBe(words);
});
