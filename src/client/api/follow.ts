import { sleepOrThrow } from "#net/retry-after";
import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import type { NumberedPart } from "#protocol/numbered-parts";
import { shortenId } from "#protocol/short-id";
import { type BackendConnection, getHost } from "./backend-connection.ts";
import type { Caller } from "./caller.ts";
import { openCallStream } from "./open.ts";
import { type PartRead, readParts } from "./parts.ts";
import { toAnswerContext } from "./send-call.ts";
import type { Turn } from "./turn.ts";

/**
 * What to follow: an ask until its generation ends, a conversation until the caller stops, or the current content of
 * its log.
 */
export type FollowOptions = StreamListener & {
  what: "ask" | "conversation" | "log";
  turn: Turn;
  /** Query parameters of every new connection. */
  query(): Record<string, string>;
  signal?: AbortSignal;
  /** The Idempotency-Key of the ask. */
  key?: string;
  /**
   * Whether the first connection also reads the log, which may continue after the ask, instead of the ask's own stream.
   */
  startsInLog?: boolean;
};

/** A connection that lasted this long, in ms, counts as successful even without parts. */
const STABLE_MS = 10_000;

/**
 * Yields the parts of a conversation over as many connections as needed. Resumes a lost connection with
 * `Last-Event-ID`, so that no part is lost or repeated.
 *
 * @throws Problem for a conversation UNREACHABLE after 60 s without a connection; for an ask always OUTCOME_UNKNOWN,
 * because the backend accepted it, and sending it again could repeat its changes
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
    let lost: unknown = new Problem("UNREACHABLE", `${getHost(caller.backend)} ended the stream early.`);
    try {
      for await (const read of connection) {
        const part = turn.take(read);
        if (part) {
          outage.end();
          yield part;
        }
        // The log may continue after the generation.
        if (turn.over && (connection !== first || following.startsInLog)) return;
      }
      if (turn.over || what === "log") return;
    } catch (error) {
      if (turn.over) return;
      lost = error;
    }
    if (clock.now() - since >= STABLE_MS) outage.end();
    try {
      connection = await rejoin(caller, following, outage, toLostConnection(lost, following));
    } catch (error) {
      throw what === "ask" ? toUnknownOutcome(error, turn, following.key) : error;
    }
  }
}

/** Builds the path of a conversation's log. */
export function buildEventsPath(sessionId: string, query: Record<string, string>): string {
  const search = new URLSearchParams(query).toString();
  return `/sessions/${encodeURIComponent(sessionId)}/events${search ? `?${search}` : ""}`;
}

/** Returns the error that interrupted the connection; throws any other error. */
function toLostConnection(error: unknown, { what }: FollowOptions): Problem {
  if (!(error instanceof Problem) || !["UNREACHABLE", "TIMED_OUT"].includes(error.code)) throw error;
  // An ask that was silent too long ends with an error; a followed conversation continues.
  if (what === "ask" && error.details.idle) throw error;
  return error;
}

/** Opens a new connection for the parts after the last one. */
async function rejoin(
  caller: Caller,
  following: FollowOptions,
  outage: Outage,
  lost: Problem,
): Promise<AsyncIterable<PartRead>> {
  const { turn, query, signal, key, note, warn, onConnect: joined } = following;
  if (turn.sessionId === undefined || turn.last === null) throw outcomeUnknownProblem(lost, key);
  if (outage.begin()) note?.("Connection lost, reconnecting.");
  const { sessionId } = turn;
  const headers = { Accept: "text/event-stream", "Last-Event-ID": String(turn.last) };
  let failure = lost;
  for (;;) {
    const wait = outage.pause(Number(failure.details.retry_after ?? 0) * 1000);
    if (wait === null) throw withAttachHint(failure, turn);
    await sleepOrThrow(caller.backend.clock, wait, signal);
    const timeoutMs = Math.max(1000, Math.min(caller.timeoutMs, outage.leftMs()));
    const call = { ...caller.get(buildEventsPath(sessionId, query()), signal), headers, timeoutMs, attempts: 1 };
    try {
      const stream = await openCallStream(caller, call);
      joined?.();
      return readParts(stream, toAnswerContext(caller.backend, call), warn);
    } catch (error) {
      failure = toRetryableError(error, lost, following);
    }
  }
}

/** Returns the error of an attempt that may be retried; throws any other error. */
function toRetryableError(error: unknown, lost: Problem, { what, key }: FollowOptions): Problem {
  if (!(error instanceof Problem)) throw error;
  const status = Number(error.details.http_status ?? 0);
  if (["UNREACHABLE", "TIMED_OUT", "RATE_LIMITED"].includes(error.code) || status >= 500) return error;
  // The backend cannot resume a stream.
  throw what === "ask" && [404, 405].includes(status) ? outcomeUnknownProblem(lost, key) : error;
}

/**
 * Returns the error for an accepted request whose end cannot be read. An error that does not invite a retry keeps its
 * code.
 */
export function toUnknownOutcome(error: unknown, position: Position, key?: string): unknown {
  const keeps = !(error instanceof Problem) || error.exit === 1 || error.code === "CANCELLED";
  return keeps ? error : withAttachHint(outcomeUnknownProblem(error, key), position);
}

/** How far a conversation was read. */
type Position = Pick<Turn, "sessionId" | "last">;

function outcomeUnknownProblem(lost: Problem, key: string | undefined): Problem {
  return new Problem("OUTCOME_UNKNOWN", `The answer broke off, so it is unknown how much was done. ${lost.message}`, {
    details: { sent: true, lost: lost.code, ...(key ? { idempotency_key: key } : {}) },
    cause: lost,
  });
}

/** Adds a hint for returning to the conversation, which continues on the backend. */
function withAttachHint(problem: Problem, { sessionId, last }: Position): Problem {
  if (sessionId === undefined) return problem;
  const label = shortenId(clean(sessionId, { lines: false, max: 100 }));
  return new Problem(problem.code, problem.message, {
    hint: `The backend continues the work. Run \`kay attach ${label}\` to follow it, or \`kay sessions\` to list all conversations.`,
    details: { ...problem.details, session_id: sessionId, ...(last === null ? {} : { last_event: last }) },
    cause: problem,
  });
}

/** Receives messages beside the parts: `note` for a lost or restored connection, `warn` for unreadable data. */
export type StreamListener = {
  note?(text: string): void;
  warn?(text: string): void;
  /** Called for the first connection, and for each one after a lost connection. */
  onConnect?(): void;
};

/** Longest time without a connection before giving up, in ms. */
const LIMIT_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 15_000;

/** A time without a connection: how long to wait before each attempt, and when to give up. */
type Outage = {
  /** Starts an outage and returns true, unless one has started already. */
  begin(): boolean;
  /** Returns the pause before the next attempt in ms, at least `askedMs`; null to give up. */
  pause(askedMs: number): number | null;
  /** Returns the ms until it is time to give up. */
  leftMs(): number;
  end(): void;
};

function createOutage({ clock, random }: Pick<BackendConnection, "clock" | "random">): Outage {
  let since: number | null = null;
  let attempts = 0;
  const getTimeLeft = () => (since ?? clock.now()) + LIMIT_MS - clock.now();
  return {
    begin() {
      const begins = since === null;
      since ??= clock.now();
      return begins;
    },
    pause(askedMs) {
      const spread = 1 + (random(1)[0] ?? 0) / 1020;
      const growing = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts) * spread;
      attempts += 1;
      return getTimeLeft() <= askedMs ? null : Math.min(getTimeLeft(), Math.max(askedMs, growing));
    },
    leftMs: getTimeLeft,
    end() {
      since = null;
      attempts = 0;
    },
  };
}
