import { setTimeout as timer } from "node:timers/promises";
import { parseRetryAfter } from "#net/retry-after";

/** Waits with a real timer. @throws the signal's reason when it aborts */
export async function sleepOrThrow(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await timer(milliseconds, undefined, { signal });
}

/**
 * Returns the ms to wait by `Retry-After`, or until GitHub's `X-RateLimit-Reset` (seconds since the epoch) when no
 * request remains. Returns `undefined` if both are absent or invalid.
 */
export function getRetryAfterMs(headers: Headers, now: number): number | undefined {
  return parseRetryAfter(Object.fromEntries(headers), now) ?? getMsUntilReset(headers, now);
}

function getMsUntilReset(headers: Headers, now: number): number | undefined {
  const reset = Number(headers.get("x-ratelimit-reset") ?? Number.NaN);
  const spent = headers.get("x-ratelimit-remaining") === "0";
  return spent && Number.isFinite(reset) ? Math.max(0, reset * 1000 - now) : undefined;
}

/** Returns the pause after an attempt if the service names none: 0.5 s, 1 s. */
export function getBackoffMs(attempt: number): number {
  return 250 * 2 ** attempt;
}

/** Returns whether a network error proves that the request never left this machine. */
export function wasNeverSent(fault: unknown): boolean {
  for (let error = fault; error instanceof Error; error = error.cause) {
    if (NEVER_SENT.has(String((error as { code?: unknown }).code))) return true;
  }
  return false;
}

const NEVER_SENT = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);
