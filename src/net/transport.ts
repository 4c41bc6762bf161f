import { isLoopbackName } from "./addresses.ts";
import type { Outgoing } from "./ports.ts";

/** Loads a module of Node without the cost of an ESM import, which for `node:http` would load the built-in undici (performance.md). */
export type LoadBuiltin = NodeJS.Process["getBuiltinModule"];

/** What the ways out are made with. */
export type TransportPorts = { builtin: LoadBuiltin; env: Record<string, string | undefined> };

/** What is known of an exchange under way. `sent` turns true when the other side may have seen the request. */
export type Exchange = {
  request: Pick<Outgoing, "method" | "headers" | "body">;
  url: URL;
  signal: AbortSignal;
  sent: boolean;
  /** The head of the answer is there. */
  answered?: boolean;
  proxy?: string;
  /** What a fault with this code says about this machine's own network. */
  lack?(code: string): MissingNetwork;
  /** Why the authorities of NODE_EXTRA_CA_CERTS are not among those that are trusted, if that is so. */
  extraFault?(): string | null;
};

/** An answer under way: its head, and its body as it comes. Whoever leaves the body's loop closes the connection. */
export type StreamedAnswer = { status: number; headers: Record<string, string>; body: AsyncIterable<Uint8Array> };

/** One way to carry out an exchange, until its signal ends it. Rejects with whatever went wrong; `faults.ts` words it. */
export type Transport = (exchange: Exchange) => Promise<StreamedAnswer>;

/** Header values as one string each, names in lower case. */
export function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}

/** Limit for a connection that does not come about, in milliseconds: name, socket, proxy and TLS together. */
export const CONNECT_TIMEOUT_MS = 10_000;

type Lookup = import("node:net").LookupFunction;

/**
 * `localhost` is both addresses of this machine, whatever the resolver says, so that a backend that listens on one of them only is found
 * (case H16) and nobody else can answer for the name.
 */
export function createLookup(url: URL): { lookup: Lookup } | undefined {
  return isLoopbackName(url.hostname) ? { lookup: lookUpLoopback } : undefined;
}

/** Resolves any name to this machine without asking a resolver. */
export const lookUpLoopback: Lookup = (_name, options, callback) => {
  if (options.all) callback(null, LOOPBACK);
  else callback(null, "127.0.0.1", 4);
};

const LOOPBACK = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** What of the network this machine lacks: all of it, IPv6 alone, or nothing that can be told. */
export type MissingNetwork = "network" | "ipv6" | null;
