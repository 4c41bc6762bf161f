import { expect, test } from "vitest";
import { isConnected, isRefusal, useTarget } from "./target.ts";

// The integration guide, "Service Connection Flow", "Auto-Recovery" and "Token Lifecycle". Fields that it does not name are allowed.

const target = useTarget();
const UNKNOWN_SESSION = "kaysession_1234567890_abc123";
const INVALID_SESSION = {
  error: "Invalid session_id",
  message: "The provided session_id no longer exists. Please reconnect your services.",
  session_reset_required: true,
};

test("a first connect answers with a new session and where to authorize", async () => {
  const { status, body } = await target().guide.connect("jira");
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      service: "jira",
      session_id: expect.stringMatching(/^kaysession_./),
      authorization_url: expect.stringMatching(/^https?:\/\/./),
      state: expect.stringMatching(/^.{16,}$/),
      message: "Please visit the authorization URL to connect jira",
    },
  });
  expect(body.session_reset ?? false).toBe(false);
});

test("every connect has a separate state", async () => {
  const [one, other] = await Promise.all([target().guide.connect("jira"), target().guide.connect("jira")]);
  expect(one.body.state).not.toBe(other.body.state);
  expect(one.body.session_id).not.toBe(other.body.session_id);
});

test("a connect with an existing session keeps it", async () => {
  const { guide } = target();
  const first = await guide.connect("jira");
  const again = await guide.connect("confluence", { session_id: String(first.body.session_id) });
  expect(again).toMatchObject({
    status: 200,
    body: {
      service: "confluence",
      session_id: first.body.session_id,
      message: "Please visit the authorization URL to connect confluence",
    },
  });
  expect(again.body.session_reset ?? false).toBe(false);
});

test("a connect with an unknown session creates a new one and says so", async () => {
  const { status, body } = await target().guide.connect("jira", { session_id: UNKNOWN_SESSION });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      service: "jira",
      session_id: expect.stringMatching(/^kaysession_./),
      authorization_url: expect.stringMatching(/^https?:\/\/./),
      message: "New session created. Please visit the authorization URL to connect jira",
      session_reset: true,
    },
  });
  expect(body.session_id).not.toBe(UNKNOWN_SESSION);
});

test("a connect without a service, or with an unknown one, is a bad request", async () => {
  const { guide } = target();
  expect((await guide.post("/connections/connect", {})).status).toBe(400);
  expect((await guide.connect("no-such-service")).status).toBe(400);
});

test("the status is pending until the user has consented", async () => {
  const { guide } = target();
  const { body } = await guide.connect("jira");
  expect(await guide.status(String(body.state))).toMatchObject({
    status: 200,
    body: { status: "pending", message: "Authorization not yet completed" },
  });
});

test("the status of an unknown state is a bad request", async () => {
  expect((await target().guide.status("abc123def456")).status).toBe(400);
});

test("a first connection returns an access token for 30 minutes, a refresh token and the account", async () => {
  const { token, refresh_token, account_id } = await target().shared();
  const { exp = 0 } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as { exp?: number };
  expect(exp - Date.now() / 1000).toBeLessThanOrEqual(30 * 60 + 5);
  expect(refresh_token).toMatch(/^[0-9a-f]{32,}$/);
  expect(account_id).toMatch(/./);
});

test("a later connection needs no polling and leaves the tokens unchanged", async () => {
  const { guide, signIn, connectLater } = target();
  const { session_id, token } = await signIn();
  await connectLater(session_id, "confluence");
  const { status, body } = await guide.connections({ token });
  expect(status).toBe(200);
  expect([isConnected(body, "jira"), isConnected(body, "confluence")]).toEqual([true, true]);
});

test("connections shows every service by the access token, with the account of each connected one", async () => {
  const { guide, shared } = target();
  const { token } = await shared();
  const { status, body } = await guide.connections({ token });
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      connections: {
        jira: {
          connected: true,
          user: { account_id: expect.any(String), name: expect.any(String) },
          metadata: { url: expect.stringMatching(/^https?:\/\/./) },
        },
        confluence: { connected: expect.any(Boolean) },
        bitbucket: { connected: expect.any(Boolean) },
        kyg: { connected: expect.any(Boolean) },
      },
    },
  });
});

test("connections shows the same by the session ID alone", async () => {
  const { guide, shared } = target();
  const { token, session_id } = await shared();
  expect(await guide.connections({ session_id })).toEqual(await guide.connections({ token }));
});

test("connections of an unknown session says in the guide's words that it must be reset", async () => {
  const { status, body } = await target().guide.connections({ session_id: UNKNOWN_SESSION });
  expect(body).toMatchObject(INVALID_SESSION);
  expect(isRefusal(status)).toBe(true);
});

test("connections without any authentication says TOKEN_MISSING in the guide's words", async () => {
  expect(await target().guide.connections({})).toEqual({
    status: 401,
    body: { error: "TOKEN_MISSING", code: "TOKEN_MISSING", message: "No Authorization header or invalid format" },
  });
});

test("connections with an invalid token is unauthorized", async () => {
  expect((await target().guide.connections({ token: "not.a.token" })).status).toBe(401);
});

test("disconnect removes one service and keeps the sign-in", async () => {
  const { guide, signIn } = target();
  const { session_id, token } = await signIn();
  expect(await guide.disconnect("jira", session_id)).toMatchObject({
    status: 200,
    body: { service: "jira", connected: false, message: "Successfully disconnected from jira" },
  });
  const { status, body } = await guide.connections({ token });
  expect(status).toBe(200);
  expect(isConnected(body, "jira")).toBe(false);
});

test("disconnect with an unknown session says in the guide's words that it must be reset", async () => {
  const { status, body } = await target().guide.disconnect("jira", UNKNOWN_SESSION);
  expect(body).toMatchObject(INVALID_SESSION);
  expect(isRefusal(status)).toBe(true);
});

test("disconnect of an unknown service is a bad request", async () => {
  const { guide, shared } = target();
  expect((await guide.disconnect("no-such-service", (await shared()).session_id)).status).toBe(400);
});
