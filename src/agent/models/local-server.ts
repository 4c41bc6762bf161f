import * as z from "zod/mini";
import type { Clock, Fetch } from "#net/ports";

/**
 * Ask a server on this machine, within a limit that nobody notices when nothing listens there.
 *
 * @param schema what of the answer is read
 * @param limitMs for the whole exchange
 * @throws anything: whoever looks for a server takes every failure as its absence
 */
export async function fetchLocal<T extends z.core.$ZodType>(
  fetch: Fetch,
  url: string,
  { schema, limitMs, body }: { schema: T; limitMs: number; body?: unknown },
): Promise<z.core.output<T>> {
  const signal = AbortSignal.timeout(limitMs);
  const post = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const answer = await fetch(url, { signal, redirect: "error", ...(body === undefined ? {} : post) });
  if (!answer.ok) {
    await answer.body?.cancel();
    throw new Error(`HTTP ${answer.status}`);
  }
  return z.parse(schema, await answer.json());
}

/** Limit for the first word of a server that may not be there, in ms. */
export const FIRST_BYTE_TIMEOUT_MS = 300;

/** A name that can be told to people and sent back; others are left out. */
export function isModelName(name: string): boolean {
  return /^[\w][\w.:/@+-]{0,199}$/.test(name);
}

/** One model of a server on this machine. */
export type LocalModel = {
  name: string;
  /** It can call tools and needs no other machine: it may answer without having been named. */
  usable: boolean;
  /** Tokens that it takes at once as it is loaded now. */
  contextWindow?: number;
};

/** A server of models that was found, with its models, the best first. */
export type LocalServer = { provider: "ollama" | "lmstudio"; url: string; models: LocalModel[] };

export type LocalPorts = { fetch: Fetch; clock: Clock; env: Record<string, string | undefined> };
