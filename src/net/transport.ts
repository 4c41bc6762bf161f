import { isLoopbackName } from "./addresses.ts";
import type { Outgoing } from "./ports.ts";

/** Loads a Node module without an ESM import, which for `node:http` would also load the built-in undici. */
export type LoadBuiltin = NodeJS.Process["getBuiltinModule"];

/** Ports of a transport. */
export type TransportPorts = { builtin: LoadBuiltin; env: Record<string, string | undefined> };

/** State of a running exchange. `sent` becomes true once the request may have arrived. */
export type Exchange = {
  request: Pick<Outgoing, "method" | "headers" | "body">;
  url: URL;
  signal: AbortSignal;
  sent: boolean;
  /** Whether the head of the answer has arrived. */
  answered?: boolean;
  proxy?: string;
  /** Returns which part of this machine's network is missing, given an error code. */
  findMissingNetwork?(code: string): MissingNetwork;
  /** Returns why the file in NODE_EXTRA_CA_CERTS is unusable, if it is. */
  findExtraCaProblem?(): string | null;
};

/** An answer that is still arriving. Leaving the body's loop closes the connection. */
export type StreamedAnswer = { status: number; headers: Record<string, string>; body: AsyncIterable<Uint8Array> };

/** Runs an exchange until its signal ends it. Rejects with the raw error, which `faults.ts` describes. */
export type Transport = (exchange: Exchange) => Promise<StreamedAnswer>;

/** Joins header values into one string each, with lowercase names. */
export function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}

/** Time limit for connecting in ms: name lookup, socket, proxy and TLS together. */
export const CONNECT_TIMEOUT_MS = 10_000;

type Lookup = import("node:net").LookupFunction;

/**
 * Resolves `localhost` to both addresses of this machine without a resolver, so that a backend on either is found and
 * no other host can claim the name.
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

/** Which part of the network is missing: everything, IPv6 only, or unknown (null). */
export type MissingNetwork = "network" | "ipv6" | null;
