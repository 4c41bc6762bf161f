/** Longest wait that kay takes upon itself before it repeats a request; what asks for more fails at once and says until when. */
export const MAX_WAIT_MS = 60_000;

/** No two attempts are closer than this. */
const MIN_WAIT_MS = 500;

/**
 * What `Retry-After` asks for, in milliseconds from now: whole seconds or an HTTP date (RFC 9110, 10.2.3). Null for what is absent, past,
 * negative or neither. A date is measured against the answer's own `Date`, so a wrong clock on this machine does not matter.
 */
export function parseRetryAfter(headers: Record<string, string>, now: number): number | null {
  const value = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,15}$/.test(value)) return Number(value) * 1000;
  if (!/^[A-Za-z]{3,9},? .*\d/.test(value)) return null;
  const reference = Date.parse(headers.date ?? "");
  const wait = Date.parse(value) - (Number.isNaN(reference) ? now : reference);
  return wait > 0 ? wait : null;
}

/**
 * How long to wait before the next attempt: what the backend asks for, else one second and then two, a quarter spread by chance so that
 * many clients do not come back together.
 *
 * @param attempt number of the attempt that failed, from 1
 * @param chance from 0 to 1
 */
export function getBackoffMs(attempt: number, asked: number | null, chance: number): number {
  return Math.max(MIN_WAIT_MS, asked ?? 1000 * attempt * (1 + chance / 4));
}

/** A wait in words: `90 s`, `60 min`, or the date where it is longer than a day. */
export function formatWait(ms: number, now: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds <= 120) return `${seconds} s`;
  if (seconds <= 86_400) return `${Math.ceil(seconds / 60)} min`;
  const until = new Date(now + ms);
  return Number.isNaN(until.getTime()) ? `${seconds} s` : `${seconds} s (until ${until.toISOString().slice(0, 10)})`;
}
