import { X509Certificate } from "node:crypto";
import { lookup, lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { getCACertificates } from "node:tls";
import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInit } from "undici";
import { wasNeverSent } from "#connectors/http/retry";
import { isLoopbackHost, isLoopbackName } from "#net/addresses";
import { readCertificates } from "#net/authorities";
import { toSendProblem } from "#net/faults";
import type { Fetch, PublicFetch } from "#net/ports";
import { findProxy, type HttpProxy, maskProxy } from "#net/proxy";
import { isPublicAddress } from "#net/public-address";
import { lookUpLoopback } from "#net/transport";
import { Problem } from "#protocol/errors";

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
    const cached = dispatchers.get(key);
    if (cached) return cached;
    const tls = ca ? { ca } : {};
    const dispatcher = proxy
      ? new ProxyAgent({ uri: proxy.url.href, requestTls: tls, proxyTls: tls })
      : new Agent({ connect: { ...tls, lookup: lookUpHost } });
    dispatchers.set(key, dispatcher);
    return dispatcher;
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
  // The proxy refused the connection or is unreachable. After any other error, a request may have been sent.
  const isProxy = proxy && problem.code === "UNREACHABLE" && (!("errno" in problem.details) || wasNeverSent(error));
  return isProxy || ["TLS_FAILED", "PROXY_INVALID"].includes(problem.code) ? problem : error;
}

type ResolvedAddress = { address: string; family: number };

/** Resolves a host name to all of its addresses. */
export type ResolveAddresses = (host: string) => Promise<ResolvedAddress[]>;

type Options = { env: Record<string, string | undefined>; ca?: string[]; resolve?: ResolveAddresses };

/**
 * Creates the HTTP client for addresses that one of many users chose. It only connects to an address it has checked,
 * which defeats DNS rebinding. A proxy resolves the name again and applies its own rules.
 */
export function createPublicFetch({
  env,
  ca,
  resolve = resolveWithSystem,
}: Options): PublicFetch & { close(): Promise<void> } {
  const tls = ca ? { ca } : {};
  const direct = new Agent({ connect: { ...tls, lookup: createGuardedLookup(resolve) } });
  const proxies = new Map<string, Dispatcher>();
  const getDispatcher = async (url: URL): Promise<Dispatcher> => {
    const host = stripBrackets(url.hostname);
    // An IP address does not go through the lookup, so it is checked here.
    if (isIP(host) && !isPublicAddress(host)) throw addressRefusedProblem(host);
    const proxy = findProxy(url, env, BlockList);
    if (!proxy) return direct;
    const addresses = await resolve(host).catch(() => []);
    if (!addresses.every(({ address }) => isPublicAddress(address))) throw addressRefusedProblem(host);
    const agent =
      proxies.get(proxy.url.href) ?? new ProxyAgent({ uri: proxy.url.href, requestTls: tls, proxyTls: tls });
    proxies.set(proxy.url.href, agent);
    return agent;
  };
  return {
    fetch: async (address, init) => {
      const dispatcher = await getDispatcher(new URL(address));
      const response = await fetch(address, { ...(init as RequestInit), dispatcher }).catch((error: unknown) => {
        throw findProblem(error) ?? error;
      });
      return response as unknown as Response;
    },
    addresses: async (host) => {
      if (isIP(host)) return [host];
      return (await resolve(host).catch(() => [])).map(({ address }) => address);
    },
    close: async () => {
      await Promise.allSettled([direct, ...proxies.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** Creates the lookup function of a socket. The socket connects to the address it returns, so the check is here. */
function createGuardedLookup(resolve: ResolveAddresses): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => isPublicAddress(address)))
          return callback(addressRefusedProblem(host), "", 0);
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}

function resolveWithSystem(host: string): Promise<ResolvedAddress[]> {
  return new Promise((give, fail) => {
    systemLookup(host, { all: true, verbatim: true }, (error, addresses) => (error ? fail(error) : give(addresses)));
  });
}

function addressRefusedProblem(host: string): Problem {
  return new Problem(
    "ADDRESS_REFUSED",
    `${host} is not a public address, and this backend connects only to public addresses.`,
    {
      details: { host },
    },
  );
}

/** Returns the Problem among the causes of an HTTP client's error. */
function findProblem(error: unknown): Problem | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) if (inner instanceof Problem) return inner;
  return undefined;
}

function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
