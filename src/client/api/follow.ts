import { sleepOrThrow } from "#net/sleep";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { NumberedPart } from "#protocol/events";
import { getHost } from "./backend-connection.ts";
import type { Caller } from "./caller.ts";
import { openCallStream } from "./open.ts";
import { createOutage, type Outage } from "./outage.ts";
import { type PartRead, readParts } from "./parts.ts";
import { toAnswerContext } from "./send-call.ts";
import type { Turn } from "./turn.ts";

/** What is followed: an ask until its generation ends, a conversation for as long as the caller wants, or what its log has by now. */
export type FollowOptions = StreamListener & {
  what: "ask" | "conversation" | "log";
  turn: Turn;
  /** Goes with every new connection. */
  query(): Record<string, string>;
  signal?: AbortSignal;
  /** The Idempotency-Key of the ask. */
  key?: string;
};

/** A connection that was held this long, in milliseconds, was one, though it brought nothing. */
const HELD_MS = 10_000;

/**
 * The parts of a conversation over as many connections as it takes: one that is lost is taken up again with `Last-Event-ID`, nothing is
 * lost or doubled.
 *
 * @throws Problem UNREACHABLE after 60 s without a connection; OUTCOME_UNKNOWN for an ask that cannot be taken up again
 */
export async function* followEvents(
  caller: Caller,
  following: FollowOptions,
  first: AsyncIterable<PartRead>,
): AsyncGenerator<NumberedPart> {
  const { turn, what } = following;
  const { clock } = caller.backend;
  const outage = createOutage(caller.backend);
  let connection = first;
  for (;;) {
    const since = clock.now();
    let lost: unknown = new Problem("UNREACHABLE", `${getHost(caller.backend)} ended the stream before its end.`);
    try {
      for await (const read of connection) {
        const part = turn.take(read);
        if (part) {
          outage.end();
          yield part;
        }
        // The log goes on after the generation.
        if (turn.over && connection !== first) return;
      }
      if (turn.over || what === "log") return;
    } catch (error) {
      if (turn.over) return;
      lost = error;
    }
    if (clock.now() - since >= HELD_MS) outage.end();
    connection = await rejoin(caller, following, outage, lostConnection(lost, following));
  }
}

/** Where the log of a conversation is. */
export function buildEventsPath(sessionId: string, query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString();
  return `/sessions/${encodeURIComponent(sessionId)}/events${search ? `?${search}` : ""}`;
}

/** The fault by which a connection was lost; throws what is none. */
function lostConnection(error: unknown, { what, turn }: FollowOptions): Problem {
  if (!(error instanceof Problem) || !["UNREACHABLE", "TIMED_OUT"].includes(error.code)) throw error;
  // Who asked has waited long enough, and is told; who follows a conversation wants to go on.
  if (what === "ask" && error.details.idle) throw withWayBack(error, turn);
  return error;
}

/** The parts after the last one, on a new connection. */
async function rejoin(
  caller: Caller,
  following: FollowOptions,
  outage: Outage,
  lost: Problem,
): Promise<AsyncIterable<PartRead>> {
  const { turn, query, signal, key, note, warn, joined } = following;
  if (turn.sessionId === undefined || turn.last === null) throw unfinished(lost, key);
  if (outage.begin()) note?.("Connection lost, reconnecting.");
  const { sessionId } = turn;
  const headers = { Accept: "text/event-stream", "Last-Event-ID": String(turn.last) };
  let failure = lost;
  for (;;) {
    const wait = outage.pause(Number(failure.details.retry_after ?? 0) * 1000);
    if (wait === null) throw withWayBack(failure, turn);
    await sleepOrThrow(caller.backend.clock, wait, signal);
    const timeoutMs = Math.max(1000, Math.min(caller.timeoutMs, outage.leftMs()));
    const call = { ...caller.get(buildEventsPath(sessionId, query()), signal), headers, timeoutMs, attempts: 1 };
    try {
      const stream = await openCallStream(caller, call);
      joined?.();
      return readParts(stream, toAnswerContext(caller.backend, call), warn);
    } catch (error) {
      failure = passing(error, lost, following);
    }
  }
}

/** The failure of an attempt, if another may be better; throws what it means where not. */
function passing(error: unknown, lost: Problem, { what, key }: FollowOptions): Problem {
  if (!(error instanceof Problem)) throw error;
  const status = Number(error.details.http_status ?? 0);
  if (["UNREACHABLE", "TIMED_OUT", "RATE_LIMITED"].includes(error.code) || status >= 500) return error;
  // A backend that cannot take a stream up again.
  throw what === "ask" && [404, 405].includes(status) ? unfinished(lost, key) : error;
}

function unfinished(lost: Problem, key: string | undefined): Problem {
  return new Problem("OUTCOME_UNKNOWN", `The answer broke off, so it is unknown how much was done. ${lost.message}`, {
    details: { lost: lost.code, ...(key ? { idempotency_key: key } : {}) },
    cause: lost,
  });
}

/** The conversation goes on at the backend: how to get back to it. */
function withWayBack(problem: Problem, { sessionId, last }: Turn): Problem {
  if (sessionId === undefined) return problem;
  const shown = clean(sessionId, { lines: false, max: 100 });
  return new Problem(problem.code, problem.message, {
    hint: `The work goes on at the backend: \`kay attach ${shown}\` follows it, \`kay sessions\` lists all.`,
    details: { ...problem.details, session_id: sessionId, ...(last === null ? {} : { last_event: last }) },
    cause: problem,
  });
}

/** What a stream tells the person beside its parts: `note` that the connection is lost or back, `warn` what of it could not be read. */
export type StreamListener = {
  note?(text: string): void;
  warn?(text: string): void;
  /** A connection stands: the first one, or a new one after one that was lost. */
  joined?(): void;
};
