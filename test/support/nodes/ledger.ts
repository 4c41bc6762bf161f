import { isDeepStrictEqual } from "node:util";
import type { Came } from "../durable/client.ts";

/** What happens to the nodes while people work. */
export type Phase = "quiet" | "roll" | "kill" | "stop" | "cut";

/** A message that somebody wanted to be sent. */
export type Write = {
  mark: string;
  generation: string;
  /** Answers to its card that were accepted. */
  approvals: number;
  /** What its last receipt said, and how its generation ended. */
  receipt?: string;
  end?: string;
};

/** A request that did not go as it should. */
type Failure = { phase: Phase; what: string };

/** One part on its way: milliseconds from when it was written to when it was read, at the node of whoever asked or at the other one. */
type Delay = { ms: number; elsewhere: boolean };

/** Everything that people saw. */
export type Ledger = {
  phase: Phase;
  /** Nobody waits any longer. */
  over: boolean;
  requests: number;
  resumed: number;
  failures: Failure[];
  writes: Write[];
  delays: Delay[];
  /** Parts that came in quiet phases, and how long these were. */
  quietParts: number;
  quietMs: number;
  ended: Record<string, number>;
  /** Each conversation's parts by number, as whoever saw most of it saw them. */
  seen: Map<string, Map<number, unknown>>;
  /** What somebody waits for now, and how far it has come. */
  underWay: Map<string, string>;
  /** What must never be. */
  faults: string[];
};

export function newLedger(): Ledger {
  return {
    phase: "quiet",
    over: false,
    requests: 0,
    resumed: 0,
    failures: [],
    writes: [],
    delays: [],
    quietParts: 0,
    quietMs: 0,
    ended: {},
    seen: new Map(),
    underWay: new Map(),
    faults: [],
  };
}

/** A stream that somebody reads: of which conversation, at the other node than the one that was asked, and since when (ms). */
type Reading = { session: string; elsewhere: boolean; since: number };

/**
 * Note a part that came on a stream; each stream of a conversation gives every number once, in order, and every stream the same.
 *
 * @param last the number before, on this stream or the one that it goes on from
 */
export function notePart(
  ledger: Ledger,
  { session, elsewhere, since }: Reading,
  { number, ...part }: Came,
  last: number,
): void {
  if (number !== last + 1) ledger.faults.push(`${session}: after ${last} came ${number}`);
  const { at, ...told } = part as typeof part & { at: string };
  const known = ledger.seen.get(session) ?? new Map<number, unknown>();
  ledger.seen.set(session, known);
  if (known.has(number) && !isDeepStrictEqual(known.get(number), told))
    ledger.faults.push(`${session}: ${number} is told in two ways`);
  known.set(number, told);
  if (ledger.phase !== "quiet") return;
  ledger.quietParts++;
  // What was there before the stream was opened tells nothing of how fast a part travels.
  const written = Date.parse(at);
  if (written > since) ledger.delays.push({ ms: Date.now() - written, elsewhere });
}

/** Something that was wished for came to its end. */
export function noteEnd(ledger: Ledger, how: string, what?: string): void {
  if (what !== undefined) ledger.underWay.delete(what);
  ledger.ended[how] = (ledger.ended[how] ?? 0) + 1;
}
