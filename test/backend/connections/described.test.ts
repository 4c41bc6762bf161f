import { isIP } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { getServiceAccess } from "#backend/connections/tokens/access";
import type { Fetch } from "#net/ports";
import { NOON, useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { browserAt, paste } from "#test/key-page";
import { TASKS, TASKS_API, TASKS_KEY, tasksService } from "#test/tasks-service";

let service: ReturnType<typeof tasksService>;
let addresses: Record<string, string[]>;
beforeEach(() => {
  service = tasksService();
  addresses = {};
});
const PUBLIC = "93.184.215.14";
const reach: Fetch = (url, init) => service.fetch(url, init);
const world = useBackend({
  guarded: { fetch: reach, addresses: async (host) => (isIP(host) ? [host] : (addresses[host] ?? [PUBLIC])) },
});

/** A signed-in user with a new service to describe. */
async function ann(source = TASKS) {
  const { token, session } = await connect(world());
  const add = (text: string, more: object = {}) =>
    world().call("POST /services", { token, body: { source: text, ...more } });
  const added = await add(source);
  return { token, session, add, added };
}

/** The link that connect gives for the described service. */
async function link(session: string, name = "tasks"): Promise<{ url: string; state: string }> {
  const { body } = await world().call(`POST /connections/connect?service=${name}`, { body: { session_id: session } });
  return { url: String(body.authorization_url), state: String(body.state) };
}

const status = async (state: string) => (await world().call(`GET /auth/status/${state}`)).body;
const list = (token: string, input = {}) =>
  world().call("POST /tools/tasks.list_tasks/call", { token, body: { input } });

test("the page for a key loads and runs nothing, is not cached, posts only to its origin, and says where the key goes", async () => {
  const { session } = await ann();
  const { url } = await link(session);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:4000\/auth\/key\?state=[0-9a-f]{64}$/);
  const { status, html, headers } = await browserAt(world().backend, url).open();
  expect({ status, ...Object.fromEntries(headers) }).toMatchObject({
    status: 200,
    "cache-control": "no-store",
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
    "content-security-policy": expect.stringMatching(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    ),
  });
  expect(html).toContain("It is sent to <b>tasks.example.com</b> and nowhere else.");
  expect(html).not.toMatch(/<script|https?:\/\//);
});

test("a wrong key is requested again, the right one completes the state, and the log has neither", async () => {
  const { session, token } = await ann();
  const { url, state } = await link(session);
  const wrong = await paste(world().backend, url, { secret: "tk_wrong" });
  expect([wrong.status, wrong.html.includes("Tasks did not accept it.")]).toEqual([422, true]);
  expect(wrong.html).not.toContain("tk_wrong");
  expect(await status(state)).toMatchObject({ status: "pending" });
  const right = await paste(world().backend, url, { secret: ` ${TASKS_KEY}\r\n` });
  expect([right.status, right.html.includes("Tasks is connected")]).toEqual([200, true]);
  expect(await status(state)).toMatchObject({ status: "completed", account_id: "7" });
  expect((await paste(world().backend, url, { secret: TASKS_KEY })).status).toBe(400);
  expect((await list(token)).status).toBe(200);
  const rows = await world().ports.db.selectFrom("grants").selectAll().where("service", "=", "tasks").execute();
  expect(JSON.stringify(rows) + world().log.join("\n")).not.toMatch(/tk_(wrong|0123)/);
});

test("a form of another page, without its ticket, or with an empty key connects nothing; cancel is a denial", async () => {
  const { session } = await ann();
  const { url, state } = await link(session);
  const browser = browserAt(world().backend, url);
  const { fields } = await browser.open();
  const form = { ...fields, secret: TASKS_KEY, decision: "connect" };
  expect((await browser.submit(form, { origin: "https://evil.test" })).status).toBe(403);
  expect((await browser.submit(form, { origin: "null" })).status).toBe(403);
  expect((await browser.submit({ ...form, ticket: "x" })).status).toBe(400);
  expect((await browser.submit({ ...form, secret: " " })).status).toBe(422);
  expect((await browser.submit({ ...form, secret: "a b" })).status).toBe(422);
  expect(service.seen).toEqual([]);
  expect((await browser.submit({ ...fields, decision: "cancel" })).html).toContain("Tasks was not connected");
  expect(await status(state)).toMatchObject({ status: "denied" });
});

test("a request that is refused with 401 ends the connection only if the key is refused everywhere", async () => {
  const { session, token } = await ann();
  await paste(world().backend, (await link(session)).url, { secret: TASKS_KEY });
  const { fetch } = service;
  const refuse = (isRefused: (url: string) => boolean): Fetch => {
    return async (url, init) =>
      isRefused(String(url)) ? Response.json({ message: "No plan for this call" }, { status: 401 }) : fetch(url, init);
  };
  service.fetch = refuse((url) => url.includes("/v1/tasks"));
  expect((await list(token)).body).toMatchObject({
    code: "SERVICE_FAILED",
    message: "Tasks: No plan for this call.",
    hint: "Ask an administrator of Tasks for permission, or use another account.",
  });
  service.fetch = async () => new Response("<html>", { status: 502 });
  expect((await list(token)).body).toMatchObject({ code: "SERVICE_FAILED" });
  service.fetch = fetch;
  expect((await list(token)).status).toBe(200);
  service.fetch = refuse(() => true);
  expect((await list(token)).body).toMatchObject({ code: "AUTH_REQUIRED" });
  service.fetch = fetch;
  expect((await list(token)).body).toMatchObject({ code: "AUTH_REQUIRED" });
});

test("a key that no other request can check stays after a 401", async () => {
  const { session, token } = await ann(TASKS.replace(/identify:[\s\S]*?tools:/, "tools:"));
  await paste(world().backend, (await link(session)).url, { secret: TASKS_KEY });
  const { fetch } = service;
  service.fetch = async () => Response.json({ message: "No plan for this call" }, { status: 401 });
  expect((await list(token)).body).toMatchObject({
    code: "AUTH_REQUIRED",
    message: "Tasks rejected the stored credentials.",
  });
  service.fetch = fetch;
  expect((await list(token)).status).toBe(200);
});

test("the link expires after ten minutes", async () => {
  const { session } = await ann();
  const { url } = await link(session);
  world().clock.advance(10 * 60_000);
  expect((await paste(world().backend, url, { secret: TASKS_KEY })).status).toBe(400);
  expect(world().clock.now()).toBe(NOON + 600_000);
});

test("a replaced address or sign-in discards the key and the approvals, closes the open page, and the key is unusable elsewhere", async () => {
  const { session, token, add } = await ann();
  const { db } = world().ports;
  await paste(world().backend, (await link(session)).url, { secret: TASKS_KEY });
  const approval = {
    installation_id: deriveInstallationId(session),
    conversation_id: null,
    key: "k",
    words: "w",
    account: null,
  };
  const dates = { created_at: new Date(NOON), expires_at: null };
  for (const tool of ["tasks.add_task", "tasks.list_tasks", "jira.search"])
    await db
      .insertInto("approvals")
      .values({ ...approval, ...dates, id: `${session}-${tool}`, tool })
      .execute();
  const approvals = async () =>
    (
      await db
        .selectFrom("approvals")
        .select("tool")
        .where("installation_id", "=", deriveInstallationId(session))
        .orderBy("tool")
        .execute()
    ).map(({ tool }) => tool);
  const before = await db
    .selectFrom("grants")
    .selectAll()
    .where("service", "=", "tasks")
    .where("installation_id", "=", deriveInstallationId(session))
    .executeTakeFirstOrThrow();
  const words = await add(TASKS.replace("Add a task.", "Add one task."));
  expect(words.body).toMatchObject({ outcome: "replaced", changes: ["Changed: tasks.add_task."] });
  expect(await approvals()).toEqual(["jira.search", "tasks.list_tasks"]);
  expect((await list(token)).status).toBe(200);
  const open = await link(session);
  const evil = TASKS.replace(TASKS_API, "https://evil.test");
  expect((await add(evil)).body).toMatchObject({ outcome: "replaced" });
  expect(await approvals()).toEqual(["jira.search"]);
  expect((await list(token)).body).toMatchObject({ code: "AUTH_REQUIRED" });
  expect((await paste(world().backend, open.url, { secret: TASKS_KEY })).status).toBe(400);
  // Even if restored, a value encrypted for one address cannot be decrypted for another.
  await db
    .insertInto("grants")
    .values({ ...before, user: "{}", metadata: "{}" })
    .execute();
  await expect(getServiceAccess(world().ports, deriveInstallationId(session), "tasks")).rejects.toMatchObject({
    code: "AUTH_REQUIRED",
  });
  expect(service.seen.filter(({ call }) => call.includes("evil.test"))).toEqual([]);
});

test("a shared backend refuses addresses of its own network, by name and by number, when a service is added", async () => {
  const { add } = await ann();
  addresses = { "metadata.test": [PUBLIC, "169.254.169.254"], "nowhere.test": [] };
  for (const host of ["10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "metadata.test", "nowhere.test"]) {
    const { status, body } = await add(TASKS.replace("tasks.example.com/api", `${host}/api`));
    expect([host, status, body.code]).toEqual([host, 403, "ADDRESS_REFUSED"]);
  }
  expect((await add(TASKS.replace("https://tasks.example.com/api", "http://127.0.0.1:80/api"))).body).toMatchObject({
    code: "ADDRESS_REFUSED",
  });
});

test("no input value escapes the described path, header or host", async () => {
  const { session, token } = await ann(
    TASKS.replace("    query:\n", '    headers: { X-Trace: "{status}" }\n    query:\n').replace(
      "          enum: [open, done]\n",
      "",
    ),
  );
  await paste(world().backend, (await link(session)).url, { secret: TASKS_KEY });
  service.seen.length = 0;
  const remove = (task: string) =>
    world().call("POST /tools/tasks.delete_task/call", { token, body: { input: { task } } });
  for (const task of ["..", ".", ""])
    expect((await remove(task)).body).toMatchObject({ code: "INVALID_REQUEST", field: "task" });
  await remove("../me");
  await remove("?x#y\\z@evil.test");
  expect(service.seen.map(({ call }) => call)).toEqual([
    `DELETE ${TASKS_API}/tasks/..%2Fme`,
    `DELETE ${TASKS_API}/tasks/%3Fx%23y%5Cz%40evil.test`,
  ]);
  expect((await list(token, { status: "a\r\nX-Evil: 1" })).body).toMatchObject({
    code: "INVALID_REQUEST",
    field: "status",
  });
});

test("a redirect to another origin is not followed", async () => {
  const { session, token } = await ann();
  await paste(world().backend, (await link(session)).url, { secret: TASKS_KEY });
  service.fetch = async () => new Response(null, { status: 302, headers: { location: "https://evil.test/" } });
  expect((await list(token)).body).toMatchObject({
    code: "SERVICE_FAILED",
    message: "Tasks redirected to another site (evil.test). kay does not follow such redirects.",
  });
});

test("the session ID alone adds a service only if nobody has ever signed in", async () => {
  const { session } = await ann();
  const added = await world().call("POST /services", { body: { source: TASKS } });
  expect(added.body).toMatchObject({ outcome: "added", session_id: expect.stringMatching(/^kaysession_/) });
  const again = await world().call("POST /services", { body: { source: TASKS, session_id: added.body.session_id } });
  expect(again.body).toMatchObject({ outcome: "unchanged", session_id: added.body.session_id });
  expect(await world().call("POST /services", { body: { source: TASKS, session_id: session } })).toMatchObject({
    status: 401,
    body: { code: "TOKEN_MISSING" },
  });
  for (const request of ["DELETE /services/tasks", "GET /services/tasks/description"])
    expect((await world().call(request)).status).toBe(401);
});

test("a service without a sign-in never restores lost tokens; one without identify is recognized by its key", async () => {
  const none = TASKS.replace("  type: api_key\n  header: X-Api-Key", "  type: none").replace(
    /identify:[\s\S]*?tools:/,
    "tools:",
  );
  const first = await world().call("POST /services", { body: { source: none } });
  const session = String(first.body.session_id);
  const connect = (more: object) =>
    world().call("POST /connections/connect?service=tasks", { body: { session_id: session, ...more } });
  const { body } = await connect({});
  expect(body.connected).toBe(true);
  expect(await status(String(body.state))).toMatchObject({ status: "completed", token: expect.any(String) });
  const lost = await connect({ needs_tokens: true });
  expect(lost.body.connected).toBe(false);
  expect((await paste(world().backend, String(lost.body.authorization_url), {})).status).toBe(400);
  expect(await status(String(lost.body.state))).toMatchObject({ status: "failed", code: "ACCOUNT_MISMATCH" });

  const keyed = TASKS.replace(/identify:[\s\S]*?tools:/, "tools:");
  const second = String((await world().call("POST /services", { body: { source: keyed } })).body.session_id);
  await paste(world().backend, (await link(second)).url, { secret: TASKS_KEY });
  const recover = async (secret: string) => {
    const { body } = await world().call("POST /connections/connect?service=tasks", {
      body: { session_id: second, needs_tokens: true },
    });
    await paste(world().backend, String(body.authorization_url), { secret });
    return status(String(body.state));
  };
  expect(await recover("tk_of_a_stranger")).toMatchObject({ status: "failed", code: "ACCOUNT_MISMATCH" });
  expect(await recover(TASKS_KEY)).toMatchObject({ status: "completed", token: expect.any(String) });
});

test("a service without a sign-in keeps the user that it names, and one that refuses is not connected", async () => {
  const none = TASKS.replace("  type: api_key\n  header: X-Api-Key", "  type: none");
  const session = String((await world().call("POST /services", { body: { source: none } })).body.session_id);
  const connect = async () =>
    (await world().call("POST /connections/connect?service=tasks", { body: { session_id: session } })).body;
  const failed = await connect();
  expect(failed.connected).toBe(false);
  expect(await status(String(failed.state))).toMatchObject({ status: "failed" });
  service.fetch = async () => Response.json({ id: 7, profile: { name: "Ann", email: "ann@example.com" } });
  const { connected, state } = await connect();
  expect(connected).toBe(true);
  const { token } = (await status(String(state))) as { token: string };
  const { body } = await world().call("GET /connections", { token });
  expect(body).toMatchObject({ connections: { tasks: { connected: true, user: { name: "Ann" } } } });
});

const OAUTH = `auth:
  type: oauth2
  authorize_url: https://login.example.com/authorize
  token_url: https://login.example.com/token
  client_id: kay
  client_auth: client_secret_post
  scopes: [tasks]`;

test("an OAuth client's secret is pasted once, then the browser continues to the provider, and the usual flow connects", async () => {
  const { session, token } = await ann(TASKS.replace("auth:\n  type: api_key\n  header: X-Api-Key", OAUTH));
  const { url, state } = await link(session);
  const page = await browserAt(world().backend, url).open();
  expect(page.headers.get("content-security-policy")).toContain("form-action 'self' https://login.example.com;");
  const onward = await paste(world().backend, url, { secret: "client-secret-1" });
  expect(onward.status).toBe(303);
  const target = new URL(onward.headers.get("location") ?? "");
  expect([target.origin, target.searchParams.get("state"), target.searchParams.get("client_id")]).toEqual([
    "https://login.example.com",
    state,
    "kay",
  ]);
  const requests: string[] = [];
  service.fetch = async (url, init) => {
    const request = new Request(url, init);
    const body = await request.text();
    if (url === "https://login.example.com/token") {
      requests.push(body);
      return Response.json({ access_token: "at-1", token_type: "bearer", expires_in: 3600 });
    }
    expect(request.headers.get("authorization")).toBe("Bearer at-1");
    return Response.json(url.endsWith("/me") ? { id: 7, profile: { name: "Ann" } } : { data: { tasks: [] } });
  };
  const back = new URL(target.searchParams.get("redirect_uri") ?? "");
  expect(back.pathname).toMatch(/^\/auth\/callback\/[0-9a-f]{16}$/);
  expect((await world().call(`GET ${back.pathname}?code=c&state=${state}`)).status).toBe(200);
  expect(requests[0]).toContain("client_secret=client-secret-1");
  expect((await list(token)).body).toMatchObject({ output: { text: "0 tasks." } });
  expect((await link(session)).url).toMatch(/^https:\/\/login\.example\.com\/authorize\?/);
});

/** The custom service with OAuth, its authorization link, and what its token endpoint gets. */
async function oauthService(more = "") {
  const auth = `${OAUTH.replace("\n  client_auth: client_secret_post", "")}${more}`;
  const { session } = await ann(TASKS.replace("auth:\n  type: api_key\n  header: X-Api-Key", auth));
  const { url, state } = await link(session);
  const requests: string[] = [];
  service.fetch = async (to, init) => {
    requests.push(`${to} ${await new Request(to, init).text()}`);
    if (to.endsWith("/token"))
      return Response.json({ access_token: "at-1", token_type: "bearer", refresh_token: "rt-1" });
    return Response.json(to.endsWith("/me") ? { id: 7 } : {});
  };
  const back = new URL(new URL(url).searchParams.get("redirect_uri") ?? "").pathname;
  return { session, state, back, sent: requests };
}

test.for([
  ["that of every other service", () => "/auth/callback?", ""],
  ["that of another custom service", () => "/auth/callback/0123456789abcdef?", ""],
  [
    "its own, from another issuer",
    (back: string) => `${back}?iss=https://github.com&`,
    "\n  issuer: https://login.example.com",
  ],
  ["its own, from no issuer", (back: string) => `${back}?`, "\n  issuer: https://login.example.com"],
] as const)("F9 the code of another provider is not sent on: a response at %s", async ([, place, more]) => {
  const { state, back, sent } = await oauthService(more);
  const answer = await world().call(`GET ${place(back)}code=stolen&state=${state}`);
  expect([answer.status, sent]).toEqual([400, []]);
  expect(await status(state)).toMatchObject({ status: "failed", message: expect.stringContaining("another") });
});

test("F9 the response of a built-in service is refused at the address of a custom one", async () => {
  const { back } = await oauthService();
  const { body } = await world().call("POST /connections/connect?service=jira", { body: {} });
  const answer = await world().call(`GET ${back}?code=c&state=${body.state}`);
  expect([answer.status, (await status(String(body.state))).status]).toEqual([400, "failed"]);
});

test("a custom service with an issuer and a revocation address connects, and its tokens are revoked", async () => {
  const more = "\n  issuer: https://login.example.com\n  revoke_url: https://login.example.com/revoke";
  const { session, state, back, sent } = await oauthService(more);
  const query = `code=c&state=${state}&iss=${encodeURIComponent("https://login.example.com")}`;
  expect((await world().call(`GET ${back}?${query}`)).status).toBe(200);
  const { body } = await world().call("POST /connections/disconnect?service=tasks", { body: { session_id: session } });
  expect(body).toMatchObject({ revocation: { status: "revoked" } });
  expect(sent.filter((line) => line.includes("/revoke"))).toEqual([
    expect.stringContaining("token=rt-1"),
    expect.stringContaining("token=at-1"),
  ]);
});
