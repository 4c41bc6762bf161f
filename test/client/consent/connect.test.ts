import { expect, test } from "vitest";
import { AUTHORIZATION_LIFETIME_MS, type CompletionOptions, completeConnection } from "#client/consent/complete";
import type { Credentials, SignIn } from "#client/credentials/credentials";
import { apiFor, catchProblem } from "#test/client-api";
import { type FakeBackend, fakeBackend, type Reply } from "#test/fake-backend";

const PENDING: Reply = { json: { status: "pending", message: "Authorization not yet completed" } };
const COMPLETED: Reply = {
  json: { status: "completed", account_id: "557058:t", token: "T1", refresh_token: "R1", message: "ok" },
};
const CONNECTED: Reply = { json: { connections: { jira: { connected: true, user: { name: "Ann" } } } } };
const BEGUN = {
  service: "jira",
  session_id: "K1",
  authorization_url: "https://a.test/",
  state: "S1",
  expires_at: "2026-11-27T12:10:00Z",
};

/** Creates credentials of one origin in memory. */
function createStore(signIn: SignIn): Credentials & { signIn(): SignIn } {
  let current = signIn;
  let generation = 1;
  return {
    signIn: () => current,
    read: async () => ({ generation, signIn: current }),
    write: async (_origin, expected, next) => {
      if (expected !== generation) return null;
      current = next;
      return ++generation;
    },
    update: async (_origin, change) => {
      current = change(current);
      generation++;
    },
    exclusively: (work) => work(),
    checkWritable: async () => {},
    origins: async () => ({}),
    remove: async () => null,
    withRoom: (work) => work(),
    describe: async () => ({ mode: "file", path: "" }),
  };
}

function complete(
  backend: FakeBackend,
  credentials: Credentials,
  options: Partial<CompletionOptions> = {},
  token?: string,
) {
  const { api, clock } = apiFor(backend.url, token ? { token } : {});
  const deadline = clock.now() + AUTHORIZATION_LIFETIME_MS;
  return completeConnection({ api, clock, credentials, deadline, origin: backend.url, response: BEGUN, ...options });
}

test("A28 an interrupted wait requests nothing more and leaves stored data unchanged", async () => {
  const backend = await fakeBackend();
  const credentials = createStore({ session_id: "K1", token: "T0", refresh_token: "R0" });
  const controller = new AbortController();
  backend.on("GET /auth/status/S1", PENDING, () => {
    controller.abort();
    return PENDING;
  });
  expect((await catchProblem(complete(backend, credentials, { signal: controller.signal }))).code).toBe("CANCELLED");
  expect(backend.calls()).toEqual(["GET /auth/status/S1", "GET /auth/status/S1"]);
  expect(credentials.signIn()).toEqual({ session_id: "K1", token: "T0", refresh_token: "R0" });
});

test("a first connection stores the installation, the tokens and the clock, and names the account the backend confirms", async () => {
  const backend = await fakeBackend();
  const credentials = createStore({});
  backend.on("GET /auth/status/S1", PENDING, COMPLETED);
  backend.on("GET /connections", CONNECTED);
  expect(await complete(backend, credentials, {}, "T1")).toEqual({ connected: true, user: { name: "Ann" } });
  const { clock_offset_ms, ...signIn } = credentials.signIn();
  expect(signIn).toEqual({ session_id: "K1", account_id: "557058:t", token: "T1", refresh_token: "R1" });
  expect(clock_offset_ms).toEqual(expect.any(Number));
});

test("A28 a reset installation replaces the dead one and its tokens, but only when the consent is complete", async () => {
  const backend = await fakeBackend();
  const old = { session_id: "K0", token: "T0", refresh_token: "R0", account_id: "old" };
  const credentials = createStore(old);
  const connection = { connected: true };
  backend.on(
    "GET /auth/status/S1",
    { json: { status: "denied" } },
    { json: { status: "completed", token: "T1", refresh_token: "null" } },
  );
  backend.on("GET /connections", CONNECTED);
  const begun = { ...BEGUN, session_reset: true };
  expect((await catchProblem(complete(backend, credentials, { response: begun, before: connection }))).code).toBe(
    "AUTHORIZATION_DENIED",
  );
  expect(credentials.signIn()).toEqual(old);
  await complete(backend, credentials, { response: begun, before: connection }, "T1");
  expect(credentials.signIn()).toMatchObject({ session_id: "K1", token: "T1" });
  expect(Object.keys(credentials.signIn()).sort()).toEqual(["clock_offset_ms", "session_id", "token"]);
});

test("a later connection keeps the tokens and is confirmed by the backend before it counts", async () => {
  const backend = await fakeBackend();
  const credentials = createStore({ session_id: "K1", token: "T0", refresh_token: "R0", account_id: "a" });
  backend.on("GET /auth/status/S1", PENDING, { json: { status: "completed", message: "ok" } });
  backend.on("GET /connections", "drop", { json: { connections: { jira: { connected: false } } } }, CONNECTED);
  const connection = await complete(backend, credentials, { before: { connected: false } }, "T0");
  expect(connection.user).toEqual({ name: "Ann" });
  expect(credentials.signIn()).toMatchObject({ session_id: "K1", token: "T0", refresh_token: "R0", account_id: "a" });
});

test("a backend that never shows the connection is not believed", async () => {
  const backend = await fakeBackend();
  backend.on("GET /auth/status/S1", COMPLETED);
  backend.always("GET /connections", { json: { connections: {} } });
  expect(await catchProblem(complete(backend, createStore({}), {}, "T1"))).toMatchObject({
    code: "AUTHORIZATION_FAILED",
    message: "Consent was given, but the backend does not show jira as connected.",
  });
});

test("on a guide-only backend whose status call ignores later connections, GET /connections decides", async () => {
  const { expires_at: _, ...begun } = BEGUN;
  for (const status of [
    { status: 404, json: { error: "Not found" } },
    { status: 400, json: { error: "Invalid state" } },
    PENDING,
  ]) {
    const backend = await fakeBackend();
    const credentials = createStore({ session_id: "K1", token: "T0", refresh_token: "R0" });
    backend.always("GET /auth/status/S1", status);
    backend.on(
      "GET /connections",
      { json: { connections: {} } },
      "drop",
      { json: { connections: {} } },
      CONNECTED,
      CONNECTED,
    );
    expect(await complete(backend, credentials, { response: begun, before: { connected: false } }, "T0")).toMatchObject(
      {
        connected: true,
      },
    );
    expect(credentials.signIn()).toMatchObject({ session_id: "K1", token: "T0", refresh_token: "R0" });
  }
});

test("if the answer that completed a later connection was lost, the used state is not a failure", async () => {
  const backend = await fakeBackend();
  backend.on("GET /auth/status/S1", "drop", { status: 410, json: { error: "STATE_USED", message: "Used." } });
  backend.on("GET /connections", CONNECTED, CONNECTED);
  expect(
    await complete(backend, createStore({ session_id: "K1", token: "T0" }), { before: { connected: false } }, "T0"),
  ).toMatchObject({
    connected: true,
  });
});
