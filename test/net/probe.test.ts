import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, connect, createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Timer } from "#net/ports";
import { probeRoute } from "#net/probe/probe";
import type { ProbeStep } from "#net/probe/step";
import { selfSigned } from "#test/certificate";
import { realClock } from "#test/client-clock";

type Env = Record<string, string | undefined>;

/** The time limits of steps are shorter here. */
const hasty: Timer = { now: realClock.now, sleep: (ms, signal) => realClock.sleep(ms / 20, signal) };

function probe(address: string, env: Env = {}, clock = realClock, signal = new AbortController().signal) {
  return probeRoute(address, { builtin: process.getBuiltinModule, env, clock, signal });
}

/** State and text of each step, without times. */
function formatSteps(legs: ProbeStep[]): Record<string, string> {
  const lines = legs.map(({ name, state, message }) => [name, `${state}: ${message.replace(/in \d+ ms/g, "in N ms")}`]);
  return Object.fromEntries(lines);
}

function fixes(legs: ProbeStep[]): (string | undefined)[] {
  return legs.flatMap(({ fix }) => (fix ? [fix] : []));
}

async function listen(server: Server | TcpServer, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const secureServer = () => {
  const certificate = selfSigned();
  return { certificate, server: createTlsServer(certificate, (_, response) => response.end()) };
};

/** A proxy with one answer to CONNECT; with 200 the tunnel goes to `target`. */
async function proxyTo(target: number, status = 200) {
  const requests: string[] = [];
  const server = createServer();
  server.on("connect", (request, socket) => {
    requests.push(`${request.url} ${request.headers["proxy-authorization"] ?? "-"}`);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} Nope\r\n\r\n`);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const tunnel = connect(target, "127.0.0.1");
    tunnel.on("error", () => socket.destroy());
    socket.on("error", () => tunnel.destroy()).on("close", () => tunnel.destroy());
    socket.pipe(tunnel).pipe(socket);
  });
  const port = await listen(server);
  return { port, asked: requests };
}

test("each step of a working route is reported", async () => {
  const { certificate, server } = secureServer();
  const port = await listen(server);
  const legs = await probe(`https://localhost:${port}/kay`, { KAY_CA_FILE: certificate.file });
  expect(formatSteps(legs)).toEqual({
    proxy: "ok: None: a request to this machine never uses one.",
    name: "ok: localhost is this machine.",
    connect: `ok: Port ${port}: IPv4 in N ms; IPv6 fails (ECONNREFUSED).`,
    tls: expect.stringMatching(
      /^warning: TLSv1\.3, certificate issued by localhost, valid until \d{4}-\d\d-\d\d\. Trusts Node's authorities and KAY_CA_FILE\.$/,
    ),
  });
});

test("a certificate of an unknown authority is a TLS failure, with its issuer and the file to set", async () => {
  const port = await listen(secureServer().server);
  const legs = await probe(`https://127.0.0.1:${port}`);
  expect(formatSteps(legs)).toEqual({
    proxy: "ok: None: a request to this machine never uses one.",
    name: "skipped: 127.0.0.1 is an IP address, so no lookup is needed.",
    connect: `ok: Port ${port}: IPv4 in N ms.`,
    tls: "failed: The certificate of 127.0.0.1, issued by localhost, is not trusted: its certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT). Trusts Node's authorities.",
  });
  expect(fixes(legs)[0]).toMatch(/^Set NODE_EXTRA_CA_CERTS \(or KAY_CA_FILE\)/);
});

test("an unreadable extra file of authorities is reported, and one of KAY_CA_FILE fails", async () => {
  const { certificate, server } = secureServer();
  const port = await listen(server);
  const env = { KAY_CA_FILE: certificate.file, NODE_EXTRA_CA_CERTS: "/nowhere/ca.pem" };
  expect((await probe(`https://127.0.0.1:${port}`, env)).at(-1)).toMatchObject({
    state: "warning",
    message: expect.stringMatching(/Could not read the file in NODE_EXTRA_CA_CERTS: \/nowhere\/ca\.pem \(ENOENT\)\.$/),
  });
  expect((await probe(`https://127.0.0.1:${port}`, { KAY_CA_FILE: "/nowhere/ca.pem" })).at(-1)).toEqual({
    name: "tls",
    state: "failed",
    message: "Could not read the file in KAY_CA_FILE: /nowhere/ca.pem (ENOENT).",
    fix: "Set KAY_CA_FILE to a file of PEM certificates, or unset it.",
  });
});

test("a server that does not speak TLS, and a silent one, fail at TLS", async () => {
  const plain = await listen(createServer());
  expect((await probe(`https://127.0.0.1:${plain}`)).at(-1)).toMatchObject({ name: "tls", state: "failed" });
  const mute = await listen(createTcpServer((socket) => socket.on("error", () => {})));
  expect((await probe(`https://127.0.0.1:${mute}`, {}, hasty)).at(-1)).toMatchObject({ name: "tls", state: "failed" });
});

test("a port without a listener fails at the connection, and later steps are skipped", async () => {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  expect(formatSteps(await probe(`https://127.0.0.1:${port}`))).toMatchObject({
    connect: `failed: Could not connect to port ${port} of 127.0.0.1 (127.0.0.1: ECONNREFUSED).`,
    tls: "skipped: Not checked: the connection failed.",
  });
});

test("an unknown name fails at the name", async () => {
  const legs = await probe(`https://${"a".repeat(64)}.invalid`);
  expect(legs.map(({ name, state }) => `${name} ${state}`)).toEqual([
    "proxy ok",
    "name failed",
    "connect skipped",
    "tunnel skipped",
    "tls skipped",
  ]);
});

test("through a proxy the connection is to the proxy, and the tunnel is a separate step; its credentials are sent and not shown", async () => {
  const { certificate, server } = secureServer();
  const proxy = await proxyTo(await listen(server));
  const env = { HTTPS_PROXY: `http://ann:s3cr%40t@127.0.0.1:${proxy.port}`, KAY_CA_FILE: certificate.file };
  const legs = await probe("https://kay.example.test:1234", env);
  expect(formatSteps(legs)).toEqual({
    proxy: `ok: http://127.0.0.1:${proxy.port}, which HTTPS_PROXY names.`,
    name: "skipped: 127.0.0.1 is an IP address, so no lookup is needed.",
    connect: `ok: Port ${proxy.port}: IPv4 in N ms.`,
    tunnel: "ok: The proxy connects to kay.example.test:1234.",
    tls: expect.stringMatching(/^warning: TLSv1\.3, certificate issued by localhost/),
  });
  expect(proxy.asked).toEqual([`kay.example.test:1234 Basic ${Buffer.from("ann:s3cr@t").toString("base64")}`]);
  expect(JSON.stringify(legs)).not.toMatch(/s3cr|ann/);
});

test.for([
  [407, "rejected the credentials (407).", "Add the user and password to HTTPS_PROXY"],
  [403, "refused to connect to kay.example.test:443 (403 Nope).", "Allow kay.example.test:443"],
] as const)("a proxy that answers %i to CONNECT fails at the tunnel", async ([status, says, fix]) => {
  const proxy = await proxyTo(0, status);
  const [, , , tunnel, tls] = await probe("https://kay.example.test", {
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
  });
  expect(tunnel).toEqual({
    name: "tunnel",
    state: "failed",
    message: `The proxy http://127.0.0.1:${proxy.port} (HTTPS_PROXY) ${says}`,
    fix: expect.stringContaining(fix),
  });
  expect(tls?.state).toBe("skipped");
});

test("a server that is not a proxy, and a silent proxy, fail at the tunnel", async () => {
  const ssh = await listen(createTcpServer((socket) => void socket.on("error", () => {}).write("SSH-2.0-OpenSSH\r\n")));
  const env = (port: number) => ({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
  expect((await probe("https://kay.example.test", env(ssh)))[3]).toMatchObject({
    state: "failed",
    message: `The server at http://127.0.0.1:${ssh} (HTTPS_PROXY) is not an HTTP proxy.`,
  });
  const mute = await listen(createTcpServer((socket) => void socket.on("error", () => {})));
  expect((await probe("https://kay.example.test", env(mute), hasty))[3]).toMatchObject({
    name: "tunnel",
    state: "failed",
  });
});

test("an unusable kind of proxy fails at once and names its variable", async () => {
  const legs = await probe("https://kay.example.test", { all_proxy: "socks5://ann:secret@127.0.0.1:1080" });
  expect(legs[0]).toMatchObject({
    name: "proxy",
    state: "failed",
    message: expect.stringMatching(/^all_proxy is a SOCKS proxy/),
  });
  expect(JSON.stringify(legs)).not.toContain("secret");
});

test("NO_PROXY is named if it decided", async () => {
  const { certificate, server } = secureServer();
  const port = await listen(server);
  const env = { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "kay.example.test", KAY_CA_FILE: certificate.file };
  expect(formatSteps(await probe(`https://kay.example.test:${port}`, env))).toMatchObject({
    proxy: "ok: None: NO_PROXY includes kay.example.test, so HTTPS_PROXY is not used.",
  });
});

test("plain http to this machine has only a connection step", async () => {
  const port = await listen(createServer());
  expect(formatSteps(await probe(`http://127.0.0.1:${port}`, { HTTP_PROXY: "http://127.0.0.1:9" }))).toEqual({
    proxy: "ok: None: a request to this machine never uses one.",
    name: "skipped: 127.0.0.1 is an IP address, so no lookup is needed.",
    connect: `ok: Port ${port}: IPv4 in N ms.`,
  });
});

test("a probe ends with its signal", async () => {
  const mute = await listen(createTcpServer((socket) => socket.on("error", () => {})));
  const ending = new AbortController();
  const walking = probe(`https://127.0.0.1:${mute}`, {}, realClock, ending.signal);
  setTimeout(() => ending.abort("SIGINT"), 100);
  await expect(walking).rejects.toBe("SIGINT");
});
