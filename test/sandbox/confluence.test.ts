import { assert, constantFrom, property, string } from "fast-check";
import { expect, test } from "vitest";
import { storageToAdf } from "#sandbox/atlassian/confluence/convert";
import { ALL_SCOPES, DANA, sandbox } from "./stand-in.ts";

const signIn = (scope = ALL_SCOPES) => sandbox().signIn("atlassian", scope);
const titles = (body: { results: { title: string }[] }) => body.results.map(({ title }) => title);
type Listed = { results: { title: string }[]; _links: { next?: string } };
const V1_ERROR = "com.atlassian.confluence.api.service.exceptions.BadRequestException: Could not parse cql : ";

test.each([
  ['type = page AND title ~ "runbook"', ["Runbook: sign-in fails"]],
  ['text ~ "refresh_reused" AND space = KAY', ["Runbook: sign-in fails"]],
  ['space = "KAY" AND title = "How we review"', ["How we review"]],
  ["space = OTHER", []],
  ['creator = currentUser() AND lastmodified > now("-10d") ORDER BY title', ["Meeting notes: first minute"]],
  ['(title ~ "release*" OR title ~ "architecture") ORDER BY lastmodified ASC', ["Architecture", "Release checklist"]],
  ['type in (page, blogpost) AND title !~ "kay" AND created < "2026-10-01"', ["Release checklist", "Architecture"]],
])("CQL %s", async (cql, expected) => {
  const { wiki } = await signIn();
  const { status, body } = await wiki(`/rest/api/search?excerpt=none&cql=${encodeURIComponent(cql)}`);
  expect([status, titles(body)]).toEqual([200, expected]);
  expect(body).toMatchObject({ start: 0, limit: 25, size: expected.length, totalSize: expected.length, cqlQuery: cql });
});

test("searched words are marked, with the page and its space", async () => {
  const { wiki } = await signIn();
  const [result] = (await wiki(`/rest/api/search?cql=${encodeURIComponent('text ~ "tag"')}`)).body.results;
  expect(result).toMatchObject({
    content: { id: "98369", type: "page", status: "current", title: "Release checklist" },
    title: "Release checklist",
    excerpt: "Run the checks Write the notes @@@hl@@@Tag@@@endhl@@@ the release Tell the team",
    url: "/spaces/KAY/pages/98369/Release+checklist",
    resultGlobalContainer: { title: "Kay engineering", displayUrl: "/spaces/KAY" },
    entityType: "content",
    friendlyLastModified: "5 days ago",
  });
});

test.each(["colour = red", "title ~", "title = a = b", 'created > "yesterday"', "ORDER BY title"])(
  "CQL %s is refused as API v1 does",
  async (cql) => {
    const { wiki } = await signIn();
    const answer = await wiki(`/rest/api/search?cql=${encodeURIComponent(cql)}`);
    expect([answer.status, answer.body.statusCode, answer.body.message]).toEqual([400, 400, `${V1_ERROR}${cql}`]);
  },
);

test("search and lists are followed to the end by their next links", async () => {
  const { wiki, call, cloudId } = await signIn();
  const follow = async (first: string, next: (link: string) => string) => {
    const ids: string[] = [];
    let path: string | undefined = first;
    while (path) {
      const { body }: { body: Listed } = await call(path);
      ids.push(...titles(body));
      path = body._links.next && next(body._links.next);
    }
    return ids;
  };
  const base = `/ex/confluence/${cloudId}`;
  const all = [
    "Kay engineering",
    "Architecture",
    "Release checklist",
    "Runbook: sign-in fails",
    "How we review",
    "Meeting notes: first minute",
  ];
  const search = `${base}/wiki/rest/api/search?cql=type%3Dpage%20order%20by%20created&limit=4&excerpt=none`;
  expect(await follow(search, (link) => `${base}/wiki${link}`)).toEqual(all);
  expect(await follow(`${base}/wiki/api/v2/pages?limit=4&sort=created-date`, (link) => `${base}${link}`)).toEqual(all);
  expect((await wiki("/api/v2/pages?limit=4")).headers.get("link")).toMatch(
    /^<\/wiki\/api\/v2\/pages\?limit=4&cursor=\w+>; rel="next"$/,
  );
});

test("a page is created, read in both formats, updated by its next version and deleted", async () => {
  const { wiki } = await signIn();
  const [space] = (await wiki("/api/v2/spaces?keys=KAY")).body.results;
  const json = {
    spaceId: space.id,
    status: "current",
    title: "Plan",
    parentId: "98305",
    body: { representation: "storage", value: "<p>One <strong>two</strong></p>" },
  };
  const created = await wiki("/api/v2/pages", { method: "POST", json });
  expect([created.status, created.body]).toEqual([
    200,
    {
      id: "98497",
      status: "current",
      title: "Plan",
      spaceId: space.id,
      parentId: "98305",
      parentType: "page",
      position: 6,
      authorId: DANA,
      ownerId: DANA,
      lastOwnerId: null,
      createdAt: "2026-11-20T09:00:00.000Z",
      version: { number: 1, message: "", minorEdit: false, authorId: DANA, createdAt: "2026-11-20T09:00:00.000Z" },
      body: { storage: { representation: "storage", value: "<p>One <strong>two</strong></p>" } },
      _links: {
        editui: "/pages/resumedraft.action?draftId=98497",
        webui: "/spaces/KAY/pages/98497/Plan",
        tinyui: expect.stringMatching(/^\/x\//),
        base: "http://127.0.0.1:4401/sites/kay-demo/wiki",
      },
    },
  ]);
  const document = (await wiki("/api/v2/pages/98497?body-format=atlas_doc_format")).body.body.atlas_doc_format;
  expect(JSON.parse(document.value)).toEqual({
    type: "doc",
    version: 1,
    content: [
      {
        type: "paragraph",
        content: [
          { type: "text", text: "One " },
          { type: "text", text: "two", marks: [{ type: "strong" }] },
        ],
      },
    ],
  });
  expect((await wiki("/api/v2/pages/98497")).body.body).toEqual({});
  const change = { id: "98497", status: "current", title: "Plan B", body: document };
  const put = (number: number) =>
    wiki("/api/v2/pages/98497", { method: "PUT", json: { ...change, version: { number } } });
  expect((await put(1)).body).toEqual({
    errors: [
      {
        status: 409,
        code: "CONFLICT",
        title: "Version must be incremented on update. Current version is: 1",
        detail: null,
      },
    ],
  });
  expect((await put(2)).body).toMatchObject({
    title: "Plan B",
    version: { number: 2 },
    body: { storage: { value: "<p>One <strong>two</strong></p>" } },
  });
  expect((await wiki("/api/v2/pages/98497", { method: "DELETE" })).status).toBe(204);
  expect((await wiki("/api/v2/pages/98497")).body.errors[0]).toMatchObject({ status: 404, code: "NOT_FOUND" });
});

test.each([
  [{ title: "x" }, 400, "Missing required property 'spaceId'."],
  [{ spaceId: "1", title: "x" }, 404, "Cannot find a space with id [1]"],
  [{ spaceId: "65537", title: " " }, 400, "Title cannot be empty."],
  [
    { spaceId: "65537", title: "Architecture" },
    400,
    "A page with this title already exists: A page already exists with the same TITLE in this space",
  ],
  [
    { spaceId: "65537", title: "x", body: { representation: "storage", value: "<p><b>x</p>" } },
    400,
    "Error parsing xhtml: Unexpected close tag </p>; expected </b>",
  ],
])("a page that cannot be created is refused as API v2 does (%#)", async (json, status, title) => {
  const { wiki } = await signIn();
  const answer = await wiki("/api/v2/pages", { method: "POST", json });
  expect([answer.status, answer.body.errors[0].title]).toEqual([status, title]);
});

test("a page is commented on, and its comments are listed and read one by one", async () => {
  const { wiki } = await signIn();
  const [page] = (await wiki("/api/v2/pages?title=Release%20checklist")).body.results;
  const body = { representation: "storage", value: "<p>Step <strong>two</strong> is gone</p>" };
  const created = await wiki("/api/v2/footer-comments", { method: "POST", json: { pageId: page.id, body } });
  const comment = {
    id: "131375",
    status: "current",
    title: "Re: Release checklist",
    pageId: page.id,
    version: { number: 1, message: "", minorEdit: false, authorId: DANA, createdAt: "2026-11-20T09:00:00.000Z" },
    body: { storage: body },
    _links: { webui: `${page._links.webui}?focusedCommentId=131375`, base: created.body._links.base },
  };
  expect([created.status, created.body]).toEqual([201, comment]);
  const list = await wiki(`/api/v2/pages/${page.id}/footer-comments?body-format=storage`);
  expect(list.body.results).toEqual([{ ...comment, _links: { webui: comment._links.webui } }]);
  expect((await wiki("/api/v2/footer-comments/131375?body-format=storage")).body).toEqual(comment);
});

test.each([
  [{ pageId: "1", body: { representation: "storage", value: "<p>x</p>" } }, 404, "Not Found"],
  [{ pageId: "98305" }, 400, "Missing required property 'body'."],
  [{}, 400, "Exactly one of pageId, blogPostId, parentCommentId must be given."],
  [{ pageId: "98305", body: { representation: "storage", value: "<p>x" } }, 400, "Error parsing xhtml"],
])("the comment %j is refused with %i", async (json, status, title) => {
  const { wiki } = await signIn();
  const answer = await wiki("/api/v2/footer-comments", { method: "POST", json });
  expect([answer.status, answer.body.errors[0].title]).toEqual([status, expect.stringContaining(title)]);
});

test("API v2 requires its granular scopes", async () => {
  const { call, cloudId } = await signIn("read:page:confluence");
  const base = `/ex/confluence/${cloudId}/wiki`;
  expect((await call(`${base}/api/v2/pages`)).status).toBe(200);
  expect((await call(`${base}/api/v2/spaces`)).body).toEqual({
    code: 401,
    message: "Unauthorized; scope does not match",
  });
  expect((await call(`${base}/rest/api/search?cql=type%3Dpage`)).status).toBe(401);
});

test("lists, tables, headings, code and links become document nodes", () => {
  const storage =
    '<h2>A &amp; B</h2><ul><li><p>x</p></li><li>y<br/>z</li></ul><table><tbody><tr><th>k</th><td>v</td></tr></tbody></table><p><a href="https://a.b/?c=d&amp;e">l</a> <code>q</code></p><hr/>';
  expect(storageToAdf(storage).content.map(({ type }) => type)).toEqual([
    "heading",
    "bulletList",
    "table",
    "paragraph",
    "rule",
  ]);
  expect(JSON.stringify(storageToAdf(storage))).toContain('"href":"https://a.b/?c=d&e"');
});

test("any text between tags survives the conversion to a document", () => {
  const word = string({ minLength: 1 }).filter((text) => text.trim() !== "");
  assert(
    property(word, constantFrom("p", "h1", "li"), (text, tag) => {
      const escaped = text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
      const inner = `<${tag}>${escaped}</${tag}>`;
      const adf = JSON.stringify(storageToAdf(tag === "li" ? `<ul>${inner}</ul>` : inner));
      expect(adf).toContain(JSON.stringify(text.replace(/[ \t\r\n]+/g, " ")));
    }),
  );
});
