import type { Timer, Warn } from "#net/ports";
import { sleepOrThrow, throwIfCancelled } from "#net/sleep";
import { clean } from "#protocol/clean";
import type { StatusResponse } from "#protocol/connections";
import { ERRORS, isErrorCode, Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { Api } from "../api/api.ts";

/** Between two polls, in milliseconds (guide: 2 to 3 seconds). */
export const POLL_INTERVAL_MS = 2_500;

/** What every wait for a person in a browser needs. */
export type WaitOptions = {
  clock: Timer;
  /** Ends the wait; nothing is asked or stored after it. */
  signal?: AbortSignal;
  /** When the link dies, ms since 1970. */
  deadline: number;
  /** Called before each pause with the time that is left, in milliseconds. */
  onTick?(leftMs: number): void;
  /** Told at most once that polls fail and go on. */
  note?: Warn;
};

export type PollOptions = WaitOptions & {
  api: Pick<Api, "status">;
  /** For the sentences. */
  service: string;
  state: string;
  verifier?: string;
  /** For a connection besides the first: another way to see that it stands. See `completeConnection`. */
  later?: { guideOnly: boolean; connected(statusKnown: boolean): Promise<boolean> };
};

/**
 * Poll `GET /auth/status/:state` until the consent is finished, refused or dead. A poll that fails in passing — no connection, a gateway's
 * page, something garbled, 429 — counts as pending (case A12); denial, failure, expiry and an unknown state end it at once (A16).
 *
 * @throws Problem AUTHORIZATION_DENIED, AUTHORIZATION_FAILED (or the code the backend gives, as SITE_REQUIRED), AUTHORIZATION_EXPIRED,
 * STATE_INVALID, STATE_USED, CANCELLED
 */
export async function pollAuthorization(options: PollOptions): Promise<StatusResponse> {
  const { clock, deadline, later, signal } = options;
  const view: View = { statusKnown: false, statusOver: false };
  throwIfCancelled(signal);
  for (;;) {
    const tick = await pollOnce(options, view);
    if (tick.status?.status === "completed") return tick.status;
    if (tick.status && tick.status.status !== "pending") throw getEnd(tick.status, options.service);
    if (later && (later.guideOnly || view.statusOver) && (await seenElsewhere(options, view)))
      return { status: "completed" };
    const left = deadline - clock.now();
    if (left <= 0) throw expire(options.service);
    options.onTick?.(left);
    await sleepOrThrow(clock, Math.min(Math.max(POLL_INTERVAL_MS, tick.waitMs ?? 0), left), signal);
  }
}

/** Faults of one poll that say nothing about the consent. */
export function isTransientError(error: unknown): error is Problem {
  const codes = [
    "UNREACHABLE",
    "TIMED_OUT",
    "TLS_FAILED",
    "BAD_GATEWAY",
    "BAD_ANSWER",
    "RATE_LIMITED",
    "INTERNAL",
    "DATABASE_UNAVAILABLE",
  ];
  return error instanceof Problem && codes.includes(error.code);
}

/** What the polls have shown: whether the status call knows the state, and whether it has no more to tell. */
type View = { statusKnown: boolean; statusOver: boolean; noted?: true };

async function pollOnce(options: PollOptions, view: View): Promise<{ status?: StatusResponse; waitMs?: number }> {
  if (view.statusOver) return {};
  try {
    const status = await options.api.status(options.state, options.verifier, { signal: options.signal });
    view.statusKnown = true;
    return { status };
  } catch (error) {
    if (options.later && isSilent(error, options.later.guideOnly && !view.statusKnown)) {
      view.statusOver = true;
      return {};
    }
    return passOver(error, options, view);
  }
}

/** A state handed out already (its answer was lost), or one the guide's backend never kept: for a later connection not the end. */
function isSilent(error: unknown, neverKnown: boolean): boolean {
  return error instanceof Problem && (error.code === "STATE_USED" || (error.code === "STATE_INVALID" && neverKnown));
}

function passOver(error: unknown, { note }: PollOptions, view: View): { waitMs?: number } {
  if (!isTransientError(error)) throw error;
  if (!view.noted) note?.(`${error.message} Retrying.`);
  view.noted = true;
  const asked = Number(error.details.retry_after);
  return asked > 0 ? { waitMs: asked * 1000 } : {};
}

async function seenElsewhere(options: PollOptions, view: View): Promise<boolean> {
  try {
    return (await options.later?.connected(view.statusKnown)) ?? false;
  } catch (error) {
    passOver(error, options, view);
    return false;
  }
}

/** The name of a service for sentences; it came from the backend. */
export function formatServiceName(service: string): string {
  return clean(service, { lines: false, max: 60 });
}

function getEnd(status: StatusResponse, connected: string): Problem {
  const service = formatServiceName(connected);
  const said = status.message ? ` ${clean(status.message, { lines: false, max: 500 })}` : "";
  const hint = `Run \`kay connect ${quoteShellWord(connected)}\` to try again.`;
  if (status.status === "denied") {
    // kay's own backends say the same again in the guide's words.
    const more = /\bdenied\b/i.test(said) ? "" : said;
    return new Problem("AUTHORIZATION_DENIED", `Access to ${service} was denied.${more}`, { hint });
  }
  if (status.status === "expired") return expire(connected);
  const code = isErrorCode(status.code) && ERRORS[status.code].status !== 0 ? status.code : "AUTHORIZATION_FAILED";
  const details = { ...(status.code ? { reason: status.code } : {}), ...(status.sites ? { sites: status.sites } : {}) };
  return new Problem(code, said.trim() || `${service} could not be connected.`, {
    details,
    ...(code === "AUTHORIZATION_FAILED" ? { hint } : {}),
  });
}

function expire(service: string): Problem {
  return new Problem("AUTHORIZATION_EXPIRED", "The authorization link has expired (links are valid for 10 minutes).", {
    hint: `Run \`kay connect ${quoteShellWord(service)}\` again for a fresh link.`,
  });
}
