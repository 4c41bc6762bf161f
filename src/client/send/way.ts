import type { Leg, WayPorts } from "./exchange.ts";
import { loopbackLeg } from "./loopback.ts";
import { isLoopback } from "./origin.ts";
import { remoteLeg } from "./remote.ts";

/**
 * The way to a backend. One question decides: plain HTTP to this machine goes by `node:http`, never through a proxy; everything else by
 * undici with proxy and certificate authorities. Redirects are never followed, nothing is repeated.
 *
 * @param ports.builtin `process.getBuiltinModule`
 * @param ports.env proxies and KAY_CA_FILE
 */
export function createWay(ports: WayPorts): Leg {
  const loopback = loopbackLeg(ports.builtin);
  const remote = remoteLeg(ports.builtin, ports.env);
  return (exchange) => {
    const { protocol, hostname } = exchange.url;
    return (protocol === "http:" && isLoopback(hostname) ? loopback : remote)(exchange);
  };
}
