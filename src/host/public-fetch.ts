import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInit } from "undici";
import type { PublicFetch } from "#net/ports";
import { findProxy } from "#net/proxy";
import { isPublicAddress } from "#net/public-address";
import { Problem } from "#protocol/errors";

type Found = { address: string; family: number };

/** All addresses of a name, as the system knows them. */
export type ResolveAddresses = (host: string) => Promise<Found[]>;

type Options = { env: Record<string, string | undefined>; ca?: string[]; resolve?: ResolveAddresses };

/**
 * The way out to addresses that one person of many chose. A socket is opened to an address that was looked at, and to no other: a name that
 * resolves to something else a moment later (DNS rebinding) gains nothing. Behind a proxy the proxy resolves once more, and its rules hold.
 */
export function createPublicFetch({
  env,
  ca,
  resolve = systemResolve,
}: Options): PublicFetch & { close(): Promise<void> } {
  const tls = ca ? { ca } : {};
  const direct = new Agent({ connect: { ...tls, lookup: guardedLookup(resolve) } });
  const proxies = new Map<string, Dispatcher>();
  const dispatcherFor = async (url: URL): Promise<Dispatcher> => {
    const host = bare(url.hostname);
    // No lookup is made for what is an address already.
    if (isIP(host) && !isPublicAddress(host)) throw refuse(host);
    const proxy = findProxy(url, env, BlockList);
    if (!proxy) return direct;
    const found = await resolve(host).catch(() => []);
    if (!found.every(({ address }) => isPublicAddress(address))) throw refuse(host);
    const known =
      proxies.get(proxy.url.href) ?? new ProxyAgent({ uri: proxy.url.href, requestTls: tls, proxyTls: tls });
    proxies.set(proxy.url.href, known);
    return known;
  };
  return {
    fetch: async (address, init) => {
      const dispatcher = await dispatcherFor(new URL(address));
      const answer = await fetch(address, { ...(init as RequestInit), dispatcher }).catch((error: unknown) => {
        throw refusalIn(error) ?? error;
      });
      return answer as unknown as Response;
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

/** The lookup of a socket: what it gives is what is connected to, so this is where an address is judged. */
function guardedLookup(resolve: ResolveAddresses): LookupFunction {
  return (host, options, done) => {
    resolve(host).then(
      (found) => {
        const [first] = found;
        if (!first || !found.every(({ address }) => isPublicAddress(address))) return done(refuse(host), "", 0);
        if (options.all) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => done(error, "", 0),
    );
  };
}

function systemResolve(host: string): Promise<Found[]> {
  return new Promise((give, fail) => {
    systemLookup(host, { all: true, verbatim: true }, (error, found) => (error ? fail(error) : give(found)));
  });
}

function refuse(host: string): Problem {
  return new Problem("ADDRESS_REFUSED", `${host} is not a public address, and this backend reaches no other.`, {
    details: { host },
  });
}

/** The refusal that an HTTP client wrapped into its own errors. */
function refusalIn(error: unknown): Problem | undefined {
  for (let inner = error; inner instanceof Error; inner = inner.cause) if (inner instanceof Problem) return inner;
  return undefined;
}

function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
