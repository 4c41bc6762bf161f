import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createOutboundFetch } from "#host/outbound-fetch";
import { selfSigned } from "#test/certificate";
import { fakeBackend } from "#test/fake-backend";

function createFetch(env: Record<string, string>) {
  const outbound = createOutboundFetch(env);
  onTestFinished(() => outbound.close());
  return outbound.fetch;
}

test("H15 the backend words an invalid proxy like the command line", async () => {
  const fetch = createFetch({ https_proxy: "", HTTPS_PROXY: "socks5://ann:secret@127.0.0.1:1080" });
  await expect(fetch("https://api.example.test/")).rejects.toMatchObject({
    code: "PROXY_INVALID",
    message: 'HTTPS_PROXY is a SOCKS proxy, which kay does not support: "socks5://***@127.0.0.1:1080".',
  });
});

test("H17 the backend trusts the authorities of KAY_CA_FILE, and names the code if it trusts none", async () => {
  const certificate = selfSigned();
  const service = await fakeBackend({ tls: certificate });
  service.on("GET /", { json: { ok: true } });
  const trusted = await createFetch({ KAY_CA_FILE: certificate.file })(`https://localhost:${service.port}/`);
  expect(await trusted.json()).toEqual({ ok: true });
  await expect(createFetch({})(`https://localhost:${service.port}/`)).rejects.toMatchObject({
    code: "TLS_FAILED",
    message: `The TLS connection to localhost:${service.port} is not trusted: its certificate is self-signed (DEPTH_ZERO_SELF_SIGNED_CERT).`,
  });
});

test("an unusable KAY_CA_FILE prevents the backend's start, with the sentence", () => {
  const file = join(dirname(selfSigned().file), "none.pem");
  expect(() => createOutboundFetch({ KAY_CA_FILE: file })).toThrow(
    expect.objectContaining({
      code: "BACKEND_START_FAILED",
      message: `Could not read the file in KAY_CA_FILE: ${file} (ENOENT).`,
    }),
  );
});

test("a proxy that is not there, or refuses a host, is the reason, whatever service is behind it", async () => {
  await expect(createFetch({ HTTPS_PROXY: "http://127.0.0.1:9" })("https://api.example.test/")).rejects.toMatchObject({
    code: "UNREACHABLE",
    message: "Cannot reach https://api.example.test through the proxy http://127.0.0.1:9 (HTTPS_PROXY) (ECONNREFUSED).",
    hint: "Check the proxy URL, or add the host to NO_PROXY.",
  });
  const proxy = createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  const { port } = proxy.address() as AddressInfo;
  const through = createFetch({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
  await expect(through("https://api.example.test/")).rejects.toMatchObject({
    code: "UNREACHABLE",
    message: `The proxy http://127.0.0.1:${port} (HTTPS_PROXY) refused to connect to api.example.test (403).`,
  });
});

test("an error that is not this machine's fault is passed on as the HTTP client reports it", async () => {
  await expect(createFetch({})("http://127.0.0.1:9/")).rejects.toThrow(TypeError);
});
