import { expect, test } from "vitest";
import { apiFor, catchProblem } from "#test/client-api";
import { realClock } from "#test/client-clock";
import { fakeBackend } from "#test/fake-backend";

const TOKEN = { token: "T0" };

test("each call is as in the guide, with its headers and its body", async () => {
  const backend = await fakeBackend();
  const connect = { service: "jira", session_id: "K1", authorization_url: "https://a.test/", state: "S/1" };
  backend.on("POST /connections/connect?service=jira", { json: connect });
  backend.on("GET /auth/status/S%2F1", { json: { status: "pending" } });
  backend.on("GET /connections", { json: { connections: { jira: { connected: true, new_field: 1 } } } });
  backend.on("POST /connections/disconnect?service=a%26b", { json: { service: "a&b", connected: false } });
  backend.on("POST /ask", { json: { status: "completed", message: "ok" } });
  backend.on("POST /ask/confirm", { json: { status: "completed", message: "done" } });
  backend.on("POST /auth/logout", { json: {} });
  const { api } = apiFor(backend.url, { ...TOKEN, localSecret: "local" });
  expect(await api.connect("jira", { session_id: "K1", code_challenge: "c" })).toEqual(connect);
  expect(await api.status("S/1", "verifier")).toEqual({ status: "pending" });
  expect(await api.connections()).toEqual({ connections: { jira: { connected: true, new_field: 1 } } });
  expect(await api.disconnect("a&b", { session_id: "K1" })).toEqual({ service: "a&b", connected: false });
  expect(await api.ask({ prompt: "hi" }, { idempotencyKey: "I1" })).toEqual({ status: "completed", message: "ok" });
  expect(await api.confirm("confirm_1", true)).toEqual({ status: "completed", message: "done" });
  await api.logout();
  const header = (name: string) => backend.seen.map(({ headers }) => headers[name]);
  expect(header("authorization")).toEqual([
    undefined,
    undefined,
    "Bearer T0",
    "Bearer T0",
    "Bearer T0",
    "Bearer T0",
    "Bearer T0",
  ]);
  expect(header("kay-verifier")).toEqual([
    undefined,
    "verifier",
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(header("kay-local-secret")).toEqual(Array(7).fill("local"));
  expect(header("idempotency-key").slice(4)).toEqual(["I1", "0".repeat(32), undefined]);
  expect(header("user-agent")[0]).toBe("kay/0.0.0-test");
  expect(backend.seen.map(({ body }) => body)).toEqual([
    { session_id: "K1", code_challenge: "c" },
    "",
    "",
    { session_id: "K1" },
    { prompt: "hi" },
    { confirmation_token: "confirm_1", approved: true },
    "",
  ]);
});

test("a base path of the backend's address is kept", async () => {
  const backend = await fakeBackend();
  backend.on("GET /kay/connections", { json: { connections: {} } });
  const { api } = apiFor(`${backend.url}/kay`, TOKEN);
  expect(await api.connections()).toEqual({ connections: {} });
});

test("without a sign-in, connections and disconnect use the session ID, the guide's legacy way", async () => {
  const backend = await fakeBackend();
  backend.on("GET /connections?session_id=K1", { json: { connections: {} } });
  backend.on("POST /connections/disconnect?service=jira", { json: { service: "jira", connected: false } });
  const { api } = apiFor(backend.url);
  await api.connections({ session_id: "K1" });
  await api.disconnect("jira", { session_id: "K1" });
  expect(backend.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  for (const call of [api.connections(), api.disconnect("jira"), api.ask({ prompt: "x" })]) {
    expect(await catchProblem(call)).toMatchObject({ code: "NOT_SIGNED_IN", message: "You are not signed in." });
  }
});

test("an answer of the wrong shape is one sentence that names the field", async () => {
  const backend = await fakeBackend();
  backend.on(
    "GET /connections",
    { json: { connections: { jira: { connected: "yes" } } } },
    { text: "\ufeff[]" },
    { json: {} },
  );
  const { api } = apiFor(backend.url, TOKEN);
  expect(await catchProblem(api.connections())).toMatchObject({
    code: "BAD_ANSWER",
    message: "The answer of GET /connections is not valid: connections.jira.connected must be a boolean.",
  });
  expect((await catchProblem(api.connections())).code).toBe("BAD_ANSWER");
  expect((await catchProblem(api.connections())).message).toBe(
    "The answer of GET /connections is not valid: connections is missing.",
  );
});

test("a web page, an empty body and something else are named by status and host, never repeated", async () => {
  const backend = await fakeBackend();
  const page = "<!DOCTYPE html><html><h1>Sign in to Wi-Fi</h1></html>";
  backend.on(
    "GET /connections",
    { text: page },
    { text: "" },
    { status: 404, text: page },
    { text: "OK", headers: { "Content-Type": "text/plain" } },
  );
  const { api } = apiFor(backend.url, TOKEN);
  const messages: string[] = [];
  for (let i = 0; i < 4; i++) messages.push((await catchProblem(api.connections())).message);
  expect(messages).toEqual([
    `${backend.url} answered 200 with a web page instead of JSON.`,
    `${backend.url} answered 200 with an empty body instead of JSON.`,
    `${backend.url} answered 404 with a web page instead of JSON.`,
    `${backend.url} answered 200 with something else instead of JSON.`,
  ]);
});

test("errors take the code of the table, the guide's words, or the meaning of the status, and their text is cleaned", async () => {
  const backend = await fakeBackend();
  const cases: [number, unknown, string, string][] = [
    [
      403,
      { error: "AUTH_REQUIRED", code: "AUTH_REQUIRED", message: "Slack is needed.", integrations: ["slack"] },
      "AUTH_REQUIRED",
      "Slack is needed.",
    ],
    [
      400,
      { error: "Invalid session_id", message: "It no longer exists.", session_reset_required: true },
      "SESSION_INVALID",
      "It no longer exists.",
    ],
    [400, { error: "NEW_CODE", message: "\u001b]52;c;eA==\u0007a\u001b[31m\nb" }, "INVALID_REQUEST", "a b"],
    [409, { error: "STORE_BUSY", message: "m" }, "BAD_ANSWER", "m"],
    [413, { error: { code: "PAYLOAD_TOO_LARGE", message: "nested" } }, "PAYLOAD_TOO_LARGE", "nested"],
    [500, { error: "Boom" }, "INTERNAL", "Boom"],
    [500, {}, "INTERNAL", `${backend.url} answered 500.`],
    [400, { message: "x".repeat(600) }, "INVALID_REQUEST", `${"x".repeat(499)}…`],
  ];
  backend.on("GET /connections", ...cases.map(([status, json]) => ({ status, json })));
  const { api } = apiFor(backend.url, TOKEN);
  for (const [, , code, message] of cases)
    expect(await catchProblem(api.connections())).toMatchObject({ code, message });
});

test("fields that commands use are in the details", async () => {
  const backend = await fakeBackend();
  backend.on("POST /ask", {
    status: 403,
    json: { code: "AUTH_REQUIRED", message: "m", integrations: ["slack"], secret: "s" },
  });
  const { details } = await catchProblem(apiFor(backend.url, TOKEN).api.ask({ prompt: "x" }));
  expect(details).toEqual({ http_status: 403, integrations: ["slack"] });
});

test("the guide's errors of requests have separate codes", async () => {
  const backend = await fakeBackend();
  backend.on(
    "POST /ask",
    { status: 400, json: { status: "error", message: "Invalid or expired session_id" } },
    { status: 500, json: { status: "error", message: "OpenAI API key is not configured" } },
    { status: 400, json: { status: "error", message: "Missing required field: prompt" } },
    { status: 200, json: { status: "error", message: "It did not work." } },
  );
  const { api } = apiFor(backend.url, TOKEN);
  const codes = [];
  for (let i = 0; i < 3; i++) codes.push((await catchProblem(api.ask({ prompt: "x" }))).code);
  expect(codes).toEqual(["SESSION_NOT_FOUND", "MODEL_NOT_CONFIGURED", "INVALID_REQUEST"]);
  expect(await api.ask({ prompt: "x" })).toEqual({ status: "error", message: "It did not work." });
});

test("H20 a redirect of any call is refused, and the other origin gets nothing", async () => {
  const backend = await fakeBackend();
  const other = await fakeBackend();
  const headers = { Location: `${other.url}/x` };
  backend.on("POST /auth/refresh", { status: 307, headers });
  backend.on("POST /connections/connect?service=jira", { status: 301, headers });
  const below = { status: 308, headers: { Location: "/kay/connections" } };
  backend.on("GET /connections", { status: 302, headers: { Location: "/elsewhere" } }, below, { status: 304 });
  const { api } = apiFor(backend.url, TOKEN);
  const refused = `${backend.url} answered with an unexpected redirect to ${other.url} (307).`;
  expect(await api.refresh("R0", "I1")).toMatchObject({
    kind: "passing",
    problem: { code: "REDIRECT_REFUSED", message: refused },
  });
  expect(await catchProblem(api.connect("jira", {}))).toMatchObject({
    code: "REDIRECT_REFUSED",
    details: { redirect_origin: other.url },
  });
  expect((await catchProblem(api.connections())).message).toBe(
    `${backend.url} answered with an unexpected redirect to ${backend.url} (302).`,
  );
  expect((await catchProblem(api.connections())).message).toBe(
    `${backend.url} answered with an unexpected redirect to ${backend.url}/kay (308).`,
  );
  expect((await catchProblem(api.connections())).message).toBe(
    `${backend.url} answered with an unexpected redirect (304).`,
  );
  expect(other.seen).toEqual([]);
});

test("A26 logout resolves if the backend received it or does not know the token, and otherwise says why within five seconds", async () => {
  const backend = await fakeBackend();
  backend.on(
    "POST /auth/logout",
    { json: {} },
    { status: 401, json: { error: "TOKEN_EXPIRED" } },
    { status: 500, text: "<html>" },
    "hang",
  );
  const { api } = apiFor(backend.url, { ...TOKEN, clock: realClock });
  await api.logout();
  await api.logout("T1");
  expect((await catchProblem(api.logout())).code).toBe("BAD_GATEWAY");
  const startedAt = Date.now();
  expect((await catchProblem(api.logout())).code).toBe("TIMED_OUT");
  expect(Date.now() - startedAt).toBeLessThan(5_500);
  expect(backend.seen.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer T0",
    "Bearer T1",
    "Bearer T0",
    "Bearer T0",
  ]);
  const unreachable = apiFor("http://127.0.0.1:9", TOKEN).api;
  expect((await catchProblem(unreachable.logout())).code).toBe("UNREACHABLE");
});

test("a backend with only the guide's calls has no capabilities", async () => {
  const backend = await fakeBackend();
  backend.on(
    "GET /capabilities",
    { status: 404, text: "Cannot GET /capabilities" },
    { json: { name: "kay", version: "1" } },
  );
  const { api } = apiFor(backend.url);
  expect(await api.capabilities()).toBeNull();
  expect(await api.capabilities()).toEqual({ name: "kay", version: "1" });
});
