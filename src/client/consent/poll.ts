import type { Timer, Warn } from "#net/ports";
import { sleepOrThrow, throwIfCancelled } from "#net/retry-after";
import { clean } from "#protocol/clean";
import type { StatusResponse } from "#protocol/connections";
import { ERRORS, isErrorCode, Problem } from "#protocol/errors";
import { quoteShellWord } from "#protocol/shell";
import type { Api } from "../api/api.ts";

/** Time between two polls, in ms. */
export const POLL_INTERVAL_MS = 2_500;

/** Options for waiting for a user in the browser. */
export type WaitOptions = {
  clock: Timer;
  /** Ends the wait. Nothing is requested or stored afterwards. */
  signal?: AbortSignal;
  /** When the link expires, in ms since 1970. */
  deadline: number;
  /** Called before each pause with the remaining time, in ms. */
  onTick?(leftMs: number): void;
  /** Called at most once if polls fail and are retried. */
  note?: Warn;
};

export type PollOptions = WaitOptions & {
  api: Pick<Api, "status">;
  /** Name of the service in messages. */
  service: string;
  state: string;
  verifier?: string;
  /** Another way to detect a connection after the first; see `completeConnection`. */
  later?: { guideOnly: boolean; connected(statusKnown: boolean): Promise<boolean> };
};

/**
 * Polls `GET /auth/status/:state` until the consent is completed, denied or expired. Temporary faults (no connection, a
 * gateway's page, invalid data, 429) count as pending; denial, failure, expiry and an unknown state end it at once.
 *
 * @throws Problem AUTHORIZATION_DENIED, AUTHORIZATION_FAILED (or the backend's code, such as SITE_REQUIRED),
 * AUTHORIZATION_EXPIRED, STATE_INVALID, STATE_USED, CANCELLED
 */
export async function pollAuthorization(options: PollOptions): Promise<StatusResponse> {
  const { clock, deadline, later, signal } = options;
  const view: PollState = { statusKnown: false, statusOver: false };
  throwIfCancelled(signal);
  for (;;) {
    const tick = await pollOnce(options, view);
    if (tick.status?.status === "completed") return tick.status;
    if (tick.status && tick.status.status !== "pending") throw toEndProblem(tick.status, options.service);
    if (later && (later.guideOnly || view.statusOver) && (await isConnectedElsewhere(options, view)))
      return { status: "completed" };
    const leftMs = deadline - clock.now();
    if (leftMs <= 0) throw expiredProblem(options.service);
    options.onTick?.(leftMs);
    await sleepOrThrow(clock, Math.min(Math.max(POLL_INTERVAL_MS, tick.waitMs ?? 0), leftMs), signal);
  }
}

/** Whether a fault of one poll says nothing about the consent. */
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

/** The result of the polls so far: whether the status call knows the state, and whether it has no more to report. */
type PollState = { statusKnown: boolean; statusOver: boolean; noted?: true };

async function pollOnce(options: PollOptions, view: PollState): Promise<{ status?: StatusResponse; waitMs?: number }> {
  if (view.statusOver) return {};
  try {
    const status = await options.api.status(options.state, options.verifier, { signal: options.signal });
    view.statusKnown = true;
    return { status };
  } catch (error) {
    if (options.later && isStatusUnavailable(error, options.later.guideOnly && !view.statusKnown)) {
      view.statusOver = true;
      return {};
    }
    return noteFault(error, options, view);
  }
}

/**
 * Whether an error only means that the status call cannot report a later connection: its answer was lost, or the
 * backend never stored the state.
 */
function isStatusUnavailable(error: unknown, neverKnown: boolean): boolean {
  return error instanceof Problem && (error.code === "STATE_USED" || (error.code === "STATE_INVALID" && neverKnown));
}

function noteFault(error: unknown, { note }: PollOptions, view: PollState): { waitMs?: number } {
  if (!isTransientError(error)) throw error;
  if (!view.noted) note?.(`${error.message} Retrying.`);
  view.noted = true;
  const seconds = Number(error.details.retry_after);
  return seconds > 0 ? { waitMs: seconds * 1000 } : {};
}

async function isConnectedElsewhere(options: PollOptions, view: PollState): Promise<boolean> {
  try {
    return (await options.later?.connected(view.statusKnown)) ?? false;
  } catch (error) {
    noteFault(error, options, view);
    return false;
  }
}

/** Formats a service name from the backend for messages. */
export function formatServiceName(service: string): string {
  return clean(service, { lines: false, max: 60 });
}

function toEndProblem(status: StatusResponse, connected: string): Problem {
  const service = formatServiceName(connected);
  const reason = status.message ? ` ${clean(status.message, { lines: false, max: 500 })}` : "";
  const hint = status.hint
    ? clean(status.hint, { lines: false, max: 500 })
    : `Run \`kay connect ${quoteShellWord(connected)}\` to try again.`;
  if (status.status === "denied") {
    // kay's backends only repeat that access was denied.
    const detail = /\bdenied\b/i.test(reason) ? "" : reason;
    return new Problem("AUTHORIZATION_DENIED", `Access to ${service} was denied.${detail}`, { hint });
  }
  if (status.status === "expired") return expiredProblem(connected);
  const code = isErrorCode(status.code) && ERRORS[status.code].status !== 0 ? status.code : "AUTHORIZATION_FAILED";
  const details = { ...(status.code ? { reason: status.code } : {}), ...(status.sites ? { sites: status.sites } : {}) };
  return new Problem(code, reason.trim() || `Could not connect ${service}.`, {
    details,
    ...(code === "AUTHORIZATION_FAILED" || status.hint ? { hint } : {}),
  });
}

function expiredProblem(service: string): Problem {
  return new Problem("AUTHORIZATION_EXPIRED", "The authorization link has expired (links are valid for 10 minutes).", {
    hint: `Run \`kay connect ${quoteShellWord(service)}\` again for a fresh link.`,
  });
}
