import { isLoopbackHost } from "./addresses.ts";
import { findExtraCaProblem } from "./authorities.ts";
import { createDirectTransport } from "./direct.ts";
import { findMissingNetwork } from "./faults.ts";
import { createProxyTransport } from "./proxied.ts";
import { findProxy } from "./proxy.ts";
import type { Transport, TransportPorts } from "./transport.ts";

/**
 * Creates the transport to a backend: through a proxy if one applies to the URL, otherwise direct. Plain HTTP to this
 * machine is always direct. Follows no redirects and retries nothing.
 *
 * @param ports.builtin `process.getBuiltinModule`
 * @param ports.env proxies and KAY_CA_FILE
 */
export function createTransport({ builtin, env }: TransportPorts): Transport {
  const direct = createDirectTransport(builtin, env);
  return async (exchange) => {
    const { url } = exchange;
    if (url.protocol === "http:" && isLoopbackHost(url.hostname)) return direct(exchange);
    exchange.findMissingNetwork = (code) => findMissingNetwork(builtin, url.hostname, code);
    exchange.findExtraCaProblem = () => findExtraCaProblem(builtin, env);
    const proxy = findProxy(url, env, builtin("node:net").BlockList);
    return proxy ? createProxyTransport(builtin, env, proxy)(exchange) : direct(exchange);
  };
}
