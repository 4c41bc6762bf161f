import * as z from "zod/mini";
import type { Clock, Fetch } from "#net/ports";

/**
 * Sends a request to a server on this machine. The time limit is short, so that an absent server causes no visible
 * delay.
 *
 * @param schema the part of the response to read
 * @param limitMs time limit for the whole exchange
 * @throws on any failure; callers treat it as an absent server
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

/** Time limit for the first byte of a server that may be absent, in ms. */
export const FIRST_BYTE_TIMEOUT_MS = 300;

/** Returns whether a name is safe to display and to send back. Models with other names are ignored. */
export function isModelName(name: string): boolean {
  return /^[\w][\w.:/@+-]{0,199}$/.test(name);
}

/** A model of a server on this machine. */
export type LocalModel = {
  name: string;
  /** The model can call tools and runs on this machine, so it can be used without being named. */
  usable: boolean;
  /** Context window in tokens, as currently loaded. */
  contextWindow?: number;
};

/** A model server on this machine, with its models, the best one first. */
export type LocalServer = { provider: "ollama" | "lmstudio"; url: string; models: LocalModel[] };

export type LocalPorts = { fetch: Fetch; clock: Clock; env: Record<string, string | undefined> };
