import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { expect, onTestFinished, test } from "vitest";
import type { Outgoing, Timer } from "#net/ports";
import { createSend } from "#net/send";
import { selfSigned } from "#test/certificate";
import { realClock } from "#test/client-clock";
import { fakeBackend } from "#test/fake-backend";

type Env = Record<string, string | undefined>;

function send(request: Partial<Outgoing> & { url: string }, env: Env = {}, clock: Timer = realClock) {
  const ports = { builtin: process.getBuiltinModule, env, clock };
  return createSend(ports)({ method: "GET", timeoutMs: 5_000, ...request });
}

/** The problem of an exchange, as a plain object. */
async function failure(request: Partial<Outgoing> & { url: string }, env?: Env, clock?: Timer) {
  const problem = await send(request, env, clock).then(
    () => expect.fail("the exchange should fail"),
    (error) => error,
  );
  return { code: problem.code, message: problem.message, hint: problem.hint, sent: problem.details.sent };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test("a request to this machine arrives unchanged, and the answer is read whole", async () => {
  const backend = await fakeBackend();
  backend.on("POST /x?y=1", { status: 201, headers: { "X-Kay": "a" }, json: { text: "会議 👩‍💻 é" } });
  const answer = await send({
    method: "POST",
    url: `${backend.url}/x?y=1`,
    headers: { "Content-Type": "application/json", "Kay-Local-Secret": "s" },
    body: '{"ü":1}',
  });
  expect({ status: answer.status, kay: answer.headers["x-kay"], body: answer.body }).toEqual({
    status: 201,
    kay: "a",
    body: '{"text":"会議 👩‍💻 é"}',
  });
  expect(backend.seen).toMatchObject([
    { method: "POST", path: "/x?y=1", body: { ü: 1 }, headers: { "kay-local-secret": "s" } },
  ]);
});

test("H16 localhost finds a backend that listens on 127.0.0.1 only, or on ::1 only", async () => {
  for (const host of ["127.0.0.1", "::1"]) {
    const backend = await fakeBackend({ host });
    backend.on("GET /", { json: {} });
    expect((await send({ url: `http://localhost:${backend.port}/` })).status).toBe(200);
  }
});

test("H16 without a listener the message names the address and the code, and the hint what was tried and how to start a backend", async () => {
  const port = await findFreePort();
  expect(await failure({ url: `http://localhost:${port}/` })).toEqual({
    code: "UNREACHABLE",
    message: `Cannot reach http://localhost:${port} (ECONNREFUSED).`,
    hint: `Nothing answers on 127.0.0.1:${port} and [::1]:${port}. Start the backend with \`kay serve\`, or check the address: \`kay config get api-url\`.`,
    sent: false,
  });
  expect(await failure({ url: `https://127.0.0.1:${port}/` })).toMatchObject({
    code: "UNREACHABLE",
    message: `Cannot reach https://127.0.0.1:${port} (ECONNREFUSED).`,
    sent: false,
  });
});

test("H17 an untrusted certificate names the code, the host and NODE_EXTRA_CA_CERTS, and nothing is sent", async () => {
  const backend = await fakeBackend({ tls: selfSigned() });
  const problem = await failure({ url: `${backend.url}/connections` });
  expect(problem).toEqual({
    code: "TLS_FAILED",
    message: `The TLS connection to 127.0.0.1:${backend.port} is not trusted: its certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT).`,
    hint: `Set NODE_EXTRA_CA_CERTS (or KAY_CA_FILE) to the certificate of the authority that issued the one of 127.0.0.1:${backend.port}, if you trust it.`,
    sent: false,
  });
});

test("H17 KAY_CA_FILE adds an authority to the usual ones", async () => {
  const certificate = selfSigned();
  const backend = await fakeBackend({ tls: certificate });
  backend.on("GET /", { json: { ok: true } });
  expect((await send({ url: `https://localhost:${backend.port}/` }, { KAY_CA_FILE: certificate.file })).body).toBe(
    '{"ok":true}',
  );
  expect(await failure({ url: `${backend.url}/` }, { KAY_CA_FILE: "/nonexistent.pem" })).toMatchObject({
    code: "USAGE",
    message: "Could not read the file in KAY_CA_FILE: /nonexistent.pem (ENOENT).",
  });
});

test("with KAY_CA_FILE, a certificate of a usual authority is still trusted, and a request is sent once", async () => {
  const certificate = selfSigned();
  const backend = await fakeBackend({ tls: certificate });
  backend.on("POST /", { json: { ok: true } });
  const usual = getCACertificates("default");
  setDefaultCACertificates([certificate.cert]);
  try {
    const url = `https://localhost:${backend.port}/`;
    const env = { KAY_CA_FILE: selfSigned().file };
    expect((await send({ method: "POST", url, body: "{}" }, env)).body).toBe('{"ok":true}');
    expect(backend.calls()).toEqual(["POST /"]);
  } finally {
    setDefaultCACertificates(usual);
  }
});

test("H17 a server that does not speak TLS is named as such", async () => {
  const backend = await fakeBackend();
  expect(await failure({ url: `https://127.0.0.1:${backend.port}/` })).toMatchObject({
    code: "TLS_FAILED",
    sent: false,
  });
});

test("H20 a redirect is returned, never followed", async () => {
  for (const tls of [undefined, selfSigned()]) {
    const backend = await fakeBackend({ tls });
    backend.on("POST /x", { status: 307, headers: { Location: `${backend.url}/elsewhere` } });
    const env = tls ? { KAY_CA_FILE: tls.file } : {};
    const answer = await send({ method: "POST", url: `${backend.url}/x`, body: "secret" }, env);
    expect([answer.status, answer.headers.location, backend.calls()]).toEqual([
      307,
      `${backend.url}/elsewhere`,
      ["POST /x"],
    ]);
  }
});

test("H19 when the answer is lost after sending, sent is true, both ways", async () => {
  for (const tls of [undefined, selfSigned()]) {
    const backend = await fakeBackend({ tls });
    const env = tls ? { KAY_CA_FILE: tls.file } : {};
    backend.on("POST /ask", "drop", { text: "half an ans", cut: true });
    const lost = {
      code: "UNREACHABLE",
      message: `The connection to ${backend.url} broke before the response was complete (ECONNRESET).`,
      sent: true,
    };
    expect(await failure({ method: "POST", url: `${backend.url}/ask`, body: "{}" }, env)).toMatchObject(lost);
    expect(await failure({ method: "POST", url: `${backend.url}/ask`, body: "{}" }, env)).toMatchObject(lost);
    expect(backend.calls()).toEqual(["POST /ask", "POST /ask"]);
  }
});

test("the time limit covers the whole exchange, and the caller's signal ends it", async () => {
  for (const tls of [undefined, selfSigned()]) {
    const backend = await fakeBackend({ tls });
    const env = tls ? { KAY_CA_FILE: tls.file } : {};
    let abortOnArrival = () => {};
    backend.always("GET /", () => {
      abortOnArrival();
      return "hang";
    });
    // A clock on which every limit passes once the request has arrived.
    const sleep = () =>
      new Promise<void>((resolve) => {
        abortOnArrival = resolve;
      });
    expect(await failure({ url: `${backend.url}/` }, env, { now: Date.now, sleep })).toMatchObject({
      code: "TIMED_OUT",
      message: `${backend.url} did not answer within 5 s.`,
      sent: true,
    });
    const controller = new AbortController();
    abortOnArrival = () => controller.abort();
    expect(await failure({ url: `${backend.url}/`, signal: controller.signal }, env)).toMatchObject({
      code: "CANCELLED",
      sent: true,
    });
    expect(await failure({ url: `${backend.url}/`, signal: AbortSignal.abort() }, env)).toMatchObject({
      code: "CANCELLED",
      sent: false,
    });
  }
});

test("an answer larger than 32 MiB ends the exchange", async () => {
  for (const tls of [undefined, selfSigned()]) {
    const backend = await fakeBackend({ tls });
    backend.on("GET /", { text: "x".repeat(33 * 1024 * 1024) });
    expect(await failure({ url: `${backend.url}/` }, tls ? { KAY_CA_FILE: tls.file } : {})).toMatchObject({
      code: "BAD_ANSWER",
      message: `The answer from ${backend.url} is larger than 32 MiB.`,
      sent: true,
    });
  }
});

test("a server that does not speak HTTP is named as such", async () => {
  const server = createServer((socket) => socket.end("220 mail.example.test ESMTP\r\n"));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await failure({ url: `http://127.0.0.1:${port}/` })).toMatchObject({
    code: "BAD_ANSWER",
    message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ does not speak HTTP \(HPE_\w+\)\.$/),
  });
});

test("an internal error is not presented as a network fault", async () => {
  const backend = await fakeBackend();
  const headers = { Authorization: "a\nb" };
  await expect(send({ url: `${backend.url}/`, headers })).rejects.toMatchObject({ code: "ERR_INVALID_CHAR" });
  await expect(send({ url: "not a url" })).rejects.toThrow(TypeError);
});
