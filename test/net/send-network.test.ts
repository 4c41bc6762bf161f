import { X509Certificate } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type RequestOptions } from "node:https";
import { type AddressInfo, createServer, Socket } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readCertificates } from "#net/authorities";
import { findMissingNetwork, getTlsHint } from "#net/faults";
import type { Outgoing, Timer } from "#net/ports";
import { createSend } from "#net/send";
import type { LoadBuiltin } from "#net/transport";
import { selfSigned } from "#test/certificate";
import { realClock } from "#test/client-clock";
import { fakeBackend } from "#test/fake-backend";
import { needsIpv6 } from "#test/needs";

type Env = Record<string, string | undefined>;

async function failure(request: Partial<Outgoing> & { url: string }, env: Env = {}, clock: Timer = realClock) {
  const send = createSend({ builtin: process.getBuiltinModule, env, clock });
  const problem = await send({ method: "GET", timeoutMs: 60_000, ...request }).then(
    () => expect.fail("the exchange should fail"),
    (error) => error,
  );
  return { code: problem.code, message: problem.message, hint: problem.hint, details: problem.details };
}

/** A clock on which a wait ends at once if `over` says so. */
function hasty(end: () => Promise<void>): Timer {
  return { now: Date.now, sleep: (_ms, signal) => Promise.race([end(), rejectOnAbort(signal)]) };
}

function rejectOnAbort(signal?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

/** Accepts connections and stays silent, even for TLS. */
async function mute(): Promise<{ port: number; connected: Promise<void> }> {
  const connected = Promise.withResolvers<void>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    connected.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connected: connected.promise };
}

test("a connection that is not established ends after 10 s, and says that it was the connection", async () => {
  const { port, connected } = await mute();
  expect(
    await failure(
      { url: `https://127.0.0.1:${port}/` },
      {},
      hasty(() => connected),
    ),
  ).toEqual({
    code: "TIMED_OUT",
    message: `Could not connect to https://127.0.0.1:${port} within 10 s.`,
    hint: "Check the address, the network and the firewall, then try again.",
    details: { sent: false, phase: "connect" },
  });
});

test("a silent proxy is named in the timeout", async () => {
  const { port, connected } = await mute();
  const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` };
  expect(
    await failure(
      { url: "https://kay.example.test/", timeoutMs: 5_000 },
      env,
      hasty(() => connected),
    ),
  ).toMatchObject({
    code: "TIMED_OUT",
    message: `Could not connect to https://kay.example.test through the proxy http://127.0.0.1:${port} (HTTPS_PROXY) within 5 s.`,
  });
});

/** Begins every answer and never ends it; `begun` resolves when a client has had time to read the beginning. */
async function halfAnswering(tls?: { key: string; cert: string }): Promise<{ url: string; begun: Promise<void> }> {
  const begun = Promise.withResolvers<void>();
  const answer = (_: unknown, response: ServerResponse) => {
    response.writeHead(200, { "Content-Length": "100" });
    response.write("half");
    setTimeout(begun.resolve, 100);
  };
  const server = tls ? createTlsServer(tls, answer) : createHttpServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `${tls ? "https://localhost" : "http://127.0.0.1"}:${port}`, begun: begun.promise };
}

test("an incomplete answer at the time limit says so, both ways", async () => {
  for (const tls of [undefined, selfSigned()]) {
    const { url, begun } = await halfAnswering(tls);
    const env = tls ? { KAY_CA_FILE: tls.file } : {};
    expect(
      await failure(
        { url: `${url}/`, timeoutMs: 5_000 },
        env,
        hasty(() => begun),
      ),
    ).toMatchObject({
      code: "TIMED_OUT",
      message: `The response from ${url} did not complete within 5 s.`,
      details: { sent: true, phase: "body" },
    });
  }
});

/** `node:os` of a machine with these addresses; everything else is real. */
function machine(...addresses: { internal: boolean; family: "IPv4" | "IPv6" }[]): LoadBuiltin {
  const os = { networkInterfaces: () => ({ some: addresses }) };
  return ((name: string) => (name === "node:os" ? os : process.getBuiltinModule(name))) as LoadBuiltin;
}

/** Node's modules, where each connection attempt of a request without a longer limit is cut short. */
function slowNetwork(limits: unknown[]): LoadBuiltin {
  const http = process.getBuiltinModule("node:http");
  const request = (
    options: RequestOptions & { autoSelectFamilyAttemptTimeout?: number },
    listener: (response: IncomingMessage) => void,
  ) => {
    limits.push(options.autoSelectFamilyAttemptTimeout);
    if (options.autoSelectFamilyAttemptTimeout) return http.request(options, listener);
    const attempts = ["ETIMEDOUT", "ENETUNREACH"].map((code) => Object.assign(new Error(code), { code }));
    const createConnection = () => new Socket().destroy(new AggregateError(attempts));
    return http.request({ ...options, agent: undefined, createConnection }, listener);
  };
  return ((name: string) =>
    name === "node:http" ? { ...http, request } : process.getBuiltinModule(name)) as LoadBuiltin;
}

// https://github.com/nodejs/node/issues/54359
test("addresses that need longer than Node gives them are tried again with more time, then always", async () => {
  const backend = await fakeBackend();
  backend.on("GET /", { json: {} }, { json: {} });
  const limits: unknown[] = [];
  const send = createSend({ builtin: slowNetwork(limits), env: {}, clock: realClock });
  for (let count = 0; count < 2; count++)
    expect((await send({ method: "GET", url: `${backend.url}/`, timeoutMs: 60_000 })).status).toBe(200);
  expect(limits).toEqual([undefined, 3_000, 3_000]);
});

test("a machine without any network is reported as offline, one without IPv6 as lacking that", () => {
  const [loopback, wifi] = [
    { internal: true, family: "IPv4" as const },
    { internal: false, family: "IPv4" as const },
  ];
  const six = { internal: false, family: "IPv6" as const };
  const cases: [LoadBuiltin, string, string, ReturnType<typeof findMissingNetwork>][] = [
    [machine(loopback), "kay.example.test", "ENOTFOUND", "network"],
    [machine(loopback), "kay.example.test", "EAI_AGAIN", "network"],
    [machine(loopback), "10.0.0.1", "ENETUNREACH", "network"],
    [machine(loopback, wifi), "kay.example.test", "EAI_AGAIN", "network"],
    [machine(loopback, wifi), "kay.example.test", "ENOTFOUND", null],
    [machine(loopback, wifi), "[2001:db8::1]", "ENETUNREACH", "ipv6"],
    [machine(loopback, six), "[2001:db8::1]", "ENETUNREACH", "network"],
    [machine(loopback), "kay.example.test", "ECONNREFUSED", null],
    [machine(loopback), "kay.example.test", "ETIMEDOUT", null],
    [machine(), "kay.example.test", "ENETDOWN", "network"],
  ];
  for (const [builtin, host, code, lack] of cases)
    expect([host, code, findMissingNetwork(builtin, host, code)]).toEqual([host, code, lack]);
});

/** A name that never reaches a resolver, because its first label is too long. */
const NOWHERE = `${"a".repeat(64)}.invalid`;

test("offline is a separate message, with exit 6 and its fact in the document", async () => {
  const builtin = machine({ internal: true, family: "IPv4" });
  const send = createSend({ builtin, env: {}, clock: realClock });
  const problem = await send({ method: "GET", url: `https://${NOWHERE}/`, timeoutMs: 9_000 }).catch((error) => error);
  expect({ code: problem.code, exit: problem.exit, hint: problem.hint, details: problem.details }).toEqual({
    code: "UNREACHABLE",
    exit: 6,
    hint: "Connect to a network, then try again.",
    details: { sent: false, errno: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/), offline: true },
  });
  expect(problem.message).toMatch(
    /^Cannot reach https:\/\/a{64}\.invalid: this machine seems to be offline \(\w+\)\.$/,
  );
});

const read = (file: string) =>
  readCertificates(file, { variable: "KAY_CA_FILE", X509: X509Certificate, code: "TLS_FAILED" });

test("KAY_CA_FILE accepts one certificate or several, in PEM or one in DER, with surrounding text", () => {
  const [one, two] = [selfSigned(), selfSigned()];
  const file = join(dirname(one.file), "both.pem");
  writeFileSync(file, `\ufeff# the company's\r\n${one.cert.replaceAll("\n", "\r\n")}\n${two.key}${two.cert}`);
  const pem = ({ cert }: { cert: string }) => new X509Certificate(cert).toString();
  expect(read(file)).toEqual([pem(one), pem(two)]);
  writeFileSync(file, new X509Certificate(one.cert).raw);
  expect(read(file)).toEqual([pem(one)]);
});

test("an unusable KAY_CA_FILE is an invalid setting, with one sentence about its error", async () => {
  const { cert, key, file } = selfSigned();
  const folder = dirname(file);
  const path = join(folder, "ca.pem");
  const failWith = (content: string | null) => {
    if (content !== null) writeFileSync(path, content);
    return failure({ url: "https://127.0.0.1:9/" }, { KAY_CA_FILE: path }).then(({ code, message }) => [code, message]);
  };
  expect(await failWith(null)).toEqual(["USAGE", `Could not read the file in KAY_CA_FILE: ${path} (ENOENT).`]);
  expect(await failWith("")).toEqual(["USAGE", `The file in KAY_CA_FILE is empty: ${path}.`]);
  expect(await failWith("hello")).toEqual(["USAGE", `The file in KAY_CA_FILE contains no certificate: ${path}.`]);
  expect(await failWith(key)).toEqual(["USAGE", `The file in KAY_CA_FILE contains no certificate: ${path}.`]);
  expect(await failWith(`${cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`)).toEqual([
    "USAGE",
    `Certificate 2 of KAY_CA_FILE is damaged: ${path}.`,
  ]);
  mkdirSync(join(folder, "certs"));
  expect(await failure({ url: "https://127.0.0.1:9/" }, { KAY_CA_FILE: join(folder, "certs") })).toMatchObject({
    message: `Could not read the file in KAY_CA_FILE: ${join(folder, "certs")} (EISDIR).`,
    hint: "Set KAY_CA_FILE to a file of PEM certificates, or unset it.",
  });
  expect(await failure({ url: "https://127.0.0.1:9/" }, { KAY_CA_FILE: " " })).toMatchObject({ code: "UNREACHABLE" });
});

test("for an expired certificate the hint is the clock or a renewal, not an authority", () => {
  expect(getTlsHint("CERT_HAS_EXPIRED", { url: new URL("https://kay.example.test/") })).toBe(
    "Check the date and time of this machine. If they are correct, ask the administrator of kay.example.test to renew the certificate.",
  );
});

test("if a certificate is not trusted and Node could not use NODE_EXTRA_CA_CERTS, the hint says so", async () => {
  const backend = await fakeBackend({ tls: selfSigned() });
  const file = join(dirname(selfSigned().file), "extra.pem");
  appendFileSync(file, "");
  const env = { NODE_EXTRA_CA_CERTS: file };
  expect(await failure({ url: `${backend.url}/` }, env)).toMatchObject({
    code: "TLS_FAILED",
    hint: `The file in NODE_EXTRA_CA_CERTS is empty: ${file}. Correct NODE_EXTRA_CA_CERTS, or set KAY_CA_FILE instead.`,
  });
  const whole = { NODE_EXTRA_CA_CERTS: selfSigned().file };
  expect((await failure({ url: `${backend.url}/` }, whole)).hint).toContain("Set NODE_EXTRA_CA_CERTS (or KAY_CA_FILE)");
  expect(readFileSync(file, "utf8")).toBe("");
});

needsIpv6()("a backend is reached by its IPv6 address, and by localhost where it listens on that alone", async () => {
  const backend = await fakeBackend({ host: "::1" });
  backend.always("GET /", { json: { ok: true } });
  const send = createSend({
    builtin: process.getBuiltinModule,
    env: { HTTP_PROXY: "http://127.0.0.1:9" },
    clock: realClock,
  });
  for (const host of ["[::1]", "localhost", "[0:0:0:0:0:0:0:1]"]) {
    const answer = await send({ method: "GET", url: `http://${host}:${backend.port}/`, timeoutMs: 5_000 });
    expect([host, answer.body]).toEqual([host, '{"ok":true}']);
  }
});
