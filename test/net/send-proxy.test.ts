import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import {
  type AddressInfo,
  BlockList,
  connect,
  createServer as createTcpServer,
  type Server as TcpServer,
} from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { findProxy } from "#net/proxy";
import { createSend } from "#net/send";
import { Problem } from "#protocol/errors";
import { selfSigned } from "#test/certificate";
import { realClock } from "#test/client-clock";
import { fakeBackend } from "#test/fake-backend";

type Env = Record<string, string | undefined>;

function send(url: string, env: Env) {
  return createSend({ builtin: process.getBuiltinModule, env, clock: realClock })({
    method: "GET",
    url,
    timeoutMs: 5_000,
  });
}

/** A proxy that records its requests; every tunnel and every forwarded request goes to `target`. */
async function fakeProxy(
  target: number,
  status = 200,
  tls?: { key: string; cert: string },
): Promise<{ url: string; asked: string[]; credentials: (string | undefined)[] }> {
  const requests: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server: Server = tls ? createTlsServer(tls) : createServer();
  server.on("request", (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    credentials.push(request.headers["proxy-authorization"]);
    response.end('{"forwarded":true}');
  });
  server.on("connect", (request, socket) => {
    requests.push(`CONNECT ${request.url}`);
    credentials.push(request.headers["proxy-authorization"]);
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const tunnel = connect(target, "127.0.0.1");
    tunnel.on("error", () => socket.destroy()).on("close", () => socket.destroy());
    socket.on("error", () => tunnel.destroy()).on("close", () => tunnel.destroy());
    socket.pipe(tunnel).pipe(socket);
  });
  const url = await listen(server);
  return { url: tls ? url.replace("http://127.0.0.1", "https://localhost") : url, asked: requests, credentials };
}

async function listen(server: Server | TcpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function chooseProxy(url: string, env: Env): string | null {
  const proxy = findProxy(new URL(url), env, BlockList);
  return proxy && `${proxy.url.origin} ${proxy.variable}`;
}

test("H15 an empty lower-case variable does not mask the upper-case one", async () => {
  const certificate = selfSigned();
  const backend = await fakeBackend({ tls: certificate });
  backend.on("GET /x", { json: { ok: true } });
  const proxy = await fakeProxy(backend.port);
  const env = { https_proxy: "", HTTPS_PROXY: proxy.url.replace("//", "//ann:p%40ss@"), KAY_CA_FILE: certificate.file };
  expect((await send("https://kay.example.test/x", env)).body).toBe('{"ok":true}');
  expect(proxy.asked).toEqual(["CONNECT kay.example.test:443"]);
  expect(proxy.credentials).toEqual([`Basic ${btoa("ann:p@ss")}`]);
});

test("H15 the certificate behind a proxy is still verified", async () => {
  const backend = await fakeBackend({ tls: selfSigned() });
  const proxy = await fakeProxy(backend.port);
  const fault = await send("https://kay.example.test/x", { HTTPS_PROXY: proxy.url }).catch((error) => error);
  expect([fault.code, fault.details.sent]).toEqual(["TLS_FAILED", false]);
});

test("H15 an invalid or unsupported proxy variable is one line that names the variable and masks credentials", async () => {
  const cases: [string, string][] = [
    ["not a url", 'HTTPS_PROXY is not a valid proxy URL: "not a url".'],
    ["http://ann:secret@", 'HTTPS_PROXY is not a valid proxy URL: "http://***@".'],
    ["http://ann:%zz@proxy:1", 'HTTPS_PROXY is not a valid proxy URL: "http://***@proxy:1".'],
    ["ann:secret@not a host", 'HTTPS_PROXY is not a valid proxy URL: "***@not a host".'],
    [
      "socks5://ann:se@cret@127.0.0.1:1080",
      'HTTPS_PROXY is a SOCKS proxy, which kay does not support: "socks5://***@127.0.0.1:1080".',
    ],
    [
      "socks5h://127.0.0.1:1080/",
      'HTTPS_PROXY is a SOCKS proxy, which kay does not support: "socks5h://127.0.0.1:1080/".',
    ],
    ["SOCKS://127.0.0.1:1080", 'HTTPS_PROXY is a SOCKS proxy, which kay does not support: "SOCKS://127.0.0.1:1080".'],
    ["ftp://proxy.test", 'HTTPS_PROXY is a proxy of a kind that kay does not support: "ftp://proxy.test".'],
    ["http://ann:pa#ss@proxy.test:3128", 'HTTPS_PROXY is not a valid proxy URL: "http://***@proxy.test:3128".'],
  ];
  for (const [value, message] of cases) {
    const fault = await send("https://kay.example.test/x", { HTTPS_PROXY: value }).catch((error) => error);
    expect(fault).toBeInstanceOf(Problem);
    expect([fault.code, fault.message]).toEqual(["PROXY_INVALID", message]);
  }
});

test("a proxy that is missing, refuses, or wants other credentials is named as the cause", async () => {
  const refusing = await fakeProxy(1, 403);
  const asking = await fakeProxy(1, 407);
  const gone = await send("https://kay.example.test/x", { ALL_PROXY: "http://ann:secret@127.0.0.1:9" }).catch(
    (error) => error,
  );
  expect([gone.code, gone.message]).toEqual([
    "UNREACHABLE",
    "Cannot reach https://kay.example.test through the proxy http://127.0.0.1:9 (ALL_PROXY) (ECONNREFUSED).",
  ]);
  const refused = await send("https://kay.example.test/x", { HTTPS_PROXY: refusing.url }).catch((error) => error);
  expect([refused.code, refused.message, refused.hint]).toEqual([
    "UNREACHABLE",
    `The proxy ${refusing.url} (HTTPS_PROXY) refused to connect to kay.example.test (403).`,
    "Check the address and the rules of the proxy, or add the host to NO_PROXY.",
  ]);
  const asked = await send("https://kay.example.test/x", { HTTPS_PROXY: asking.url }).catch((error) => error);
  expect([asked.code, asked.message]).toEqual([
    "PROXY_INVALID",
    `The proxy ${asking.url} (HTTPS_PROXY) rejected the credentials (407).`,
  ]);
});

test("a backend named by an address needs a certificate for that address, whatever the proxy is called", async () => {
  const certificate = selfSigned();
  const backend = await fakeBackend({ tls: certificate });
  const proxy = await fakeProxy(backend.port);
  const env = { HTTPS_PROXY: proxy.url.replace("127.0.0.1", "localhost"), KAY_CA_FILE: certificate.file };
  const fault = await send("https://198.51.100.7/x", env).catch((error) => error);
  expect([fault.code, fault.details.errno]).toEqual(["TLS_FAILED", "ERR_TLS_CERT_ALTNAME_INVALID"]);
  expect(fault.hint).toBe(
    "Use a name in the certificate, or ask the administrator of 198.51.100.7 for one that includes this name.",
  );
  expect(proxy.asked).toEqual(["CONNECT 198.51.100.7:443"]);
});

test("a request cancelled while the proxy connects closes the connection to the proxy", async () => {
  const closed = Promise.withResolvers<void>();
  const controller = new AbortController();
  const server = createServer().on("connect", (_request, socket) => {
    socket
      .on("error", () => {})
      .on("end", closed.resolve)
      .resume();
    controller.abort();
  });
  const url = await listen(server);
  const env = { HTTPS_PROXY: url };
  const request = { method: "GET" as const, url: "https://kay.example.test/x", timeoutMs: 5_000 };
  const sending = createSend({ builtin: process.getBuiltinModule, env, clock: realClock });
  await expect(sending({ ...request, signal: controller.signal })).rejects.toMatchObject({ code: "CANCELLED" });
  await closed.promise;
});

test("a proxy that rejects the credentials of a forwarded request, and one that speaks another protocol, are named", async () => {
  const asking = await listen(createServer((_request, response) => void response.writeHead(407).end()));
  const asked = await send("http://kay.example.test/x", { HTTP_PROXY: asking }).catch((error) => error);
  expect([asked.code, asked.message, asked.details.sent]).toEqual([
    "PROXY_INVALID",
    `The proxy ${asking} (HTTP_PROXY) rejected the credentials (407).`,
    false,
  ]);
  const other = await listen(createTcpServer((socket) => void socket.end("SSH-2.0-OpenSSH_9.9\r\n")));
  for (const [scheme, variable] of [
    ["https", "HTTPS_PROXY"],
    ["http", "HTTP_PROXY"],
  ]) {
    const fault = await send(`${scheme}://kay.example.test/x`, { [`${variable}`]: other }).catch((error) => error);
    expect([fault.code, fault.message, fault.hint]).toEqual([
      "BAD_ANSWER",
      `The proxy ${other} (${variable}) does not speak HTTP (HPE_INVALID_CONSTANT).`,
      "Check the proxy URL, or add the host to NO_PROXY.",
    ]);
  }
});

test("a proxy may itself use TLS, with an authority from KAY_CA_FILE", async () => {
  const certificate = selfSigned();
  const backend = await fakeBackend({ tls: certificate });
  backend.on("GET /x", { json: { ok: true } });
  const proxy = await fakeProxy(backend.port, 200, certificate);
  const env = { ALL_PROXY: proxy.url.replace("//", "//ann:s@"), KAY_CA_FILE: certificate.file };
  expect((await send("https://kay.example.test/x", env)).body).toBe('{"ok":true}');
  expect((await send("http://kay.example.test/y", env)).body).toBe('{"forwarded":true}');
  expect(proxy.credentials).toEqual([`Basic ${btoa("ann:s")}`, `Basic ${btoa("ann:s")}`]);
});

test("https to this machine never uses a proxy", async () => {
  const certificate = selfSigned();
  const backend = await fakeBackend({ tls: certificate });
  backend.on("GET /x", { json: { ok: true } }, { json: { ok: true } });
  const env = { HTTPS_PROXY: "http://127.0.0.1:9", ALL_PROXY: "socks5://127.0.0.1:1", KAY_CA_FILE: certificate.file };
  for (const host of ["localhost", "127.0.0.1"])
    expect((await send(`https://${host}:${backend.port}/x`, env)).body).toBe('{"ok":true}');
});

test("plain http to another host is forwarded by the proxy, to this machine never", async () => {
  const backend = await fakeBackend();
  backend.on("GET /x", { json: {} });
  const proxy = await fakeProxy(backend.port);
  const env = { HTTP_PROXY: proxy.url, ALL_PROXY: "socks5://127.0.0.1:1" };
  await send(`${backend.url}/x`, env);
  expect((await send("http://kay.example.test/y", env)).body).toBe('{"forwarded":true}');
  expect(proxy.asked).toEqual(["GET http://kay.example.test/y"]);
});

test("proxy variables have the usual precedence, and a bare host:port is an http proxy", () => {
  const url = "https://kay.example.test/";
  expect(chooseProxy(url, { https_proxy: "a:1", HTTPS_PROXY: "b:1", ALL_PROXY: "c:1" })).toBe("http://a:1 https_proxy");
  expect(chooseProxy(url, { https_proxy: " ", HTTPS_PROXY: "", all_proxy: "", ALL_PROXY: "c:1" })).toBe(
    "http://c:1 ALL_PROXY",
  );
  expect(chooseProxy(url, { HTTP_PROXY: "b:1" })).toBeNull();
  expect(chooseProxy("http://kay.example.test/", { HTTP_PROXY: "b:1" })).toBe("http://b:1 HTTP_PROXY");
});

test("NO_PROXY accepts names, domains, ports, addresses, ranges and the star, and an empty no_proxy does not mask it", () => {
  const exempt = (host: string, list: string) =>
    chooseProxy(`https://${host}/`, { HTTPS_PROXY: "p:1", no_proxy: "", NO_PROXY: list }) === null;
  const yes: [string, string][] = [
    ["kay.example.test", "other.test, .example.test"],
    ["kay.example.test", "*.example.test"],
    ["kay.example.test", "example.test"],
    ["KAY.example.test", "kay.EXAMPLE.test:443"],
    ["kay.example.test:8443", "example.test:8443"],
    ["10.1.2.3", "10.0.0.0/8"],
    ["[::1]", "::1"],
    ["[fe80::1]", "[fe80::1]"],
    ["[fd00::7]", "fd00::/8"],
    ["any.test", "*"],
    ["any.test", "other.test, *"],
    ["[::1]", "0:0:0:0:0:0:0:1"],
    ["[fd00::7]", "[fd00:0::7]:443"],
    ["kay.example.test", "https://kay.example.test/"],
    ["kay.example.test", "  kay.example.test.  "],
    ["kay.example.test", "a.test;kay.example.test".replace(";", " ")],
    ["192.168.1.9", "192.168.0.0/16,::1/128"],
  ];
  for (const [host, list] of yes) expect([host, list, exempt(host, list)]).toEqual([host, list, true]);
  const no: [string, string][] = [
    ["notexample.test", "example.test"],
    ["kay.example.test", "example.test:8443"],
    ["11.1.2.3", "10.0.0.0/8"],
    ["kay.example.test", "10.0.0.0/8 not/arange"],
    ["kay.example.test", ""],
    ["kay.example.test", "https://other.example.test/"],
    ["192.168.1.9", "192.168.0.0/33"],
    ["[fd00::7]", "10.0.0.0/8"],
  ];
  for (const [host, list] of no) expect([host, list, exempt(host, list)]).toEqual([host, list, false]);
});

test("a proxy's address is accepted with a slash, spaces, without a scheme, and as IPv6", () => {
  const readAddress = (value: string) => chooseProxy("https://kay.example.test/", { HTTPS_PROXY: value });
  expect(["  http://p.test:3128/  ", "p.test:3128/", "P.TEST:3128", "ann:secret@p.test:3128"].map(readAddress)).toEqual(
    Array(4).fill("http://p.test:3128 HTTPS_PROXY"),
  );
  expect(readAddress("http://[::1]:3128")).toBe("http://[::1]:3128 HTTPS_PROXY");
  expect(readAddress("https://p.test")).toBe("https://p.test HTTPS_PROXY");
});

test("a SOCKS proxy for everything does not matter if an http proxy, or none, applies to this host", () => {
  const env = { ALL_PROXY: "socks5://127.0.0.1:1080" };
  expect(chooseProxy("https://kay.example.test/", { ...env, HTTPS_PROXY: "p.test:1" })).toBe(
    "http://p.test:1 HTTPS_PROXY",
  );
  expect(chooseProxy("https://kay.example.test/", { ...env, NO_PROXY: "example.test" })).toBeNull();
});
