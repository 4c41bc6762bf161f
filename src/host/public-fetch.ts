import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInit } from "undici";
import type { PublicFetch } from "#net/ports";
import { findProxy } from "#net/proxy";
import { isPublicAddress } from "#net/public-address";
import { Problem } from "#protocol/errors";

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
    const found = await resolve(host).catch(() => []);
    if (!found.every(({ address }) => isPublicAddress(address))) throw addressRefusedProblem(host);
    const known =
      proxies.get(proxy.url.href) ?? new ProxyAgent({ uri: proxy.url.href, requestTls: tls, proxyTls: tls });
    proxies.set(proxy.url.href, known);
    return known;
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
  return (host, options, done) => {
    resolve(host).then(
      (found) => {
        const [first] = found;
        if (!first || !found.every(({ address }) => isPublicAddress(address)))
          return done(addressRefusedProblem(host), "", 0);
        if (options.all) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, "", 0),
    );
  };
}

function resolveWithSystem(host: string): Promise<ResolvedAddress[]> {
  return new Promise((give, fail) => {
    systemLookup(host, { all: true, verbatim: true }, (error, found) => (error ? fail(error) : give(found)));
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
