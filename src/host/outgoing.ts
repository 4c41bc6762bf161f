import { readFileSync } from "node:fs";
import { BlockList } from "node:net";
import { getCACertificates } from "node:tls";
import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInit } from "undici";
import type { Fetch, Guarded } from "#backend/ports";
import { isLoopback } from "#client/send/origin";
import { proxyFor } from "#client/send/proxy";
import { Problem } from "#protocol/errors";
import { createGuarded } from "./guarded.ts";

/** `guarded` is for addresses that people of a backend of many choose. */
type Outgoing = { fetch: Fetch; guarded: Guarded; close(): Promise<void> };

/**
 * The backend's way out to services and their authorization servers: undici with the machine's proxy and certificate authorities
 * (HTTPS_PROXY …, KAY_CA_FILE), loopback always direct. Connections are kept and reused; `close` ends them.
 */
export function createOutgoing(env: Record<string, string | undefined>): Outgoing {
  const ca = env.KAY_CA_FILE ? [...getCACertificates("default"), readAuthority(env.KAY_CA_FILE)] : undefined;
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
  const guarded = createGuarded({ env, ...(ca ? { ca } : {}) });
  return {
    guarded,
    fetch: async (url, init) => {
      const answer = await fetch(url, { ...(init as RequestInit), dispatcher: dispatcherFor(new URL(url)) });
      return answer as unknown as Response;
    },
    close: async () => {
      await Promise.allSettled([
        guarded.close(),
        ...[...dispatchers.values()].map((dispatcher) => dispatcher.destroy()),
      ]);
    },
  };
}

function readAuthority(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const errno = (error as NodeJS.ErrnoException).code ?? "unreadable";
    throw new Problem("BACKEND_START_FAILED", `The file of KAY_CA_FILE cannot be read: ${file} (${errno}).`, {
      hint: "Set KAY_CA_FILE to a file of certificates (PEM), or unset it.",
      cause: error,
    });
  }
}
