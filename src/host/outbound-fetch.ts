import { X509Certificate } from "node:crypto";
import { lookup } from "node:dns";
import { BlockList, type LookupFunction } from "node:net";
import { getCACertificates } from "node:tls";
import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInit } from "undici";
import { wasNeverSent } from "#connectors/http/retry";
import { isLoopbackHost, isLoopbackName } from "#net/addresses";
import { readCertificates } from "#net/authorities";
import { toSendProblem } from "#net/faults";
import type { Fetch, PublicFetch } from "#net/ports";
import { findProxy, type HttpProxy, maskProxy } from "#net/proxy";
import { lookUpLoopback } from "#net/transport";
import { Problem } from "#protocol/errors";
import { createPublicFetch } from "./public-fetch.ts";

/** `guarded` is for addresses that users of a shared backend choose. */
export type OutboundFetch = { fetch: Fetch; guarded: PublicFetch; close(): Promise<void> };

/**
 * HTTP from the backend to services and their authorization servers: undici with the machine's proxy and certificate
 * authorities (HTTPS_PROXY …, KAY_CA_FILE); loopback is always direct. Connections are reused; `close` ends them.
 */
export function createOutboundFetch(env: Record<string, string | undefined>): OutboundFetch {
  const file = env.KAY_CA_FILE?.trim();
  const reading = { variable: "KAY_CA_FILE", X509: X509Certificate, code: "BACKEND_START_FAILED" } as const;
  const ca = file ? [...getCACertificates("default"), ...readCertificates(file, reading)] : undefined;
  const dispatchers = new Map<string, Dispatcher>();
  const chooseProxy = (url: URL) => (isLoopbackHost(url.hostname) ? null : findProxy(url, env, BlockList));
  const getDispatcher = (proxy: HttpProxy | null): Dispatcher => {
    const key = proxy?.url.href ?? "";
    const known = dispatchers.get(key);
    if (known) return known;
    const tls = ca ? { ca } : {};
    const made = proxy
      ? new ProxyAgent({ uri: proxy.url.href, requestTls: tls, proxyTls: tls })
      : new Agent({ connect: { ...tls, lookup: lookUpHost } });
    dispatchers.set(key, made);
    return made;
  };
  const guarded = createPublicFetch({ env, ...(ca ? { ca } : {}) });
  return {
    guarded,
    fetch: async (address, init) => {
      const url = new URL(address);
      const proxy = chooseProxy(url);
      const answer = await fetch(url, { ...(init as RequestInit), dispatcher: getDispatcher(proxy) }).catch(
        (error: unknown) => {
          throw toProblem(error, url, proxy);
        },
      );
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

/** Names of this machine are resolved here; every other name by the resolver. */
const lookUpHost: LookupFunction = (name, options, callback) =>
  isLoopbackName(name) ? lookUpLoopback(name, options, callback) : lookup(name, options, callback);

/**
 * Describes what is wrong with this machine's proxy or authorities, worded like the command line; returns any other
 * error unchanged.
 */
function toProblem(error: unknown, url: URL, proxy: HttpProxy | null): unknown {
  const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error;
  const exchange = {
    request: { method: "GET" as const },
    url,
    signal: new AbortController().signal,
    sent: false,
    ...(proxy ? { proxy: `${maskProxy(proxy)} (${proxy.variable})` } : {}),
  };
  const problem = toSendProblem(cause, exchange, null);
  if (!(problem instanceof Problem)) return error;
  // A proxy that refuses the connection, or that is not there itself. Behind any other code, a request may have been sent.
  const isProxy = proxy && problem.code === "UNREACHABLE" && (!("errno" in problem.details) || wasNeverSent(error));
  return isProxy || ["TLS_FAILED", "PROXY_INVALID"].includes(problem.code) ? problem : error;
}
