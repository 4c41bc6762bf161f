import { expect, test } from "vitest";
import { confluence } from "#backend/services/confluence";
import { cqlOf } from "#backend/services/confluence/cql";
import { contextOver, type Expected, outside, runTool } from "../support/outside.ts";

const SITE = { url: "https://main.atlassian.net", cloud_id: "c-main", site: "main" };
const API = "https://api.atlassian.com/ex/confluence/c-main/wiki";

async function run(name: string, input: Record<string, unknown>, ...expected: Expected[]) {
  const world = outside(...expected);
  const result = await runTool(confluence, name, input, contextOver(world, confluence, SITE));
  world.done();
  return result;
}

/** The request of a search, as the fake outside shows it. */
function search(cql: string, limit: number): string {
  return `GET ${API}/rest/api/search?${decodeURI(String(new URLSearchParams({ cql, limit: String(limit) })))}`;
}

/** One result of `GET /wiki/rest/api/search` as Confluence answers it. */
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

const TITLE = cqlOf({ title: "Deploy guide" });
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
  expect(cqlOf(filter)).toBe(cql);
});

test("a search is a table with links for people and trimmed data for models", async () => {
  const cql = cqlOf({ text: "deploy" });
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
      "The first 1 of 5 pages about “deploy”:",
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

test("a title that several pages have is asked back", async () => {
  const results = [found("1", "Deploy guide"), found("2", "Deploy guide")];
  await expect(
    run("confluence.get_page", { page: "Deploy guide" }, { request: search(TITLE, 10), json: { results } }),
  ).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "Several pages match “Deploy guide”: “Deploy guide” in Docs (1), “Deploy guide” in Docs (2).",
  });
});

test("a title that no page has is looked for among the words, then said to be unknown", async () => {
  const none = { results: [], totalSize: 0 };
  await expect(
    run(
      "confluence.get_page",
      { page: "Deploy guide", space: "DOCS" },
      { request: search(cqlOf({ title: "Deploy guide", space: "DOCS" }), 10), json: none },
      { request: search(cqlOf({ text: "Deploy guide", space: "DOCS" }), 10), json: none },
    ),
  ).rejects.toMatchObject({ message: "No page in DOCS is called “Deploy guide”." });
});
