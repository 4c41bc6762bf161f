import type { Socket } from "node:net";
import { loadAuthorities } from "./authorities.ts";
import { getTarget, sendRequest, toAnswer } from "./direct.ts";
import { proxyRefusedProblem } from "./faults.ts";
import { type HttpProxy, maskProxy } from "./proxy.ts";
import type { Exchange, LoadBuiltin, Transport } from "./transport.ts";

/**
 * Creates a transport through a proxy: a tunnel (CONNECT) for `https:`, otherwise the proxy forwards the request. The
 * backend's certificate is checked as without a proxy.
 */
export function createProxyTransport(
  builtin: LoadBuiltin,
  env: Record<string, string | undefined>,
  proxy: HttpProxy,
): Transport {
  return async (exchange) => {
    exchange.proxy = `${maskProxy(proxy)} (${proxy.variable})`;
    const { url } = exchange;
    const authorities = url.protocol === "https:" || isSecure(proxy) ? loadAuthorities(builtin, env) : undefined;
    const trust = authorities ? { ca: authorities } : {};
    if (url.protocol === "https:") {
      const tunnel = await openTunnel(builtin, exchange, proxy, trust);
      const { host, servername } = getTarget(url);
      const socket = builtin("node:tls").connect({ socket: tunnel, host, servername, ...trust });
      const options = { ...getTarget(url), createConnection: () => socket };
      return toAnswer(await sendRequest(builtin, exchange, "https:", options));
    }
    const response = await sendRequest(builtin, exchange, proxy.url.protocol, {
      ...getTarget(proxy.url),
      ...trust,
      agent: false,
      path: url.href,
      headers: getCredentials(proxy),
    });
    if (response.statusCode !== 407) return toAnswer(response);
    response.destroy();
    throw proxyRefusedProblem(exchange, 407);
  };
}

/**
 * Requests a connection to the host of an exchange.
 *
 * @throws Problem PROXY_INVALID when the credentials are rejected, UNREACHABLE for any other refusal
 */
function openTunnel(
  builtin: LoadBuiltin,
  exchange: Exchange,
  proxy: HttpProxy,
  trust: { ca?: string[] },
): Promise<Socket> {
  const target = `${exchange.url.hostname}:${exchange.url.port || 443}`;
  const module = isSecure(proxy) ? builtin("node:https") : builtin("node:http");
  return new Promise((resolve, reject) => {
    const headers = { host: target, ...getCredentials(proxy) };
    const { signal } = exchange;
    const options = {
      ...getTarget(proxy.url),
      ...trust,
      method: "CONNECT",
      path: target,
      headers,
      signal,
      agent: false,
    };
    module
      .request(options)
      .on("connect", ({ statusCode = 0 }, socket) => {
        if (statusCode >= 200 && statusCode < 300) return resolve(socket);
        socket.destroy();
        reject(proxyRefusedProblem(exchange, statusCode));
      })
      .on("error", reject)
      .on("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })))
      .end();
  });
}

function isSecure({ url }: HttpProxy): boolean {
  return url.protocol === "https:";
}

function getCredentials({ url: { username, password } }: HttpProxy): Record<string, string> {
  if (!username && !password) return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}
