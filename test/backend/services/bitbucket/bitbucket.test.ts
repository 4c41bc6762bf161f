import { expect, test } from "vitest";
import { bitbucket } from "#backend/services/bitbucket";
import { contextOver, type Expected, httpOver, outside, runTool } from "../support/outside.ts";

const API = "https://api.bitbucket.org/2.0";
const ACME = { url: "https://bitbucket.org/acme", workspace: "acme", workspace_name: "Acme" };
const WEB = `GET ${API}/repositories/acme/web/pullrequests?state=OPEN&sort=-updated_on&pagelen=20`;

const JOHN = {
  type: "user",
  account_id: "bitbucket_abc123",
  uuid: "{7d6a}",
  username: "johndoe",
  nickname: "johnd",
  display_name: "John Doe",
  links: { avatar: { href: "https://avatars.example.test/1.png" } },
};
const USER = {
  account_id: "bitbucket_abc123",
  username: "johndoe",
  display_name: "John Doe",
  avatar_url: "https://avatars.example.test/1.png",
};

function workspace(slug: string) {
  return {
    type: "workspace",
    slug,
    name: slug.toUpperCase(),
    uuid: `{${slug}}`,
    links: { html: { href: `https://bitbucket.org/${slug}/` } },
  };
}

/** A pull request as Bitbucket answers it. */
function pull(id: number, title: string, more: Record<string, unknown> = {}) {
  return {
    type: "pullrequest",
    id,
    title,
    state: "OPEN",
    draft: false,
    description: "",
    author: JOHN,
    source: { branch: { name: "feature" }, repository: { full_name: "acme/web" } },
    destination: { branch: { name: "main" }, repository: { full_name: "acme/web" } },
    comment_count: 2,
    task_count: 0,
    updated_on: `2026-11-${String(id).padStart(2, "0")}T10:00:00.000000+00:00`,
    links: { html: { href: `https://bitbucket.org/acme/web/pull-requests/${id}` } },
    ...more,
  };
}

async function run(name: string, input: Record<string, unknown>, ...expected: Expected[]) {
  const world = outside(...expected);
  const result = await runTool(bitbucket, name, input, contextOver(world, bitbucket, ACME));
  world.done();
  return result;
}

test("an account with one workspace is bound to it, in the guide's field names", async () => {
  const world = outside(
    { request: `GET ${API}/user`, json: JOHN },
    {
      request: `GET ${API}/user/workspaces?pagelen=100`,
      json: { values: [{ type: "workspace_access", administrator: true, workspace: workspace("acme") }] },
    },
  );
  expect(await bitbucket.identify(httpOver(world, bitbucket).http)).toEqual({
    accountId: "bitbucket_abc123",
    user: USER,
    metadata: { url: "https://bitbucket.org/acme", workspace: "acme", workspace_name: "ACME" },
  });
});

test("V04 several workspaces are given back and none is chosen; the older list of workspaces does as well", async () => {
  const world = outside(
    { request: `GET ${API}/user`, json: JOHN },
    {
      request: `GET ${API}/user/workspaces?pagelen=100`,
      status: 404,
      json: { type: "error", error: { message: "Not found" } },
    },
    { request: `GET ${API}/workspaces?pagelen=100`, json: { values: [workspace("acme"), workspace("own")] } },
  );
  const identity = await bitbucket.identify(httpOver(world, bitbucket).http);
  expect(identity.metadata).toEqual({});
  expect(identity.sites?.map(({ name, url }) => [name, url])).toEqual([
    ["acme", "https://bitbucket.org/acme"],
    ["own", "https://bitbucket.org/own"],
  ]);
});

test("V20 a token that has expired is renewed once and the call succeeds", async () => {
  const world = outside(
    { request: `GET ${API}/user`, status: 401, json: { type: "error", error: { message: "Token is expired" } } },
    { request: `GET ${API}/user`, json: JOHN },
    { request: `GET ${API}/user/workspaces?pagelen=100`, json: { values: [{ workspace: workspace("acme") }] } },
  );
  const tokens = ["B0"];
  const http = httpOver(world, bitbucket, {
    token: async () => tokens.at(-1) ?? "",
    onRejected: async (token) => {
      tokens.push(`${token}+`);
      return `${token}+`;
    },
  }).http;
  expect((await bitbucket.identify(http)).accountId).toBe("bitbucket_abc123");
  expect(world.asked.map(({ token }) => token)).toEqual(["B0", "B0+", "B0+"]);
});

test("V20 the next page is followed on the API's own origin, and never to another host", async () => {
  const next = `${WEB.slice(4)}&page=2`;
  const result = await run(
    "bitbucket.list_pull_requests",
    { repository: "web" },
    { request: WEB, json: { values: [pull(9, "Nine")], next } },
    { request: `GET ${next}`, json: { values: [pull(8, "Eight")], next: "https://evil.example.test/2.0/x?page=3" } },
  );
  expect(result.data).toMatchObject({ pull_requests: [{ id: 9 }, { id: 8 }], more: true });
});

test("pull requests of a repository are a table for people and trimmed data for models", async () => {
  const result = await run(
    "bitbucket.list_pull_requests",
    { repository: "Web" },
    { request: WEB, json: { values: [pull(12, "Fix [x](http://e.test) | y", { draft: true })] } },
  );
  expect(result).toEqual({
    data: {
      pull_requests: [
        {
          id: 12,
          repository: "web",
          title: "Fix [x](http://e.test) | y",
          state: "OPEN",
          draft: true,
          author: "John Doe",
          source: "feature",
          destination: "main",
          approvals: 0,
          comments: 2,
          updated: "2026-11-12T10:00:00.000000+00:00",
          url: "https://bitbucket.org/acme/web/pull-requests/12",
        },
      ],
      more: false,
    },
    text: [
      "1 open pull request in Web:",
      "",
      "| Repository | ID | Title | State | Author | Branches | Updated |",
      "| --- | --- | --- | --- | --- | --- | --- |",
      "| web | #12 | Fix [x]\\(http://e.test) \\| y | open, draft | John Doe | feature → main | 2026-11-12 |",
    ].join("\n"),
    url: "https://bitbucket.org/acme/web/pull-requests/",
  });
});

test.each([
  ["merged", "state=MERGED"],
  ["closed", "state=MERGED&state=DECLINED&state=SUPERSEDED"],
  ["all", "state=OPEN&state=MERGED&state=DECLINED&state=SUPERSEDED"],
  ["declined", "state=DECLINED"],
])("%s pull requests are asked for as %s", async (state, query) => {
  const request = `GET ${API}/repositories/other/web/pullrequests?${query}&sort=-updated_on&pagelen=5`;
  const result = await run(
    "bitbucket.list_pull_requests",
    { repository: "other/web", state, limit: 5 },
    { request, json: { values: [] } },
  );
  expect(result.text).toBe(`No ${state === "all" ? "" : `${state} `}pull requests in other/web.`);
});

test("without a repository those of the workspace are looked at, newest first", async () => {
  const list = (slug: string) =>
    `GET ${API}/repositories/acme/${slug}/pullrequests?state=OPEN&sort=-updated_on&pagelen=20`;
  const result = await run(
    "bitbucket.list_pull_requests",
    {},
    {
      request: `GET ${API}/repositories/acme?sort=-updated_on&pagelen=30`,
      json: { values: [{ slug: "web" }, { slug: "api" }] },
    },
    { request: list("web"), json: { values: [pull(3, "Three")] } },
    { request: list("api"), json: { values: [pull(7, "Seven")] } },
  );
  expect(result.data).toMatchObject({
    pull_requests: [
      { id: 7, repository: "api" },
      { id: 3, repository: "web" },
    ],
  });
});

test("a connection without a chosen workspace asks for the choice and sends nothing", async () => {
  const world = outside();
  await expect(
    runTool(bitbucket, "bitbucket.list_pull_requests", {}, contextOver(world, bitbucket, {})),
  ).rejects.toMatchObject({
    code: "SITE_REQUIRED",
    hint: "Connect again with `kay connect bitbucket --site <workspace>`.",
  });
});

test("a pull request is read with its approvals and description", async () => {
  const participants = [
    { user: { display_name: "Ana" }, role: "REVIEWER", approved: true, state: "approved" },
    { user: { display_name: "Bo" }, role: "REVIEWER", approved: false, state: null },
  ];
  const request = `GET ${API}/repositories/acme/web/pullrequests/12`;
  const result = await run(
    "bitbucket.get_pull_request",
    { repository: "web", id: "12" },
    { request, json: pull(12, "Fix", { participants, description: "Why." }) },
  );
  expect(result.text).toBe(
    [
      "**#12** Fix",
      "- State: open\n- Repository: web\n- Author: John Doe\n- Branches: feature → main\n- Approved by: Ana\n- Comments: 2\n- Updated: 2026-11-12",
      "Why.",
    ].join("\n\n"),
  );
  expect(result.data).toMatchObject({ approvals: 1, approved_by: ["Ana"], description: "Why." });
});
