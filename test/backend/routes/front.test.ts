import { expect, test } from "vitest";
import type { BackendPorts } from "#backend/ports";
import { createWorld, useBackend } from "#test/backend";

const world = useBackend();
const variant = (overrides: Partial<BackendPorts>) => createWorld({ ...world().ports, ...overrides });

test("an unknown path is 404 and a wrong method 405, as JSON", async () => {
  const unknown = await world().call("GET /nothing/here");
  expect([unknown.status, unknown.body]).toEqual([
    404,
    { error: "NOT_FOUND", code: "NOT_FOUND", message: "Not found." },
  ]);
  const wrong = await world().call("GET /connections/connect");
  expect([wrong.status, wrong.headers.get("allow"), wrong.body]).toEqual([
    405,
    "POST",
    {
      error: "METHOD_NOT_ALLOWED",
      code: "METHOD_NOT_ALLOWED",
      message: "This path accepts POST, not GET.",
      allow: ["POST"],
    },
  ]);
  for (const request of [
    "DELETE /connections",
    "POST /health",
    "OPTIONS /auth/refresh",
    "PUT /auth/status/x",
    "GET /ask",
  ]) {
    expect([request, (await world().call(request)).status]).toEqual([request, 405]);
  }
});

test("every response has a request ID, is not cached and not sniffed, and nothing is shared across origins", async () => {
  for (const request of ["GET /health", "GET /connections", "GET /nothing", "POST /auth/refresh"]) {
    const { headers } = await world().call(request, {
      headers: request.startsWith("GET") ? { origin: "https://evil.test" } : {},
    });
    expect(Object.fromEntries(headers)).toMatchObject({
      "kay-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    expect(headers.has("access-control-allow-origin")).toBe(false);
  }
});

test("GET /health and GET /capabilities describe this backend", async () => {
  expect((await world().call("GET /health")).body).toEqual({
    name: "kay",
    version: "0.0.0",
    sandbox: false,
    status: "ok",
  });
  expect((await world().call("GET /capabilities")).body).toMatchObject({
    name: "kay",
    version: "0.0.0",
    sandbox: false,
    model: "offline",
  });
  const configured = variant({ model: () => ({ model: "openai:gpt-5", env: {} }) });
  expect((await configured.call("GET /capabilities")).body).toMatchObject({ model: "openai:gpt-5" });
});

test("only this backend's own names are accepted in Host", async () => {
  const hosted = variant({ publicUrl: "https://kay.example.test", hosts: ["Kay.Internal"] });
  for (const host of [
    "127.0.0.1:4000",
    "localhost:4000",
    "[::1]:9",
    "LOCALHOST",
    "kay.example.test",
    "kay.internal:8080",
  ]) {
    expect([host, (await hosted.call("GET /health", { headers: { host } })).status]).toEqual([host, 200]);
  }
  for (const host of [
    "evil.test",
    "evil.test:4000",
    "127.0.0.1.evil.test",
    "kay.example.test.evil.test",
    "",
    "a b",
    "user@localhost",
  ]) {
    const { status, body } = await hosted.call("GET /health", { headers: { host } });
    expect([host, status, body.code]).toEqual([host, 403, "HOST_REFUSED"]);
  }
});

test("a page of another origin may change nothing; kay's own and clients without Origin may", async () => {
  const connect = (headers: Record<string, string>) =>
    world().call("POST /connections/connect?service=jira", { headers });
  for (const origin of ["https://evil.test", "null", "http://127.0.0.1:3000", "http://localhost:3000"]) {
    expect([origin, await connect({ origin })]).toMatchObject([
      origin,
      { status: 403, body: { code: "ORIGIN_REFUSED" } },
    ]);
  }
  expect((await connect({ origin: "http://127.0.0.1:4000" })).status).toBe(200);
  expect((await connect({ origin: "http://localhost:4000", host: "localhost:4000" })).status).toBe(200);
  expect((await connect({})).status).toBe(200);
});

test("with a local secret, everything but the callback and the health check needs it", async () => {
  const local = variant({ localSecret: "the-secret" });
  const refused = { status: 403, body: { code: "LOCAL_SECRET_REQUIRED" } };
  for (const request of [
    "GET /connections",
    "GET /capabilities",
    "POST /auth/refresh",
    "GET /nothing",
    "POST /health",
    "POST /ask",
  ]) {
    expect([request, await local.call(request)]).toMatchObject([request, refused]);
    expect(await local.call(request, { headers: { "kay-local-secret": "the-secrex" } })).toMatchObject(refused);
    expect((await local.call(request, { headers: { "kay-local-secret": "the-secret" } })).status).not.toBe(403);
  }
  expect((await local.call("GET /health")).status).toBe(200);
  expect((await local.call("GET /auth/callback?code=x&state=y")).status).toBe(400);
});

test("a body over the limit is 413, whether or not its length is declared", async () => {
  const small = variant({ limits: { ...world().ports.limits, bodyBytes: 100 } });
  const declared = await small.call("POST /auth/refresh", { body: { refresh_token: "x".repeat(100) } });
  expect(declared).toMatchObject({ status: 413, body: { code: "PAYLOAD_TOO_LARGE" } });
  let pulled = 0;
  const endless = new ReadableStream({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(40));
    },
  });
  const init = { method: "POST", body: endless, duplex: "half" } as RequestInit;
  const streamed = await small.backend.fetch(new Request("http://127.0.0.1:4000/ask", init));
  expect([streamed.status, pulled < 10]).toEqual([413, true]);
  expect((await small.call("POST /auth/refresh", { body: { refresh_token: "x" } })).status).toBe(401);
});

test("too many requests of one address are 429 with Retry-After, others continue", async () => {
  const limited = variant({ limits: { bodyBytes: 1000, requestsPerMinute: 5, sensitivePerMinute: 2 } });
  const statuses = async (request: string, address: string, times: number) => {
    const answers = [];
    for (let count = 0; count < times; count++) answers.push((await limited.call(request, { address })).status);
    return answers;
  };
  expect(await statuses("GET /health", "10.0.0.1", 6)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(await statuses("GET /health", "10.0.0.2", 1)).toEqual([200]);
  expect(await statuses("GET /auth/status/x", "10.0.0.3", 3)).toEqual([400, 400, 429]);
  expect(await statuses("GET /%61uth/status/x", "10.0.0.4", 3)).toEqual([400, 400, 429]);
  expect(await statuses("GET /auth/%73tatus/x", "10.0.0.5", 3)).toEqual([400, 400, 429]);
  expect(await statuses("HEAD /auth/status/x", "10.0.0.6", 3)).toEqual([400, 400, 429]);
  const { headers, body } = await limited.call("GET /health", { address: "10.0.0.1" });
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  expect(body).toMatchObject({
    code: "RATE_LIMITED",
    message: expect.stringMatching(/^Too many requests; try again in \d+ s\.$/),
  });
});

test("addresses of one IPv6 network count as one", async () => {
  const limited = variant({ limits: { bodyBytes: 1000, requestsPerMinute: 2, sensitivePerMinute: 2 } });
  const send = async (address: string) => (await limited.call("GET /health", { address })).status;
  expect(await send("2001:db8:0:1::1")).toBe(200);
  expect(await send("2001:DB8:0:1:ffff:ffff:ffff:ffff")).toBe(200);
  expect(await send("2001:db8::1:0:0:0:9")).toBe(429);
  expect(await send("2001:db8:0:2::1")).toBe(200);
  expect(await send("fe80::1%eth0")).toBe(200);
  for (const [address, status] of Object.entries({ "::ffff:10.0.0.1": 200, "::ffff:10.0.0.2": 200, "::1": 200 }))
    expect(await send(address)).toBe(status);
});

test("a body that is nested too deeply is 400, however it is nested", async () => {
  const nest = (levels: number, wrap: (inner: unknown) => unknown) =>
    Array.from({ length: levels }).reduce<unknown>((inner) => wrap(inner), 1);
  for (const body of [nest(2_000, (inner) => [inner]), { context: nest(2_000, (a) => ({ a })) }]) {
    const { status, body: answer } = await variant({}).call("POST /auth/refresh", { body });
    expect([status, answer.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(answer.message).toContain("nested more than 100 levels deep");
  }
});

test("an internal error is 500 with only the request ID; the log has the rest", async () => {
  const broken = variant({
    model: () => {
      throw new TypeError("secret inside: token=abcdef");
    },
  });
  const { status, body, text, headers } = await broken.call("GET /capabilities");
  const id = headers.get("kay-request-id");
  expect([status, body]).toEqual([
    500,
    {
      error: "INTERNAL",
      code: "INTERNAL",
      message: `Something went wrong inside kay (request ${id}).`,
      request_id: id,
    },
  ]);
  expect(text).not.toContain("inside:");
  const line = world().log.find((line) => line.includes("request.fault")) ?? "";
  expect(line).toContain(String(id));
  expect(line).not.toContain("abcdef");
});

test("the log names a request without its state", async () => {
  await world().call(`GET /auth/status/${"a".repeat(64)}?x=secret`);
  const lines = world().log.join("");
  expect(lines).toContain('"path":"/auth/status/:state"');
  expect(lines).not.toMatch(/aaaa|secret/);
});

test("busy counts running requests, and close waits for them", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const body = new ReadableStream({
    async start(controller) {
      await gate;
      controller.close();
    },
  });
  const init = { method: "POST", body, duplex: "half" } as RequestInit;
  const answered = world().backend.fetch(new Request("http://127.0.0.1:4000/auth/refresh", init));
  expect(world().backend.busy()).toBe(1);
  let closed = false;
  const closing = world()
    .backend.close()
    .then(() => {
      closed = true;
    });
  await new Promise(setImmediate);
  expect(closed).toBe(false);
  release();
  expect((await answered).status).toBe(400);
  await closing;
  expect(world().backend.busy()).toBe(0);
});
