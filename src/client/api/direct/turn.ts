import * as z from "zod/mini";
import type { OpenStream } from "#net/ports";
import { sleepOrThrow } from "#net/sleep";
import type { AskStreamResponse, StreamOutcome } from "#protocol/agent";
import { toAgentParts } from "#protocol/agent-parts";
import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { NumberedPart } from "#protocol/events";
import type { Caller } from "../caller.ts";
import type { Call } from "../send-call.ts";
import { AgentStreamError, getAgentHost, streamAgentEvents } from "./agent-stream.ts";
import { createTurnMerger, type TurnMerger } from "./turn-merger.ts";

/** A turn that an agent server carries out, streamed straight from there, beside the log of its conversation. */
export type DirectTurn = {
  sessionId: string;
  generationId: string;
  /** Number of the last event of the conversation before it, where the backend says so. */
  after?: number;
  /** What is shown of a part of the log, of which none may be left out. */
  log(part: NumberedPart): NumberedPart[];
  /**
   * What is shown beside that. The prompt goes out when this is first read. Never fails: what the stream lost comes by the log. Ends when the
   * stream has nothing more to tell.
   */
  parts: AsyncIterable<NumberedPart>;
  /** The log had its begin before this was there, or cannot be had. */
  begin(): NumberedPart[];
  hasBegun(): boolean;
  isOver(): boolean;
  /** The log has ended it too: nothing more of it comes. */
  isClosed(): boolean;
  /** Nobody wants it any more: the stream is closed. */
  end(): void;
};

/** What the turn is made with. `warn` is told when the stream is not what it should be, in one sentence. */
export type TurnPorts = {
  caller: Caller;
  openStream: OpenStream;
  prompt: string;
  signal?: AbortSignal | undefined;
  warn(text: string): void;
};

/** Milliseconds in which what was streamed is to be in the log too, and the log is to say that it is over. */
const KEEP_LIMIT_MS = 5_000;

export function createDirectTurn(ports: TurnPorts, place: AskStreamResponse): DirectTurn {
  const { session_id: sessionId, generation_id: generationId, after } = place;
  const over = new AbortController();
  const splice = createTurnMerger(generationId, getAgentHost(place.stream_url));
  let changed = Promise.withResolvers<void>();
  const world: World = {
    ...ports,
    place,
    splice,
    signal: ports.signal ? AbortSignal.any([ports.signal, over.signal]) : over.signal,
    change: () => changed.promise,
  };
  return {
    sessionId,
    generationId,
    ...(after === undefined ? {} : { after }),
    log(part) {
      const parts = splice.log(part);
      if (splice.isOver()) over.abort();
      changed.resolve();
      changed = Promise.withResolvers();
      return parts;
    },
    parts: stream(world),
    begin: splice.begin,
    hasBegun: splice.hasBegun,
    isOver: splice.isOver,
    isClosed: splice.isClosed,
    end: () => over.abort(),
  };
}

type World = TurnPorts & {
  place: AskStreamResponse;
  splice: TurnMerger;
  signal: AbortSignal;
  /** Resolves with the next part of the log. */
  change(): Promise<void>;
};

async function* stream(world: World): AsyncGenerator<NumberedPart> {
  const { caller, openStream, prompt, place, splice, signal } = world;
  const { baseUrl: backendUrl, version } = caller.backend;
  const { stream_url: streamUrl, stream_token: token } = place;
  const label = getAgentHost(streamUrl);
  const events = streamAgentEvents(openStream, { streamUrl, token, prompt, backendUrl, version, signal });
  try {
    for await (const event of keptOpen(events)) {
      const { parts, end } = toAgentParts(event, label);
      yield* splice.told(parts);
      if (splice.isOver()) return;
      if (end) return yield* conclude(world, end);
    }
    throw new AgentStreamError("ended the stream before the answer was whole", true);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof AgentStreamError)) throw error;
    yield* takenUp(world, error);
  }
}

/** The same events. Whoever leaves them early does not cut the agent server off: it may have to report what it has told. */
async function* keptOpen(events: AsyncGenerator<unknown>): AsyncGenerator<unknown> {
  let done = false;
  try {
    for (;;) {
      const next = await events.next();
      done = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    done = true;
    throw error;
  } finally {
    if (!done) void drain(events).catch(() => {});
  }
}

async function drain(events: AsyncGenerator<unknown>): Promise<void> {
  for await (const _ of events) {
    // Only its end counts, or that the turn is over.
  }
}

/** The stream has ended as it should: what it told is to be in the log, and the log is to end the turn. */
async function* conclude(world: World, end: "finish" | "abort" | Problem): AsyncGenerator<NumberedPart> {
  const { splice, place, warn } = world;
  if (end === "abort") {
    await reportStreamOutcome(world, { outcome: "broken" });
    return yield* splice.toLog();
  }
  const givenUp = splice.givenUp();
  if (!givenUp) yield* splice.toLog();
  const failed = end === "finish" ? undefined : end;
  if (failed) await reportStreamOutcome(world, { outcome: "failed", message: failed.message });
  else if (await until(world, splice.isKept)) await reportStreamOutcome(world, { outcome: "finished" });
  await until(world, splice.isOver);
  if (splice.isOver() || world.signal.aborted) return;
  if (failed) return yield* splice.end({ type: "error", errorText: failed.message, code: failed.code });
  if (!splice.isKept())
    warn(
      `The backend has not heard of this answer from the agent server at ${getAgentHost(place.stream_url)} yet, so the conversation may lack it.`,
    );
  yield* splice.end({ type: "finish", finishReason: "stop" });
}

/** The stream cannot be had, or broke off: the log goes on with the turn. */
async function* takenUp(world: World, { clause, sent }: AgentStreamError): AsyncGenerator<NumberedPart> {
  const { splice, place, warn } = world;
  const host = getAgentHost(place.stream_url);
  const outcome: StreamOutcome["outcome"] = sent ? "broken" : "unsent";
  const heard = await reportStreamOutcome(world, { outcome });
  if (!heard && !sent && !splice.isOver() && !world.signal.aborted) {
    const errorText = `The agent server at ${host} ${clause}, and the backend did not take the request over.`;
    return yield* splice.end({ type: "error", errorText, code: "AGENT_FAILED" });
  }
  if (!splice.givenUp())
    warn(`The agent server at ${host} ${clause}; ${sent ? "the rest" : "the answer"} comes through the backend.`);
  yield* splice.toLog();
}

/** Wait until something is so, for a while. */
async function until({ caller, signal, change, splice }: World, isSo: () => boolean): Promise<boolean> {
  const limit = new AbortController();
  const ended = AbortSignal.any([signal, limit.signal]);
  let late = false;
  const wait = caller.backend.clock.sleep(KEEP_LIMIT_MS, ended).then(
    () => {
      late = true;
    },
    () => {
      late = true;
    },
  );
  while (!isSo() && !late && !splice.isOver()) await Promise.race([change(), wait]);
  limit.abort();
  return isSo();
}

/** Context and bounds are the backend's to carry out; it streams those requests itself. */
export function isStreamableDirectly(request: AskRequest): boolean {
  const { context, confirm, output_schema, max_steps, dry_run, allow } = request;
  const more = [output_schema, max_steps, allow].some((each) => each !== undefined);
  return !more && !confirm && !dry_run && Object.keys(context ?? {}).length === 0;
}

/** Waits before each attempt to tell the backend, in ms. To tell it twice changes nothing. */
const ATTEMPTS_MS = [0, 1_000, 3_000, 10_000, 20_000];

/** `POST /generations/:id/stream`: what became of the stream. Whether the backend took it. */
async function reportStreamOutcome(
  { caller, place, signal }: { caller: Caller; place: { generation_id: string }; signal: AbortSignal },
  outcome: StreamOutcome,
): Promise<boolean> {
  const path = `/generations/${encodeURIComponent(place.generation_id)}/stream`;
  const call: Call = { method: "POST", path, body: outcome, timeoutMs: caller.timeoutMs, signal };
  for (const ms of ATTEMPTS_MS) {
    try {
      if (ms > 0) await sleepOrThrow(caller.backend.clock, ms, signal);
      await caller.read(z.looseObject({}), call, () => caller.bearer(call));
      return true;
    } catch (error) {
      if (signal.aborted || !(error instanceof Problem) || Number(error.details.http_status ?? 500) < 500) return false;
    }
  }
  return false;
}
