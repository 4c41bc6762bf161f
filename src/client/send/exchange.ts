import { Problem } from "#protocol/errors";
import type { Incoming, Outgoing } from "../ports.ts";
import { isLoopbackName } from "./origin.ts";

/** Loads a module of Node without the cost of an ESM import, which for `node:http` would load the built-in undici (performance.md). */
export type Builtin = NodeJS.Process["getBuiltinModule"];

/** What is known of an exchange under way. `sent` turns true when the other side may have seen the request. */
export type Exchange = { request: Outgoing; url: URL; signal: AbortSignal; sent: boolean; proxy?: string };

/** One way to carry out an exchange. Rejects with whatever went wrong; `send.ts` words it. */
export type Leg = (exchange: Exchange) => Promise<Incoming>;

/** Largest answer that is read: 32 MiB. Longer ones end the exchange with BAD_ANSWER. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Collects a body up to the limit. */
export function collector(url: URL): { add(chunk: Uint8Array): void; text(): string } {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    add(chunk) {
      size += chunk.length;
      if (size > MAX_ANSWER_BYTES) {
        throw new Problem("BAD_ANSWER", `The answer of ${url.origin} is larger than 32 MiB.`, {
          details: { sent: true },
        });
      }
      chunks.push(chunk);
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

/** Header values as one string each, names in lower case. */
export function flatHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}

type Lookup = import("node:net").LookupFunction;

/**
 * `localhost` is both addresses of this machine, whatever the resolver says, so that a backend that listens on one of them only is found
 * (case H16) and nobody else can answer for the name.
 */
export function lookupFor(url: URL): { lookup: Lookup } | undefined {
  if (!isLoopbackName(url.hostname)) return undefined;
  const lookup: Lookup = (_name, options, callback) => {
    if (options.all) callback(null, LOOPBACK);
    else callback(null, "127.0.0.1", 4);
  };
  return { lookup };
}

const LOOPBACK = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];
