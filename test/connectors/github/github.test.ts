import { expect, test } from "vitest";
import * as z from "zod/mini";
import { isSameObject, listTargetIds } from "#backend/approvals/scope";
import { github } from "#connectors/github/github";
import { findNextLink } from "#connectors/github/paging";
import { contextOver, createRunner, type Expected, httpOver, outside, runTool, summarize } from "../support/outside.ts";

const API = "https://api.github.com";
const ME = { url: "https://github.com", login: "octocat" };
const WEB = `${API}/repos/acme/web`;

/** An issue as returned by GitHub. */
function issue(number: number, title: string, more: Record<string, unknown> = {}) {
  return {
    url: `${WEB}/issues/${number}`,
    repository_url: WEB,
    html_url: `https://github.com/acme/web/issues/${number}`,
    id: number,
    number,
    title,
    state: "open",
    state_reason: null,
    user: { login: "hubot", id: 2, type: "User" },
    assignees: [{ login: "octocat", id: 1 }],
    labels: [{ id: 9, name: "bug", color: "f00" }],
    comments: 0,
    body: null,
    updated_at: "2026-11-20T10:00:00Z",
    ...more,
  };
}

function pull(number: number, title: string, more: Record<string, unknown> = {}) {
  return {
    number,
    title,
    state: "open",
    draft: false,
    merged_at: null,
    html_url: `https://github.com/acme/web/pull/${number}`,
    user: { login: "hubot" },
    head: { label: "acme:fix", ref: "fix" },
    base: { label: "acme:main", ref: "main" },
    body: "Why.",
    requested_reviewers: [{ login: "octocat" }],
    updated_at: "2026-11-21T10:00:00Z",
    ...more,
  };
}

const run = createRunner(github, ME);

function refusal(name: string, input: Record<string, unknown>, ...expected: Expected[]) {
  return run(name, input, ...expected).catch(({ code, message, hint, details }) => ({ code, message, hint, details }));
}

const summary = (name: string, input: Record<string, unknown>) => summarize(github, name, input);

test("the account is read, with the version of the API and a User-Agent on each request", async () => {
  const json = {
    login: "octocat",
    id: 583231,
    name: "The Octocat",
    email: null,
    avatar_url: "https://avatars.example.test/u/1",
    html_url: "https://github.com/octocat",
  };
  const world = outside({ request: `GET ${API}/user`, json });
  expect(await github.identify(httpOver(world, github).http)).toEqual({
    accountId: "583231",
    user: {
      account_id: "583231",
      name: "The Octocat",
      username: "octocat",
      email: null,
      avatar_url: "https://avatars.example.test/u/1",
    },
    metadata: ME,
  });
  expect(world.asked[0]?.headers).toMatchObject({
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    "user-agent": "kay",
  });
});

test("issues of a repository are read over the pages of the Link header, without pull requests", async () => {
  const request = `GET ${WEB}/issues?state=open&per_page=40`;
  const next = `${API}/repositories/1/issues?state=open&per_page=40&page=2`;
  const result = await run(
    "github.list_issues",
    { repository: "acme/web" },
    {
      request,
      json: [issue(3, "Three"), issue(2, "A pull request", { pull_request: { url: "x" } })],
      headers: { link: `<${next}>; rel="next", <${next}>; rel="last"` },
    },
    { request: `${request}&page=2`, json: [issue(1, "One | [x](http://e.test)", { assignees: [], labels: ["ui"] })] },
  );
  expect(result.text).toBe(
    [
      "2 open issues in acme/web:",
      "",
      "| Repository | ID | Title | State | Assignee | Labels | Updated |",
      "| --- | --- | --- | --- | --- | --- | --- |",
      "| acme/web | #3 | Three | open | octocat | bug | 2026-11-20 |",
      "| acme/web | #1 | One \\| [x]\\(http://e.test) | open | – | ui | 2026-11-20 |",
    ].join("\n"),
  );
  expect(result.data).toMatchObject({ issues: [{ number: 3 }, { number: 1 }], more: false });
  expect(result.url).toBe("https://github.com/acme/web/issues");
});

test("a next page on another host is never requested, so that the token stays with GitHub", async () => {
  const result = await run(
    "github.list_issues",
    { repository: "acme/web" },
    {
      request: `GET ${WEB}/issues?state=open&per_page=40`,
      json: [issue(3, "Three")],
      headers: { link: '<https://evil.example.test/issues?page=2>; rel="next"' },
    },
  );
  expect(result.data).toMatchObject({ issues: [{ number: 3 }], more: true });
});

test.each([
  [null, undefined],
  ['<https://a.test/?page=1>; rel="prev"', undefined],
  ['<https://a.test/?page=1>; rel="prev", <https://a.test/?a=1,2&page=3>; rel="next"', "https://a.test/?a=1,2&page=3"],
  ["<https://a.test/2>; title=x; rel=next", "https://a.test/2"],
  ['<https://a.test/2>; rel="last next"', "https://a.test/2"],
  ['<https://a.test/2>; rel="nextish"', undefined],
  ["garbage", undefined],
])("the next page in the Link header %j is %j", (header, url) => {
  expect(findNextLink(header)).toBe(url);
});

test("a repository is found by its name alone among those of the account", async () => {
  const mine: Expected = {
    request: `GET ${API}/user/repos?sort=pushed&per_page=100`,
    json: [
      { name: "web", full_name: "acme/web" },
      { name: "api", full_name: "acme/api" },
      { name: "api", full_name: "other/api" },
    ],
  };
  const result = await run("github.get_issue", { repository: "Web", number: "3" }, mine, {
    request: `GET ${WEB}/issues/3`,
    json: issue(3, "Three"),
  });
  expect(result.url).toBe("https://github.com/acme/web/issues/3");
  expect(await refusal("github.get_issue", { repository: "api", number: 3 }, mine)).toMatchObject({
    code: "INVALID_REQUEST",
    message: "Several repositories on GitHub are called “api”: acme/api, other/api.",
    hint: "Specify it with its owner.",
  });
  expect(await refusal("github.get_issue", { repository: "nope", number: 3 }, mine)).toMatchObject({
    code: "INVALID_REQUEST",
    message: "None of your repositories on GitHub is called “nope”.",
  });
});

test.each([
  [{ assignee: "me" }, "is:issue is:open assignee:octocat", "open issues assigned to you on GitHub"],
  [{}, "is:issue is:open involves:@me", "open issues on GitHub that concern you"],
  [
    { state: "all", label: "good first issue" },
    'is:issue involves:@me label:"good first issue"',
    "issues labelled good first issue on GitHub that concern you",
  ],
])("without a repository, issues are searched everywhere: %j", async (input, q, words) => {
  const query = new URLSearchParams({ q, sort: "updated", order: "desc", per_page: "20" });
  const json = { total_count: 0, incomplete_results: false, items: [] };
  const result = await run("github.list_issues", input, {
    request: decodeURI(`GET ${API}/search/issues?${query}`),
    json,
  });
  expect(result.text).toBe(`No ${words}.`);
});

test("an issue is read with its description and newest comments", async () => {
  const createComment = (id: number) => ({
    id,
    user: { login: `u${id}` },
    body: `c${id}`,
    created_at: "2026-11-01T00:00:00Z",
  });
  const result = await run(
    "github.get_issue",
    { repository: "https://github.com/acme/web", number: 3 },
    { request: `GET ${WEB}/issues/3`, json: issue(3, "Three", { body: "Text", comments: 6 }) },
    { request: `GET ${WEB}/issues/3/comments?per_page=5&page=2`, json: [createComment(6)] },
    { request: `GET ${WEB}/issues/3/comments?per_page=5&page=1`, json: [1, 2, 3, 4, 5].map(createComment) },
  );
  expect(result.text).toBe(
    [
      "**#3** Three",
      "- State: open\n- Repository: acme/web\n- Author: hubot\n- Assignee: octocat\n- Labels: bug\n- Updated: 2026-11-20",
      "Text",
      ...[2, 3, 4, 5, 6].map((id) => `**u${id}**, 2026-11-01:\n\nc${id}`),
    ].join("\n\n"),
  );
});

test("an issue is created with labels and assignees, once", async () => {
  const result = await run(
    "github.create_issue",
    { repository: "acme/web", title: " Crash\non start ", body: "Steps", label: "bug, ui", assignee: "me" },
    {
      request: `POST ${WEB}/issues`,
      body: { title: "Crash on start", body: "Steps", labels: ["bug", "ui"], assignees: ["octocat"] },
      status: 201,
      json: issue(9, "Crash on start"),
    },
  );
  expect(result.text).toBe("Created #9 in acme/web: Crash on start\n\nhttps://github.com/acme/web/issues/9");
});

test("GitHub's refusal is reported with the field", async () => {
  const json = {
    message: "Validation Failed",
    errors: [{ value: "nobody", resource: "Issue", field: "assignees", code: "invalid" }],
    documentation_url: "https://docs.github.com/rest",
    status: "422",
  };
  const input = { repository: "acme/web", title: "x", assignee: "nobody" };
  expect(await refusal("github.create_issue", input, { request: `POST ${WEB}/issues`, status: 422, json })).toEqual({
    code: "SERVICE_FAILED",
    message: "GitHub: Validation Failed; assignees: invalid.",
    hint: "Change the request and try again.",
    details: { service: "github", service_status: 422, field: "assignees" },
  });
  const long = await refusal("github.create_issue", { repository: "acme/web", title: "x".repeat(257) });
  expect(long).toMatchObject({ message: "The title has 257 characters; GitHub accepts at most 256." });
});

test("a comment is written as it is", async () => {
  const url = "https://github.com/acme/web/issues/3#issuecomment-1";
  const result = await run(
    "github.comment",
    { repository: "acme/web", number: 3, text: "See **this** & <that>" },
    {
      request: `POST ${WEB}/issues/3/comments`,
      body: { body: "See **this** & <that>" },
      status: 201,
      json: { id: 1, html_url: url },
    },
  );
  expect(result.text).toBe(`Commented on #3 in acme/web.\n\n${url}`);
});

test("an issue is closed for a reason; a closed one is left unchanged", async () => {
  const oldIssue = { request: `GET ${WEB}/issues/3`, json: issue(3, "Three") };
  const closed = issue(3, "Three", { state: "closed", state_reason: "not_planned" });
  const input = { repository: "acme/web", number: 3, reason: "not planned" };
  const body = { state: "closed", state_reason: "not_planned" };
  const result = await run("github.close_issue", input, oldIssue, {
    request: `PATCH ${WEB}/issues/3`,
    body,
    json: closed,
  });
  expect(result.text).toBe(
    "#3 in acme/web is now closed as not planned: Three\n\nhttps://github.com/acme/web/issues/3",
  );
  const again = await run("github.close_issue", input, { ...oldIssue, json: closed });
  expect([again.text, (again.data as { changed: boolean }).changed]).toEqual([
    "#3 in acme/web is already closed as not planned.",
    false,
  ]);
});

test("pull requests of a repository; merged ones are picked from the closed ones", async () => {
  const open = await run(
    "github.list_pull_requests",
    { repository: "acme/web" },
    {
      request: `GET ${WEB}/pulls?state=open&sort=updated&direction=desc&per_page=20`,
      json: [pull(12, "Fix", { draft: true })],
    },
  );
  expect(open.text.split("\n").at(-1)).toBe("| acme/web | #12 | Fix | open, draft | hubot | fix → main | 2026-11-21 |");
  const merged = await run(
    "github.list_pull_requests",
    { repository: "acme/web", state: "merged", limit: 1 },
    {
      request: `GET ${WEB}/pulls?state=closed&sort=updated&direction=desc&per_page=2`,
      json: [
        pull(11, "No", { state: "closed" }),
        pull(10, "Yes", { state: "closed", merged_at: "2026-11-01T00:00:00Z" }),
      ],
    },
  );
  expect(merged.data).toMatchObject({ pull_requests: [{ number: 10, state: "merged" }], more: false });
});

test("a pull request is read with the latest reviews", async () => {
  const review = (login: string, state: string) => ({
    id: 1,
    user: { login },
    state,
    submitted_at: "2026-11-01T00:00:00Z",
  });
  const result = await run(
    "github.get_pull_request",
    { repository: "acme/web", number: 12 },
    {
      request: `GET ${WEB}/pulls/12`,
      json: pull(12, "Fix", { additions: 10, deletions: 2, changed_files: 1, comments: 4 }),
    },
    {
      request: `GET ${WEB}/pulls/12/reviews?per_page=100`,
      json: [
        review("ana", "CHANGES_REQUESTED"),
        review("bo", "CHANGES_REQUESTED"),
        review("ana", "APPROVED"),
        review("ana", "COMMENTED"),
      ],
    },
  );
  expect(result.text).toBe(
    [
      "**#12** Fix",
      [
        "- State: open",
        "- Repository: acme/web",
        "- Author: hubot",
        "- Branches: fix → main",
        "- Approved by: ana",
        "- Changes requested by: bo",
        "- Waiting for: octocat",
        "- Changes: +10 −2 in 1 file",
        "- Updated: 2026-11-21",
      ].join("\n"),
      "Why.",
    ].join("\n\n"),
  );
});

test("issues, pull requests and repositories are searched", async () => {
  const getQuery = (q: string, path = "issues", rest = "&sort=updated&order=desc&per_page=20") =>
    decodeURI(`GET ${API}/search/${path}?${new URLSearchParams({ q })}${rest}`);
  const items = [issue(3, "Three", { pull_request: { merged_at: null } })];
  const result = await run(
    "github.search",
    { text: "login", type: "pull requests", repository: "acme/web" },
    { request: getQuery("login is:pr repo:acme/web"), json: { total_count: 5, items } },
  );
  expect(result.text.split("\n")[0]).toBe("The first of 5 pull requests about “login” in acme/web:");
  const repositories = await run(
    "github.search",
    { text: "kay", type: "repository" },
    {
      request: getQuery("kay", "repositories", "&per_page=20"),
      json: {
        total_count: 1,
        items: [{ full_name: "acme/kay", description: "A | B", html_url: "https://github.com/acme/kay" }],
      },
    },
  );
  expect(repositories.text.split("\n").at(-1)).toBe("| acme/kay | A \\| B |  | 0 |  |");
});

test.each([
  [
    "a primary limit",
    403,
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(Date.parse("2026-11-27T12:00:05Z") / 1000) },
    5000,
  ],
  ["a secondary limit", 403, { "retry-after": "2" }, 2000],
  ["429", 429, { "retry-after": "1" }, 1000],
])("%s is waited for", async (_, status, headers, wait) => {
  const limited = { request: `GET ${API}/user`, status, headers, json: { message: "API rate limit exceeded" } };
  const world = outside(limited, { request: `GET ${API}/user`, json: {} });
  const { http, pauses } = httpOver(world, github);
  await http.request({ path: "/user", answer: z.unknown() });
  expect(pauses).toEqual([wait]);
});

test("a lasting limit is reported with its end, and a plain 403 is not a limit", async () => {
  const reset = String(Date.parse("2026-11-27T12:40:00Z") / 1000);
  const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
  const request = `GET ${API}/user`;
  const ask = (expected: Expected) =>
    httpOver(outside(expected), github).http.request({ path: "/user", answer: z.unknown() });
  await expect(ask({ request, status: 403, headers, json: { message: "limit" } })).rejects.toMatchObject({
    code: "RATE_LIMITED",
    hint: "Try again in 40 min.",
  });
  await expect(ask({ request, status: 403, json: { message: "Must have admin rights" } })).rejects.toMatchObject({
    code: "SERVICE_FAILED",
    message: "GitHub: Must have admin rights.",
  });
});

test("a call is described exactly before it is made", () => {
  expect(summary("github.create_issue", { repository: "acme/web", title: "Crash", label: "bug" })).toBe(
    "Create an issue in acme/web: “Crash” (label bug)",
  );
  expect(summary("github.close_issue", { repository: "https://github.com/acme/web.git", number: 3 })).toBe(
    "Close issue #3 in acme/web",
  );
  expect(summary("github.comment", { repository: "web", number: 3, text: "ok" })).toBe("Comment on #3 in web: “ok”");
  expect(summary("github.list_issues", {})).toBe("List open issues on GitHub that concern you");
});

test("repositories are a table for people and trimmed data for models, by a part of their name", async () => {
  const repository = (name: string, more: Record<string, unknown> = {}) => ({
    full_name: name,
    html_url: `https://github.com/${name}`,
    description: null,
    private: true,
    archived: false,
    language: null,
    open_issues_count: 2,
    pushed_at: "2026-11-20T10:00:00Z",
    ...more,
  });
  const request = `GET ${API}/user/repos?sort=pushed&per_page=100`;
  const json = [repository("acme/web", { description: "Shop" }), repository("octocat/notes", { archived: true })];
  const url = "https://github.com/acme/web";
  expect(await run("github.list_repositories", { name: "ACME" }, { request, json })).toEqual({
    data: {
      repositories: [
        {
          repository: "acme/web",
          description: "Shop",
          private: true,
          archived: false,
          open_issues: 2,
          pushed: "2026-11-20T10:00:00Z",
          url,
        },
      ],
      more: false,
    },
    text: [
      "1 repository with “acme”:",
      "",
      "| Repository | About | Language | Notes | Changed |",
      "| --- | --- | --- | --- | --- |",
      "| acme/web | Shop |  | private | 2026-11-20 |",
    ].join("\n"),
  });
  const all = await run("github.list_repositories", { limit: 1 }, { request, json });
  expect(all.text).toMatch(/^The first repository; there are more:/);
});

// https://docs.github.com/en/rest/pulls/pulls, "Merge a pull request": `sha` must match the head, otherwise 409.
test("a merge sends the commit that the approval named, and nothing if there is a newer one", async () => {
  const sha = "6dcb09b5b57875f334f61aebed695e2e4193db5e";
  const head = pull(7, "Fix the login", { head: { label: "acme:fix", ref: "fix", sha } });
  const read = { request: `GET ${WEB}/pulls/7`, json: head };
  const merge = (approvedTarget: string, ...expected: Expected[]) => {
    const world = outside(...expected);
    const context = { ...contextOver(world, github, ME), approvedTarget };
    return runTool(github, "github.merge_pull_request", { repository: "acme/web", number: 7 }, context).finally(
      world.done,
    );
  };
  const target = "“Fix the login”, open pull request #7 by hubot in acme/web";
  const sent = { request: `PUT ${WEB}/pulls/7/merge`, body: { sha }, json: { sha: "762941318ee1", merged: true } };
  expect((await merge(`${target} (commit 6dcb09b5b578)`, read, sent)).text).toBe("Merged #7 in acme/web as 7629413.");
  await expect(merge(`${target} (commit 762941318ee1)`, read)).rejects.toMatchObject({
    code: "DENIED",
    message: "Nothing was sent: pull request #7 has a new commit since you approved it.",
  });
});

// https://docs.github.com/en/rest/pulls/pulls: `head.sha` is the newest commit.
test.each(["github.merge_pull_request", "github.review_pull_request"])(
  "the approval of %s names the newest commit, so it covers no later one",
  async (name) => {
    const describe = async (sha: string) => {
      const json = pull(7, "Fix the login", { head: { label: "acme:fix", ref: "fix", sha } });
      const world = outside({ request: `GET ${WEB}/pulls/7`, json });
      const tool = github.tools.find((tool) => tool.name === name);
      const input = { repository: "acme/web", number: 7, verdict: "approve" };
      const target = await tool?.describeTarget?.(input, contextOver(world, github, ME));
      world.done();
      return target ?? "";
    };
    const description = await describe("6dcb09b5b57875f334f61aebed695e2e4193db5e");
    expect(description).toBe("“Fix the login”, open pull request #7 by hubot in acme/web (commit 6dcb09b5b578)");
    const ids = listTargetIds(description);
    expect(isSameObject(description, ids)).toBe(true);
    expect(isSameObject(await describe("762941318ee16e59dabbacb1b4049eec22f0d303"), ids)).toBe(false);
  },
);
