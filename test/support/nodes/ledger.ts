import { isDeepStrictEqual } from "node:util";
import type { Came } from "../durable/client.ts";

/** Disturbances of the nodes under load. */
export type Phase = "quiet" | "roll" | "kill" | "stop" | "cut";

/** A message that a user wanted to send. */
export type Write = {
  mark: string;
  generation: string;
  /** Accepted answers to its card. */
  approvals: number;
  /** Its last receipt, and the end of its generation. */
  receipt?: string;
  end?: string;
};

/** A failed request. */
type Failure = { phase: Phase; what: string };

/** The delay of one part: ms from writing to reading, at the node of the request or at the other one. */
type Delay = { ms: number; elsewhere: boolean };

/** Everything that users saw. */
export type Ledger = {
  phase: Phase;
  /** Nobody waits any longer. */
  over: boolean;
  requests: number;
  resumed: number;
  failures: Failure[];
  writes: Write[];
  delays: Delay[];
  /** Parts received in quiet phases, and the length of these phases. */
  quietParts: number;
  quietMs: number;
  ended: Record<string, number>;
  /** Each conversation's parts by number, from the reader that saw most. */
  seen: Map<string, Map<number, unknown>>;
  /** What a user waits for now, and its progress. */
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

/** An open stream: its conversation, whether it is at the other node, and its start (ms). */
type Reading = { session: string; elsewhere: boolean; since: number };

/**
 * Records a part of a stream. Each stream of a conversation has every number once, in order, with the same content.
 *
 * @param last the previous number, on this stream or the one that it resumes
 */
export function notePart(
  ledger: Ledger,
  { session, elsewhere, since }: Reading,
  { number, ...part }: Came,
  last: number,
): void {
  if (number !== last + 1) ledger.faults.push(`${session}: after ${last} came ${number}`);
  const { at, ...told } = part as typeof part & { at: string };
  const knownParts = ledger.seen.get(session) ?? new Map<number, unknown>();
  ledger.seen.set(session, knownParts);
  if (knownParts.has(number) && !isDeepStrictEqual(knownParts.get(number), told))
    ledger.faults.push(`${session}: ${number} is told in two ways`);
  knownParts.set(number, told);
  if (ledger.phase !== "quiet") return;
  ledger.quietParts++;
  // Parts from before the stream was opened say nothing about delay.
  const writtenAt = Date.parse(at);
  if (writtenAt > since) ledger.delays.push({ ms: Date.now() - writtenAt, elsewhere });
}

/** Records that a wish ended. */
export function noteEnd(ledger: Ledger, outcome: string, subject?: string): void {
  if (subject !== undefined) ledger.underWay.delete(subject);
  ledger.ended[outcome] = (ledger.ended[outcome] ?? 0) + 1;
}
