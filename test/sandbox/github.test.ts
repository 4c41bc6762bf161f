import { expect, test } from "vitest";
import { parseSeed } from "#sandbox/seed";
import { GITHUB, REDIRECT, sandbox } from "./stand-in.ts";

const signIn = (scope = "repo read:user", account?: string) => sandbox().signIn("github", scope, account);
const DOCS = "/repos/kay-demo/kay-docs";
const numbers = (list: { number: number }[]) => list.map(({ number }) => number);

test("V14 the token endpoint answers failures with 200, and form data unless JSON is requested", async () => {
  const world = sandbox();
  const { id, secret } = world.clients.github;
  const code = await world.code("github", "repo");
  const fields = { client_id: id, client_secret: secret, grant_type: "authorization_code", redirect_uri: REDIRECT };
  const ask = (secret: string, accept = "*/*") =>
    world.ask("github", "/login/oauth/access_token", {
      method: "POST",
      headers: { accept },
      body: new URLSearchParams({ ...fields, code: secret }),
    });
  const refused = await ask("wrong");
  expect([refused.status, Object.fromEntries(new URLSearchParams(refused.text))]).toEqual([
    200,
    {
      error: "bad_verification_code",
      error_description: "The code passed is incorrect or expired.",
      error_uri: "https://docs.github.com/apps",
    },
  ]);
  const right = await ask(code);
  expect(right.headers.get("content-type")).toContain("x-www-form-urlencoded");
  expect(Object.fromEntries(new URLSearchParams(right.text))).toEqual({
    access_token: expect.stringMatching(/^gho_/),
    scope: "repo",
    token_type: "bearer",
  });
  expect((await ask("wrong", "application/json")).body).toMatchObject({ error: "bad_verification_code" });
});

test("the account and its repositories, last changed first", async () => {
  const { call } = await signIn();
  const { body, headers } = await call("/user");
  expect(body).toMatchObject({ login: "dana-demo", id: 4_100_001, name: "Dana Demo", html_url: `${GITHUB}/dana-demo` });
  expect([headers.get("x-oauth-scopes"), headers.get("x-github-api-version-selected")]).toEqual([
    "repo, read:user",
    "2022-11-28",
  ]);
  const names = (list: { full_name: string }[]) => list.map(({ full_name }) => full_name);
  expect(names((await call("/user/repos?sort=pushed")).body)).toEqual([
    "kay-demo/kay-docs",
    "kay-demo/release-notes",
    "dana-demo/dotfiles",
  ]);
  const sam = await signIn("repo", "Sam Sample");
  expect(names((await sam.call("/user/repos")).body)).toEqual(["kay-demo/kay-docs", "kay-demo/release-notes"]);
});

test("issues are listed including pull requests, by state, label and assignee, over the pages in Link", async () => {
  const { call } = await signIn();
  expect(numbers((await call(`${DOCS}/issues`)).body)).toEqual([5, 2, 6, 1, 3]);
  expect(numbers((await call(`${DOCS}/issues?state=closed`)).body)).toEqual([7, 4]);
  expect(numbers((await call(`${DOCS}/issues?labels=bug`)).body)).toEqual([1]);
  expect(numbers((await call(`${DOCS}/issues?assignee=none`)).body)).toEqual([5, 6, 3]);
  expect(numbers((await call("/issues")).body)).toEqual([1, 1]);
  const first = await call(`${DOCS}/issues?state=all&per_page=3`);
  const address = (page: number) => `${GITHUB}${DOCS}/issues?state=all&per_page=3&page=${page}`;
  expect(first.headers.get("link")).toBe(`<${address(2)}>; rel="next", <${address(3)}>; rel="last"`);
  const last = await call(address(3));
  expect([numbers(last.body), last.headers.get("link")]).toEqual([
    [4],
    `<${address(2)}>; rel="prev", <${address(1)}>; rel="first"`,
  ]);
  expect((await call(`${DOCS}/issues?state=odd`)).status).toBe(422);
});

test("an issue is opened, commented on, closed and found", async () => {
  const world = sandbox();
  const { call } = await world.signIn("github", "repo");
  const json = { title: "Broken link", body: "On page 2", labels: ["Bug"], assignees: ["sam-sample"] };
  const issue = await call(`${DOCS}/issues`, { method: "POST", json });
  expect(issue).toMatchObject({
    status: 201,
    body: {
      number: 8,
      state: "open",
      labels: [{ name: "bug" }],
      assignees: [{ login: "sam-sample" }],
      created_at: "2026-11-20T09:00:00Z",
      html_url: `${GITHUB}/kay-demo/kay-docs/issues/8`,
    },
  });
  const comment = await call(`${DOCS}/issues/8/comments`, { method: "POST", json: { body: "Mine <b>" } });
  expect([comment.status, comment.body.user.login]).toEqual([201, "dana-demo"]);
  const closed = await call(`${DOCS}/issues/8`, {
    method: "PATCH",
    json: { state: "closed", state_reason: "not_planned" },
  });
  expect(closed.body).toMatchObject({ state: "closed", state_reason: "not_planned", comments: 1 });
  const results = (
    await call(`/search/issues?q=${encodeURIComponent('"broken link" is:issue is:closed repo:kay-demo/kay-docs')}`)
  ).body;
  expect([results.total_count, numbers(results.items)]).toEqual([1, [8]]);
  const page = await world.ask("github", "/kay-demo/kay-docs/issues/8");
  expect([page.status, page.text.includes("Mine &lt;b&gt;")]).toEqual([200, true]);
});

test.each([
  [{}, "title", "missing_field"],
  [{ title: "x", assignees: ["nobody"] }, "assignees", "invalid"],
  [{ title: "x".repeat(257) }, "title", "custom"],
])("an issue that cannot be opened is refused with the field (%#)", async (json, field, code) => {
  const { call } = await signIn();
  const { status, body } = await call(`${DOCS}/issues`, { method: "POST", json });
  expect([status, body.message, body.errors[0].field, body.errors[0].code]).toEqual([
    422,
    "Validation Failed",
    field,
    code,
  ]);
});

test("pull requests with their reviews; an issue's number is not one", async () => {
  const { call } = await signIn();
  expect(numbers((await call(`${DOCS}/pulls`)).body)).toEqual([5, 6]);
  expect((await call(`${DOCS}/pulls/7`)).body).toMatchObject({
    state: "closed",
    merged: true,
    merged_at: expect.any(String),
    head: { ref: "sandbox-links" },
  });
  expect((await call(`${DOCS}/pulls/6/reviews`)).body).toMatchObject([
    { state: "CHANGES_REQUESTED", user: { login: "dana-demo" } },
  ]);
  expect((await call(`${DOCS}/pulls/1`)).status).toBe(404);
  expect((await call(`${DOCS}/issues/5`)).body.pull_request.url).toBe(`${GITHUB}${DOCS}/pulls/5`);
});

test("searches understand people, states and repositories, and repositories are found too", async () => {
  const { call } = await signIn();
  const search = async (q: string) => (await call(`/search/issues?q=${encodeURIComponent(q)}`)).body;
  expect(numbers((await search("is:issue is:open involves:@me")).items)).toEqual([1, 2, 1, 3]);
  expect(numbers((await search("is:pr is:merged author:sam-sample")).items)).toEqual([7]);
  expect(numbers((await search("is:issue -label:bug label:documentation")).items)).toEqual([2]);
  expect((await search("repo:kay-demo/none x")).message).toBe("Validation Failed");
  expect((await call("/search/repositories?q=guide")).body.items).toMatchObject([
    { full_name: "kay-demo/kay-docs", open_issues_count: 5 },
  ]);
});

test("without a scope for it a private repository does not exist, and a public one cannot be written to", async () => {
  const { call, token } = await signIn("read:user");
  expect((await call("/repos/kay-demo/release-notes")).body).toEqual({
    message: "Not Found",
    documentation_url: "https://docs.github.com/rest",
    status: "404",
  });
  expect((await call(DOCS)).status).toBe(200);
  expect((await call(`${DOCS}/issues`, { method: "POST", json: { title: "x" } })).status).toBe(404);
  expect((await call("/user", { token: `${token}x` })).body.message).toBe("Bad credentials");
  expect((await call("/user", { headers: { "x-github-api-version": "1999-01-01" } })).status).toBe(400);
  expect((await call("/repos/kay-demo")).status).toBe(404);
});

test("a seed is filled in, and invalid values are named", async () => {
  const text =
    "github: { users: [{ login: ada, name: Ada, email: a@e.com }], repositories: [{ owner: ada, name: engine, issues: [{ title: T, user: ada }], pull_requests: [{ title: P, user: ada, head: b }] }] }";
  const world = sandbox({ seed: parseSeed(text, "world.yaml") });
  const { call } = await world.signIn("github", "repo");
  expect(numbers((await call("/repos/ada/engine/issues")).body)).toEqual([2, 1]);
  const { body } = await world.ask("github", "/_sandbox/state");
  expect((await world.ask("github", "/_sandbox/state", { method: "PUT", json: body })).status).toBeLessThan(300);
  expect(() =>
    parseSeed("github: { users: [{ login: a, name: A, email: a@e.com }], repositories: [{ owner: b, name: r }] }", "w"),
  ).toThrow('The seed w is wrong at github.repositories[0].owner: there is no user or organization "b".');
});
