import type { Command } from "commander";
import type { Timer } from "#net/ports";
import { Problem } from "#protocol/errors";
import { formatDuration, parseDuration } from "#protocol/time";
import { toLine } from "#ui/text/words";
import type { Kay } from "./kay.ts";

/** The abort reason of `Kay.signal` when the time limit has passed. */
const OVER = "TIMEOUT";

/** Longest delay of a timer, in ms. */
const LONGEST_MS = 24 * 24 * 3_600_000;

/** The time limit of a command: `--timeout`. */
export type TimeLimit = {
  /** Starts the time limit, if the user set one. @throws Problem USAGE */
  begin(command: Command): void;
  /** Stops counting. */
  end(): void;
};

/** Makes `kay.signal` also abort at the time limit that {@link TimeLimit.begin} starts. */
export function createTimeLimit(kay: Kay): TimeLimit {
  const controller = new AbortController();
  const caller = new AbortController();
  kay.signal = AbortSignal.any([kay.signal, controller.signal]);
  return {
    begin(command) {
      const { timeout } = kay.flags;
      if (timeout === undefined) return;
      const ms = getDuration(timeout);
      if (command.name() === "serve" && command.parent?.parent === null)
        throw new Problem("USAGE", "kay serve runs until stopped and does not accept --timeout.");
      kay.clock.sleep(ms, caller.signal).then(
        () => controller.abort(OVER),
        () => {},
      );
    },
    end: () => caller.abort(),
  };
}

/** Whether the command is ending because of its time limit. */
export function isTimedOut({ signal }: Pick<Kay, "signal">): boolean {
  return signal.aborted && signal.reason === OVER;
}

/** The outcome of the work of a command that timed out, and where to check it. */
type TimedOutWork = {
  what?: string;
  hint?: string;
  details?: Record<string, unknown>;
  /** Whether something was or may still be changed, so that the command must not simply be repeated. */
  mayHaveWritten?: boolean;
};

/** Builds the error of a command that timed out. */
export function timedOutProblem(
  { flags }: Pick<Kay, "flags">,
  { what = ".", hint, details, mayHaveWritten = false }: TimedOutWork = {},
): Problem {
  const words = formatDuration(getDuration(flags.timeout ?? ""));
  return new Problem(mayHaveWritten ? "OUTCOME_UNKNOWN" : "TIMED_OUT", `Timed out after ${words}${what}`, {
    hint: hint ?? "Increase the limit with --timeout.",
    details: { ...details, ...(mayHaveWritten ? { sent: true, timed_out: true } : {}) },
  });
}

/** Whether an error is one of {@link timedOutProblem}. */
export function isTimedOutProblem(error: unknown): error is Problem {
  return error instanceof Problem && (error.code === "TIMED_OUT" || error.details.timed_out === true);
}

/** Parses the duration. @throws Problem USAGE */
function getDuration(text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms >= 1 && ms <= LONGEST_MS) return ms;
  throw new Problem("USAGE", `${JSON.stringify(toLine(text))} is not a valid duration for --timeout.`, {
    hint: "Use seconds or a duration such as 30s, 5m or 1h (at most 24 days).",
  });
}

/** Limits a logout at a backend to this time. Returns a Problem instead of a late result. */
export async function withDeadline(clock: Timer, ms: number, work: Promise<Problem | null>): Promise<Problem | null> {
  const controller = new AbortController();
  const late = clock.sleep(ms, controller.signal).then(
    () => new Problem("TIMED_OUT", `The backend did not answer the logout within ${ms / 1_000} s.`),
    () => null,
  );
  return Promise.race([work, late]).finally(() => controller.abort());
}
