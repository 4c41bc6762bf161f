import { X509Certificate } from "node:crypto";
import { lookup } from "node:dns";
import { BlockList, type LookupFunction } from "node:net";
import { getCACertificates } from "node:tls";
import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInit } from "undici";
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
 * Creates the backend's HTTP client for services and authorization servers. It uses the proxy and certificate
 * authorities of this machine (HTTPS_PROXY …, KAY_CA_FILE) and never sends loopback requests through the proxy. `close`
 * ends the pooled connections.
 */
export function createOutboundFetch(env: Record<string, string | undefined>): OutboundFetch {
  const file = env.KAY_CA_FILE?.trim();
  const reading = { variable: "KAY_CA_FILE", X509: X509Certificate, code: "BACKEND_START_FAILED" } as const;
  const ca = file ? [...getCACertificates("default"), ...readCertificates(file, reading)] : undefined;
  const dispatchers = new Map<string, Dispatcher>();
<<<<<<< HEAD
  const proxyOf = (url: URL) => (isLoopbackHost(url.hostname) ? null : findProxy(url, env, BlockList));
  const dispatcherFor = (proxy: HttpProxy | null): Dispatcher => {
=======
  const findProxyFor = (url: URL) => (isLoopback(url.hostname) ? null : findProxy(url, env, BlockList));
  const getDispatcher = (proxy: HttpProxy | null): Dispatcher => {
>>>>>>> cc5210c (Write the host's sentences in plain English and name its helpers)
    const key = proxy?.url.href ?? "";
    const known = dispatchers.get(key);
    if (known) return known;
    const tls = ca ? { ca } : {};
    const created = proxy
      ? new ProxyAgent({ uri: proxy.url.href, requestTls: tls, proxyTls: tls })
<<<<<<< HEAD
      : new Agent({ connect: { ...tls, lookup: lookUpHost } });
    dispatchers.set(key, made);
    return made;
=======
      : new Agent({ connect: tls });
    dispatchers.set(key, created);
    return created;
>>>>>>> cc5210c (Write the host's sentences in plain English and name its helpers)
  };
  const guarded = createPublicFetch({ env, ...(ca ? { ca } : {}) });
  return {
    guarded,
    fetch: async (address, init) => {
      const url = new URL(address);
      const proxy = findProxyFor(url);
      const response = await fetch(url, { ...(init as RequestInit), dispatcher: getDispatcher(proxy) }).catch(
        (error: unknown) => {
          throw toProblem(error, url, proxy);
        },
      );
      return response as unknown as Response;
    },
    close: async () => {
      await Promise.allSettled([
        guarded.close(),
        ...[...dispatchers.values()].map((dispatcher) => dispatcher.destroy()),
      ]);
    },
  };
}

<<<<<<< HEAD
/** Names of this machine never leave it; every other name is the resolver's. */
const lookUpHost: LookupFunction = (name, options, callback) =>
  isLoopbackName(name) ? lookUpLoopback(name, options, callback) : lookup(name, options, callback);

/** What is wrong with this machine's proxy or authorities, in the words that the command line has for it; anything else as it was. */
=======
/**
 * Turns an error of this machine's proxy or certificate authorities into the Problem the command line knows; returns
 * any other error unchanged.
 */
>>>>>>> cc5210c (Write the host's sentences in plain English and name its helpers)
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
  const isOurs = problem instanceof Problem && ["TLS_FAILED", "PROXY_INVALID"].includes(problem.code);
  return isOurs ? problem : error;
}
