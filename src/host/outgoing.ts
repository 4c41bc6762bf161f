import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { getCACertificates } from "node:tls";
import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInit } from "undici";
import type { Fetch } from "#backend/ports";
import { isLoopback } from "#client/send/origin";
import { proxyFor } from "#client/send/proxy";

/**
 * The backend's way out to services and their authorization servers: undici with the machine's proxy and certificate authorities
 * (HTTPS_PROXY …, KAY_CA_FILE), loopback always direct. Connections are kept and reused; `close` ends them.
 */
export function createOutgoing(env: Record<string, string | undefined>): { fetch: Fetch; close(): Promise<void> } {
  const ca = env.KAY_CA_FILE ? [...getCACertificates("default"), readFileSync(env.KAY_CA_FILE, "utf8")] : undefined;
  const dispatchers = new Map<string, Dispatcher>();
  const dispatcherFor = (url: URL): Dispatcher => {
    const proxy = isLoopback(url.hostname) ? null : proxyFor(url, env, BlockList);
    const key = proxy?.url.href ?? "";
    const known = dispatchers.get(key);
    if (known) return known;
    const tls = ca ? { ca } : {};
    const made = proxy
      ? new ProxyAgent({ uri: proxy.url.href, requestTls: tls, proxyTls: tls })
      : new Agent({ connect: tls });
    dispatchers.set(key, made);
    return made;
  };
  return {
    fetch: async (url, init) => {
      const answer = await fetch(url, { ...(init as RequestInit), dispatcher: dispatcherFor(new URL(url)) });
      return answer as unknown as Response;
    },
    close: async () => {
      await Promise.allSettled([...dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
}
