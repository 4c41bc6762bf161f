import { expect, test } from "vitest";
import { BITBUCKET, DANA, SAM, sandbox } from "./stand-in.ts";

const SCOPES = "account email repository pullrequest:write";
const signIn = (scope = SCOPES, account?: string) => sandbox().signIn("bitbucket", scope, account);
const REQUESTS = "/2.0/repositories/kay-demo/kay-cli/pullrequests";
const ids = (body: { values: { id: number }[] }) => body.values.map(({ id }) => id);

test("the account, its email addresses, its workspaces and their repositories", async () => {
  const { call } = await signIn();
  expect((await call("/2.0/user")).body).toMatchObject({
    type: "user",
    account_id: DANA,
    display_name: "Dana Demo",
    nickname: "dana",
    username: "dana",
    uuid: expect.stringMatching(/^\{[0-9a-f-]{36}\}$/),
  });
  expect((await call("/2.0/user/emails")).body.values).toMatchObject([{ email: "dana@example.com", is_primary: true }]);
  expect((await call("/2.0/workspaces")).body).toMatchObject({
    size: 1,
    page: 1,
    pagelen: 10,
    values: [{ type: "workspace", slug: "kay-demo" }],
  });
  expect((await call("/2.0/user/workspaces")).body.values).toMatchObject([
    { type: "workspace_access", workspace: { slug: "kay-demo" } },
  ]);
  const { body } = await call("/2.0/repositories/kay-demo");
  expect(body.values.map(({ full_name }: { full_name: string }) => full_name)).toEqual([
    "kay-demo/kay-cli",
    "kay-demo/infrastructure",
  ]);
  expect((await call("/2.0/repositories/kay-demo/kay-cli")).body).toMatchObject({
    slug: "kay-cli",
    mainbranch: { type: "branch", name: "main" },
    project: { key: "KAY" },
  });
});

test("pull requests are listed, open ones by default, by state, by filter and by page", async () => {
  const { call } = await signIn();
  expect(ids((await call(REQUESTS)).body)).toEqual([3, 2]);
  expect(ids((await call(`${REQUESTS}?state=MERGED&state=DECLINED`)).body)).toEqual([1, 4]);
  expect(ids((await call(`${REQUESTS}?q=${encodeURIComponent('state = "OPEN" AND title ~ "login"')}`)).body)).toEqual([
    2,
  ]);
  expect(ids((await call(`${REQUESTS}?q=${encodeURIComponent('author.nickname = "sam"')}`)).body)).toEqual([3]);
  expect(ids((await call(`${REQUESTS}?state=OPEN&state=MERGED&sort=-id`)).body)).toEqual([3, 2, 1]);
  const first = (await call(`${REQUESTS}?state=OPEN&state=MERGED&pagelen=2`)).body;
  expect(first.next).toBe(`${BITBUCKET}${REQUESTS}?state=OPEN&state=MERGED&pagelen=2&page=2`);
  const second = (await call(first.next)).body;
  expect([ids(first), ids(second), second.next, second.size]).toEqual([[3, 2], [1], undefined, 3]);
  expect((await call(`${REQUESTS}?pagelen=51`)).body).toEqual({ type: "error", error: { message: "Invalid pagelen" } });
  expect((await call(`${REQUESTS}?page=9`)).status).toBe(404);
  expect((await call(`${REQUESTS}?q=${encodeURIComponent("title ~")}`)).status).toBe(400);
  expect((await call(`${REQUESTS}?state=NEW`)).status).toBe(400);
});

test("a pull request is opened, commented on, approved once and merged once", async () => {
  const { call } = await signIn();
  const json = { title: "KAY-3 Fix a typo", source: { branch: { name: "KAY-3-help-typo" } }, description: "confirm" };
  const created = await call(REQUESTS, { method: "POST", json });
  expect(created).toMatchObject({
    status: 201,
    body: {
      type: "pullrequest",
      id: 5,
      state: "OPEN",
      title: "KAY-3 Fix a typo",
      author: { account_id: DANA },
      source: { branch: { name: "KAY-3-help-typo" } },
      destination: { branch: { name: "main" } },
      created_on: "2026-11-20T09:00:00.000000+00:00",
      links: {
        html: { href: `${BITBUCKET}/kay-demo/kay-cli/pull-requests/5` },
        self: { href: `${BITBUCKET}${REQUESTS}/5` },
      },
    },
  });
  const comment = await call(`${REQUESTS}/5/comments`, { method: "POST", json: { content: { raw: "Looks <good>" } } });
  expect(comment).toMatchObject({
    status: 201,
    body: { type: "pullrequest_comment", content: { raw: "Looks <good>", html: "<p>Looks &lt;good&gt;</p>" } },
  });
  expect((await call(`${REQUESTS}/5/comments`)).body.values).toHaveLength(1);
  expect((await call(`${REQUESTS}/5/approve`, { method: "POST" })).body).toMatchObject({
    type: "participant",
    approved: true,
    state: "approved",
  });
  expect((await call(`${REQUESTS}/5/approve`, { method: "POST" })).status).toBe(409);
  expect((await call(`${REQUESTS}/5/approve`, { method: "DELETE" })).status).toBe(204);
  expect((await call(`${REQUESTS}/5/merge`, { method: "POST" })).body).toMatchObject({
    state: "MERGED",
    closed_by: { account_id: DANA },
    merge_commit: { type: "commit" },
  });
  expect((await call(`${REQUESTS}/5/decline`, { method: "POST" })).body).toEqual({
    type: "error",
    error: { message: "This pull request is already closed." },
  });
  expect((await call(`${REQUESTS}/2/decline`, { method: "POST" })).body.state).toBe("DECLINED");
});

test.each([
  [{ source: { branch: { name: "KAY-5-export" } } }, "title: This field is required."],
  [{ title: "x" }, "source: This field is required."],
  [{ title: "x", source: { branch: { name: "nope" } } }, "source: branch not found: nope"],
  [{ title: "x", source: { branch: { name: "main" } } }, "There are no changes to be pulled"],
  [
    { title: "x", source: { branch: { name: "KAY-1-login-loop" } } },
    "Only one pull request may be open for a given source and target branch",
  ],
])("a pull request that cannot be opened is refused in Bitbucket's envelope (%#)", async (json, message) => {
  const { call } = await signIn();
  const answer = await call(REQUESTS, { method: "POST", json });
  expect([answer.status, answer.body.type, answer.body.error.message]).toEqual([400, "error", message]);
});

test("a merge accepts a known strategy, and removes the branch if requested", async () => {
  const { call } = await signIn();
  const merge = (json: unknown) => call(`${REQUESTS}/2/merge`, { method: "POST", json });
  expect(await merge({ merge_strategy: "octopus" })).toMatchObject({
    status: 400,
    body: { type: "error", error: { fields: { merge_strategy: ['"octopus" is not a valid choice.'] } } },
  });
  const { source } = (await call(`${REQUESTS}/2`)).body;
  const merged = await merge({ merge_strategy: "squash", close_source_branch: true });
  expect(merged).toMatchObject({ status: 200, body: { state: "MERGED", close_source_branch: true } });
  const branches = (await call(`${REQUESTS.replace(/pullrequests$/, "refs/branches")}?pagelen=100`)).body.values;
  expect(branches.map(({ name }: { name: string }) => name)).not.toContain(source.branch.name);
});

test("scopes include others, and a missing one is named with the granted ones", async () => {
  const { call } = await signIn("pullrequest");
  expect((await call("/2.0/repositories/kay-demo")).status).toBe(200);
  const refused = await call(`${REQUESTS}/2/merge`, { method: "POST" });
  expect([refused.status, refused.body]).toEqual([
    403,
    {
      type: "error",
      error: {
        message: "Your credentials lack one or more required privilege scopes.",
        detail: { granted: ["pullrequest"], required: ["pullrequest:write"] },
      },
    },
  ]);
  expect([refused.headers.get("x-oauth-scopes"), refused.headers.get("x-accepted-oauth-scopes")]).toEqual([
    "pullrequest",
    "pullrequest:write",
  ]);
});

test("a missing object is Bitbucket's 404", async () => {
  const { call } = await signIn();
  const message = async (path: string) => (await call(path)).body.error.message;
  expect(await message("/2.0/repositories/nobody")).toBe("No workspace with identifier 'nobody'.");
  expect(await message("/2.0/repositories/kay-demo/none")).toMatch(
    /^You may not have access to this repository or it no longer exists/,
  );
  expect(await message(`${REQUESTS}/99`)).toBe("Pull request 99 not found");
  expect(await message("/2.0/nothing")).toBe("Resource not found");
});

test("a workspace is closed to non-members", async () => {
  const people = [
    { account_id: "a1", display_name: "Ann", nickname: "ann", email: "ann@example.com" },
    { account_id: "b1", display_name: "Bob", nickname: "bob", email: "bob@example.com" },
  ];
  const world = sandbox({
    seed: {
      bitbucket: { accounts: people, workspaces: [{ slug: "anns", members: ["Ann"], repositories: [{ slug: "r" }] }] },
    },
  });
  const [ann, bob] = [await world.signIn("bitbucket", SCOPES, "Ann"), await world.signIn("bitbucket", SCOPES, "Bob")];
  expect((await ann.call("/2.0/repositories/anns/r")).status).toBe(200);
  expect((await bob.call("/2.0/repositories/anns/r")).status).toBe(404);
  expect((await bob.call("/2.0/workspaces")).body.values).toEqual([]);
});

test("the URL of a pull request leads to a page for users", async () => {
  const world = sandbox();
  const page = await world.ask("bitbucket", "/kay-demo/kay-cli/pull-requests/2");
  expect([page.status, page.text.includes("What happens when the clock jumps?")]).toEqual([200, true]);
  expect((await signIn(SCOPES, SAM)).refresh).not.toBe("");
});
