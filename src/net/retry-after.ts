import { Problem } from "#protocol/errors";
import type { Timer } from "./ports.ts";

/** Longest wait before kay retries a request, in ms. A longer one fails at once and reports the time. */
export const MAX_WAIT_MS = 60_000;

/** Shortest wait between two attempts, in ms. */
const MIN_WAIT_MS = 500;

/**
 * Parses `Retry-After` into ms from now: seconds or an HTTP date (RFC 9110, 10.2.3). Returns null if it is absent, past
 * or invalid. A date is compared with the answer's own `Date`, so a wrong local clock does not matter.
 */
export function parseRetryAfter(headers: Record<string, string>, now: number): number | null {
  const value = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,15}(\.\d+)?$/.test(value)) return Number(value) * 1000;
  if (!/^[A-Za-z]{3,9},? .*\d/.test(value)) return null;
  const reference = Date.parse(headers.date ?? "");
  const wait = Date.parse(value) - (Number.isNaN(reference) ? now : reference);
  return wait > 0 ? wait : null;
}

/**
 * Returns the wait before the next attempt in ms: what the backend asks for, else one second, then two, with up to 25 %
 * of jitter.
 *
 * @param attempt number of the failed attempt, from 1
 * @param chance random number from 0 to 1
 */
export function getBackoffMs(attempt: number, waitMs: number | null, chance: number): number {
  return Math.max(MIN_WAIT_MS, waitMs ?? 1000 * attempt * (1 + chance / 4));
}

const DAY_MS = 86_400_000;

/** Formats a wait: `90 s`, `60 min`, or in days, with the date if the current time is known. */
export function formatWait(ms: number, now?: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds <= 120) return `${seconds} s`;
  if (ms <= DAY_MS) return `${Math.ceil(seconds / 60)} min`;
  if (ms > 366 * DAY_MS) return "more than a year";
  const days = `${Math.ceil(ms / DAY_MS)} days`;
  return now === undefined ? days : `${days} (until ${new Date(now + ms).toISOString().slice(0, 10)})`;
}

/** Sleeps. @throws Problem CANCELLED when the signal ends the sleep */
export async function sleepOrThrow(clock: Pick<Timer, "sleep">, ms: number, signal?: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch((error: unknown) => {
    // A clock may resolve or reject an aborted sleep; both are handled below.
    if (!signal?.aborted) throw error;
  });
  throwIfCancelled(signal);
}

/** Throws CANCELLED if the signal is aborted. */
export function throwIfCancelled(signal?: AbortSignal): void {
  if (signal?.aborted) throw new Problem("CANCELLED", "Canceled.", { details: { sent: false } });
}
