import { expect, test } from "vitest";
import type { RefreshCall } from "#client/api/refresh-call";
import { createRefresher } from "#client/credentials/refresh";
import { apiFor, catchProblem } from "#test/client-api";
import { realClock } from "#test/client-clock";
import { ORIGIN, openProfile } from "#test/credentials";
import { fakeBackend, type Reply, type Seen } from "#test/fake-backend";

const EXPIRED: Reply = { status: 401, json: { error: "TOKEN_EXPIRED", code: "TOKEN_EXPIRED", message: "x" } };

/** Accepts one token and answers 401 to every other. */
function only(token: string, reply: Reply): Reply {
  return (request: Seen) => (request.headers.authorization === `Bearer ${token}` ? reply : EXPIRED);
}

/** The real refresher over credentials in a test folder, signed in with T0 and R0. */
async function openSignedIn() {
  const { credentials, warnings } = openProfile();
  await credentials.update(ORIGIN, () => ({ session_id: "K1", token: "T0", refresh_token: "R0" }));
  const warn = (message: string) => void warnings.push(message);
  const refresher = (call: RefreshCall) =>
    createRefresher({ origin: ORIGIN, credentials, clock: realClock, call, warn });
  return { credentials, refresher };
}

test("A02 concurrent requests with an expired token share one refresh and are sent once more each, including the POST", async () => {
  const backend = await fakeBackend();
  backend.always("GET /connections", only("T1", { json: { connections: {} } }));
  backend.always("POST /ask", only("T1", { json: { status: "completed", message: "ok" } }));
  backend.on("POST /auth/refresh", async () => {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { json: { token: "T1", refresh_token: "R1" } };
  });
  const { refresher } = await openSignedIn();
  const { api } = apiFor(backend.url, { refresher });
  expect(await Promise.all([api.connections(), api.ask({ prompt: "x" })])).toEqual([
    { connections: {} },
    { status: "completed", message: "ok" },
  ]);
  expect(backend.calls().sort()).toEqual([
    "GET /connections",
    "GET /connections",
    "POST /ask",
    "POST /ask",
    "POST /auth/refresh",
  ]);
});

test("A02 after a temporary refresh failure, a later call tries again", async () => {
  const backend = await fakeBackend();
  backend.always("GET /connections", only("T1", { json: { connections: {} } }));
  backend.on("POST /auth/refresh", { status: 503, text: "<html>" }, { json: { token: "T1" } });
  const { refresher } = await openSignedIn();
  const { api } = apiFor(backend.url, { refresher });
  expect((await catchProblem(api.connections())).code).toBe("BAD_GATEWAY");
  expect(await api.connections()).toEqual({ connections: {} });
});

test("a 401 that no refresh fixes means not signed in, with the backend's reason", async () => {
  const backend = await fakeBackend();
  backend.on("GET /connections", EXPIRED);
  const refresher = () => ({ accessToken: async () => "T0", afterRejection: async () => null });
  expect(await catchProblem(apiFor(backend.url, { refresher }).api.connections())).toMatchObject({
    code: "NOT_SIGNED_IN",
    message: "You are no longer signed in: the backend rejected the access token.",
    details: { http_status: 401, reason: "TOKEN_EXPIRED" },
  });
});

test("a second 401 right after a refresh is final: there is no loop", async () => {
  const backend = await fakeBackend();
  backend.on("GET /connections", EXPIRED, EXPIRED);
  backend.on("POST /auth/refresh", { json: { token: "T1" } });
  const { refresher } = await openSignedIn();
  const { api } = apiFor(backend.url, { refresher });
  expect((await catchProblem(api.connections())).code).toBe("NOT_SIGNED_IN");
});

test("a 401 from connect, status and refresh is final", async () => {
  const backend = await fakeBackend();
  backend.on("POST /connections/connect?service=jira", EXPIRED);
  backend.on(
    "GET /auth/status/S1",
    { status: 401, json: { error: "VERIFIER_INVALID", message: "m" } },
    { status: 401, json: {} },
  );
  backend.on("POST /auth/refresh", EXPIRED);
  const { refresher } = await openSignedIn();
  const { api } = apiFor(backend.url, { refresher });
  expect((await catchProblem(api.connect("jira", {}))).code).toBe("TOKEN_EXPIRED");
  expect((await catchProblem(api.status("S1"))).code).toBe("VERIFIER_INVALID");
  expect((await catchProblem(api.status("S1"))).code).toBe("VERIFIER_INVALID");
  expect(await api.refresh("R0", "I1")).toEqual({ kind: "invalid", code: "TOKEN_EXPIRED", message: "x" });
});

test("KAY_TOKEN is sent as it is and never refreshed", async () => {
  const backend = await fakeBackend();
  backend.on("GET /connections", EXPIRED);
  const { api } = apiFor(backend.url, { token: "opaque" });
  expect(await catchProblem(api.connections())).toMatchObject({
    code: "TOKEN_INVALID",
    message: "The backend rejected the token in KAY_TOKEN.",
  });
  const odd = apiFor(backend.url, { token: "a\nb" }).api;
  expect((await catchProblem(odd.connections())).message).toBe("The access token contains invalid characters.");
});

test("A04 only the backend's own 400, 401 and 403 end a sign-in; everything else is temporary", async () => {
  const cases: [Reply, string][] = [
    ["drop", "passing"],
    [{ status: 503, text: "<html>Service Unavailable</html>" }, "passing"],
    [{ status: 429, headers: { "Retry-After": "2" }, json: {} }, "passing"],
    [{ status: 408, json: {} }, "passing"],
    [{ status: 500, json: {} }, "passing"],
    [{ status: 404, text: "<html>" }, "passing"],
    [{ status: 403, text: "<html>blocked by the firewall</html>" }, "passing"],
    [{ status: 403, json: { error: "LOCAL_SECRET_REQUIRED", message: "m" } }, "passing"],
    [{ status: 200, text: "<html>" }, "passing"],
    [{ status: 200, json: { token: "undefined" } }, "passing"],
    [{ status: 200, json: { message: "no token" } }, "passing"],
    [{ status: 400, json: { error: "invalid refresh token" } }, "invalid"],
    [{ status: 401, json: { error: "REFRESH_INVALID" } }, "invalid"],
    [{ status: 401, json: { error: "REFRESH_REUSED", code: "REFRESH_REUSED", message: "m" } }, "invalid"],
    [{ status: 401, text: "" }, "invalid"],
    [{ status: 403, json: {} }, "invalid"],
  ];
  for (const [reply, kind] of cases) {
    const backend = await fakeBackend();
    backend.on("POST /auth/refresh", reply);
    const answer = await apiFor(backend.url).api.refresh("R0", "I1");
    expect([reply, answer.kind]).toEqual([reply, kind]);
    expect(backend.seen).toMatchObject([{ body: { refresh_token: "R0" }, headers: { "idempotency-key": "I1" } }]);
  }
});

test("A07 a refresh provides the server's clock", async () => {
  const backend = await fakeBackend();
  const headers = { Date: "Fri, 27 Nov 2026 10:00:00 GMT" };
  backend.on(
    "POST /auth/refresh",
    { headers, json: { token: "T1", refresh_token: "R1" } },
    { headers, json: { token: "T1", refresh_token: null } },
  );
  const { api } = apiFor(backend.url);
  const serverNow = Date.UTC(2026, 10, 27, 10);
  expect(await api.refresh("R0", "I1")).toEqual({ kind: "ok", token: "T1", refresh_token: "R1", serverNow });
  expect(await api.refresh("R0", "I1")).toEqual({ kind: "ok", token: "T1", serverNow });
  expect(api.clockOffsetMs()).toBe(-2 * 3_600_000);
});
