import { expect, test } from "vitest";
import { bitbucket } from "#connectors/bitbucket/bitbucket";
import { contextOver, createRunner, httpOver, outside, runTool, summarize } from "../support/outside.ts";

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

/** A pull request as returned by Bitbucket. */
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

const run = createRunner(bitbucket, ACME);

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

test("V04 several workspaces are returned and none is chosen; the older list of workspaces works too", async () => {
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

test("V20 an expired token is refreshed once and the call succeeds", async () => {
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
])("%s pull requests are requested as %s", async (state, query) => {
  const request = `GET ${API}/repositories/other/web/pullrequests?${query}&sort=-updated_on&pagelen=5`;
  const result = await run(
    "bitbucket.list_pull_requests",
    { repository: "other/web", state, limit: 5 },
    { request, json: { values: [] } },
  );
  expect(result.text).toBe(`No ${state === "all" ? "" : `${state} `}pull requests in other/web.`);
});

test("without a repository, those of the workspace are read, newest first", async () => {
  const list = (slug: string) =>
    `GET ${API}/repositories/acme/${slug}/pullrequests?state=OPEN&sort=-updated_on&pagelen=21`;
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
    { user: { display_name: "Cy" }, role: "REVIEWER", approved: false, state: "changes_requested" },
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
      "- State: open\n- Repository: web\n- Author: John Doe\n- Branches: feature → main\n- Approved by: Ana\n- Changes requested by: Cy\n- Comments: 2\n- Updated: 2026-11-12",
      "Why.",
    ].join("\n\n"),
  );
  expect(result.data).toMatchObject({
    approvals: 1,
    approved_by: ["Ana"],
    changes_requested_by: ["Cy"],
    description: "Why.",
  });
});

const PULLS = `${API}/repositories/acme/web/pullrequests`;
const PULL_URL = "https://bitbucket.org/acme/web/pull-requests/7";

test("repositories are a table for people and trimmed data for models; a part of the name is quoted", async () => {
  const web = {
    slug: "web",
    full_name: "acme/web",
    description: "The shop | front",
    is_private: true,
    language: "typescript",
    mainbranch: { name: "main" },
    updated_on: "2026-11-20T10:00:00.000000+00:00",
    links: { html: { href: "https://bitbucket.org/acme/web" } },
  };
  const result = await run(
    "bitbucket.list_repositories",
    {},
    {
      request: `GET ${API}/repositories/acme?sort=-updated_on&pagelen=25`,
      json: { values: [web] },
    },
  );
  expect(result).toEqual({
    data: {
      repositories: [
        {
          repository: "acme/web",
          description: "The shop | front",
          private: true,
          main_branch: "main",
          updated: web.updated_on,
          url: "https://bitbucket.org/acme/web",
        },
      ],
      more: false,
    },
    text: [
      "1 repository:",
      "",
      "| Repository | About | Language | Main branch | Updated |",
      "| --- | --- | --- | --- | --- |",
      "| web | The shop \\| front | typescript | main | 2026-11-20 |",
    ].join("\n"),
    url: "https://bitbucket.org/acme",
  });
  const q = new URLSearchParams({ q: 'name ~ "a\\"b"' });
  const none = await run(
    "bitbucket.list_repositories",
    { name: 'a"b', limit: 3 },
    {
      request: `GET ${decodeURI(`${API}/repositories/acme?sort=-updated_on&pagelen=3&${q}`)}`,
      json: { values: [] },
    },
  );
  expect(none.text).toBe('No repositories with “a"b”.');
});

test("a pull request is opened for a branch, into the main one unless another is named", async () => {
  const opened = pull(7, "Mend the help");
  const result = await run(
    "bitbucket.create_pull_request",
    { repository: "web", source: " fix/help ", title: " Mend  the help " },
    {
      request: `POST ${PULLS}`,
      body: { title: "Mend the help", source: { branch: { name: "fix/help" } } },
      json: opened,
    },
  );
  expect(result).toMatchObject({
    data: { id: 7, repository: "web", state: "OPEN" },
    text: `Opened #7 in web: Mend the help\n\n${PULL_URL}`,
    url: PULL_URL,
  });
  const body = {
    title: "T",
    source: { branch: { name: "a" } },
    destination: { branch: { name: "b" } },
    description: "**D**",
    close_source_branch: true,
  };
  const input = { title: "T", source: "a", destination: "b", description: "**D**", close_source_branch: true };
  await run(
    "bitbucket.create_pull_request",
    { repository: "acme/web", ...input },
    { request: `POST ${PULLS}`, body, json: opened },
  );
  for (const field of ["title", "source"]) {
    await expect(
      run("bitbucket.create_pull_request", { repository: "web", source: "a", title: "T", [field]: " " }),
    ).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: `A pull request needs a ${field === "source" ? "source branch" : field}.`,
    });
  }
});

test("a pull request is commented on, approved, merged and declined", async () => {
  const commented = await run(
    "bitbucket.comment",
    { repository: "web", id: 7, text: " See `x` " },
    {
      request: `POST ${PULLS}/7/comments`,
      body: { content: { raw: "See `x`" } },
      status: 201,
      json: { id: 99, links: { html: { href: `${PULL_URL}#comment-99` } } },
    },
  );
  expect(commented).toEqual({
    data: { comment: 99, pull_request: 7, repository: "web", url: `${PULL_URL}#comment-99` },
    text: `Commented on #7 in web.\n\n${PULL_URL}#comment-99`,
    url: `${PULL_URL}#comment-99`,
  });
  const approve = { request: `POST ${PULLS}/7/approve` };
  const approved = await run("bitbucket.approve_pull_request", { repository: "web", id: 7 }, { ...approve, json: {} });
  expect(approved.text).toBe(`Approved #7 in web.\n\n${PULL_URL}`);
  const again = await run(
    "bitbucket.approve_pull_request",
    { repository: "web", id: 7 },
    {
      ...approve,
      status: 409,
      json: { type: "error", error: { message: "You already approved this pull request." } },
    },
  );
  expect(again.data).toEqual({ pull_request: 7, repository: "web", approved: true, changed: false, url: PULL_URL });
  const merged = await run(
    "bitbucket.merge_pull_request",
    { repository: "web", id: 7, strategy: "squash", message: "M" },
    {
      request: `POST ${PULLS}/7/merge`,
      body: { type: "pullrequest_merge_parameters", merge_strategy: "squash", message: "M" },
      json: pull(7, "Help", { state: "MERGED" }),
    },
  );
  expect(merged.text).toBe(`Merged #7 Help into main.\n\n${PULL_URL}`);
  const declined = await run(
    "bitbucket.decline_pull_request",
    { repository: "web", id: 7 },
    {
      request: `POST ${PULLS}/7/decline`,
      json: pull(7, "Help", { state: "DECLINED" }),
    },
  );
  expect(declined).toMatchObject({ data: { state: "DECLINED" }, text: `Declined #7 Help.\n\n${PULL_URL}` });
});

test("a merge that a conflict prevents is reported in Bitbucket's words, and not sent again", async () => {
  await expect(
    run(
      "bitbucket.merge_pull_request",
      { repository: "web", id: 7 },
      {
        request: `POST ${PULLS}/7/merge`,
        body: { type: "pullrequest_merge_parameters" },
        status: 409,
        json: { type: "error", error: { message: "You can't merge until you resolve all merge conflicts." } },
      },
    ),
  ).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "Bitbucket: You can't merge until you resolve all merge conflicts.",
    details: { service_status: 409 },
  });
});

test("calls that cannot be undone in Bitbucket are destructive", () => {
  const destructive = bitbucket.tools.filter(({ access }) => access === "destructive").map(({ name }) => name);
  expect(destructive).toEqual(["bitbucket.merge_pull_request", "bitbucket.decline_pull_request"]);
});

test.each([
  [
    "bitbucket.create_pull_request",
    { repository: "web", source: "a", title: "T", description: "D", close_source_branch: true },
    "Open a pull request in web, a → the main branch, deletes the source branch after the merge: “T”: “D”",
  ],
  ["bitbucket.comment", { repository: "acme/web", id: 7, text: "x" }, "Comment on pull request #7 in acme/web: “x”"],
  ["bitbucket.approve_pull_request", { repository: "web", id: 7 }, "Approve pull request #7 in web"],
  [
    "bitbucket.merge_pull_request",
    { repository: "web", id: 7, strategy: "fast_forward", close_source_branch: true },
    "Merge pull request #7 in web (fast forward) and delete its branch",
  ],
  ["bitbucket.decline_pull_request", { repository: "web", id: 7 }, "Decline pull request #7 in web permanently"],
])("%s with %j says before: %s", (name, input, words) => {
  expect(summarize(bitbucket, name, input)).toBe(words);
});

// https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/: `source.commit.hash`
test("the approval of a merge names the newest commit, and that of a decline does not", async () => {
  const describe = async (name: string) => {
    const source = { branch: { name: "fix" }, commit: { type: "commit", hash: "d3022fc0ca3d" } };
    const world = outside({
      request: `GET ${API}/repositories/acme/web/pullrequests/7`,
      json: pull(7, "Fix the login", { source }),
    });
    const tool = bitbucket.tools.find((tool) => tool.name === `bitbucket.${name}_pull_request`);
    const input = { repository: "web", id: 7, text: "Nice" };
    const target = await tool?.describeTarget?.(input, contextOver(world, bitbucket, ACME));
    world.done();
    return target;
  };
  expect(await describe("merge")).toMatch(/ in acme\/web \(commit d3022fc0ca3d\)$/);
  expect(await describe("approve")).toMatch(/ in acme\/web \(commit d3022fc0ca3d\)$/);
  expect(await describe("decline")).toMatch(/ in acme\/web$/);
});
