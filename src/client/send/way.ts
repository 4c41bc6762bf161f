import { extraFault } from "./authorities.ts";
import { directLeg } from "./direct.ts";
import type { Leg, WayPorts } from "./exchange.ts";
import { lackOf } from "./offline.ts";
import { isLoopback } from "./origin.ts";
import { proxiedLeg } from "./proxied.ts";
import { proxyFor } from "./proxy.ts";

/**
 * The way to a backend. One question decides: whether a proxy is meant for it. Plain HTTP to this machine never goes through one. Redirects
 * are never followed, nothing is repeated.
 *
 * @param ports.builtin `process.getBuiltinModule`
 * @param ports.env proxies and KAY_CA_FILE
 */
export function createWay({ builtin, env }: WayPorts): Leg {
  const direct = directLeg(builtin, env);
  return async (exchange) => {
    const { url } = exchange;
    if (url.protocol === "http:" && isLoopback(url.hostname)) return direct(exchange);
    exchange.lack = (code) => lackOf(builtin, url.hostname, code);
    exchange.extraFault = () => extraFault(builtin, env);
    const proxy = proxyFor(url, env, builtin("node:net").BlockList);
    return proxy ? proxiedLeg(builtin, env, proxy)(exchange) : direct(exchange);
  };
}
