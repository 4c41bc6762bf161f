import * as z from "zod/mini";
import type { OpenStream } from "#net/ports";
import { sleepOrThrow } from "#net/retry-after";
import type { AskStreamResponse, StreamOutcome } from "#protocol/agent";
import { type AgentPart, toAgentParts } from "#protocol/agent-parts";
import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { StreamPart } from "#protocol/events";
import type { NumberedPart } from "#protocol/numbered-parts";
import { hideSecrets } from "#protocol/redact";
import type { Caller } from "../caller.ts";
import { createPartHider } from "../hide-secrets.ts";
import type { Call } from "../send-call.ts";
import { AgentStreamError, getAgentHost, streamAgentEvents } from "./agent-stream.ts";
import { createTurnMerger, type TurnMerger } from "./turn-merger.ts";

/** A turn that is streamed directly from an agent server, beside the log of its conversation. */
export type DirectTurn = {
  sessionId: string;
  generationId: string;
  /** Number of the last event before the turn, if the backend reports it. */
  after?: number;
  /** Returns the parts to show for a part of the log. Must be called for all of them. */
  log(part: NumberedPart): NumberedPart[];
  /**
   * Parts to show in addition to the log. The first read sends the prompt. Never fails: what the stream loses comes
   * from the log. Ends with the stream.
   */
  parts: AsyncIterable<NumberedPart>;
  /** Starts the turn if its start was in the log before, or the log cannot be read. */
  begin(): NumberedPart[];
  hasBegun(): boolean;
  isOver(): boolean;
  /** Whether the log has ended the turn, so that no more parts follow. */
  isClosed(): boolean;
  /** Closes the stream, because no reader is left. */
  end(): void;
};

/** Ports of a turn. `warn` is called with one sentence if the stream fails. */
export type TurnPorts = {
  caller: Caller;
  openStream: OpenStream;
  prompt: string;
  signal?: AbortSignal | undefined;
  warn(text: string): void;
};

/** How long to wait for the log to have everything that was streamed, and for its end of the turn, in ms. */
const KEEP_LIMIT_MS = 5_000;

export function createDirectTurn(ports: TurnPorts, start: AskStreamResponse): DirectTurn {
  const { session_id: sessionId, generation_id: generationId, after } = start;
  const controller = new AbortController();
  const merger = createTurnMerger(generationId, getAgentHost(start.stream_url));
  // The agent server may report the token of its stream too.
  const logHider = createPartHider<StreamPart>([start.stream_token]);
  let changed = Promise.withResolvers<void>();
  const context: TurnContext = {
    ...ports,
    place: start,
    merger: merger,
    signal: ports.signal ? AbortSignal.any([ports.signal, controller.signal]) : controller.signal,
    change: () => changed.promise,
  };
  return {
    sessionId,
    generationId,
    ...(after === undefined ? {} : { after }),
    log({ number, part: streamPart }) {
      const redactedPart = JSON.parse(hideSecrets(JSON.stringify(streamPart), [start.stream_token])) as StreamPart;
      const parts = logHider.take(redactedPart).flatMap((part) => merger.addLogged({ number, part }));
      if (merger.isOver()) controller.abort();
      changed.resolve();
      changed = Promise.withResolvers();
      return parts;
    },
    parts: streamTurn(context),
    begin: merger.begin,
    hasBegun: merger.hasBegun,
    isOver: merger.isOver,
    isClosed: merger.isClosed,
    end: () => controller.abort(),
  };
}

type TurnContext = TurnPorts & {
  place: AskStreamResponse;
  merger: TurnMerger;
  signal: AbortSignal;
  /** Resolves with the next part of the log. */
  change(): Promise<void>;
};

async function* streamTurn(context: TurnContext): AsyncGenerator<NumberedPart> {
  const { caller, openStream, prompt, place, merger, signal } = context;
  const { baseUrl: backendUrl, version } = caller.backend;
  const { stream_url: streamUrl, stream_token: token } = place;
  const label = getAgentHost(streamUrl);
  const hider = createPartHider<AgentPart>([token]);
  const events = streamAgentEvents(openStream, { streamUrl, token, prompt, backendUrl, version, signal });
  try {
    for await (const event of keepOpen(events)) {
      const { parts, end } = toAgentParts(event, label);
      yield* merger.addStreamed([...parts.flatMap(hider.take), ...(end ? hider.end() : [])]);
      if (merger.isOver()) return;
      if (end) return yield* conclude(context, end);
    }
    throw new AgentStreamError("ended the stream before the answer was complete", true);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof AgentStreamError)) throw error;
    yield* continueFromLog(context, error);
  }
}

/**
 * Yields the events, but does not close the stream when its reader leaves early: the agent server may still have to
 * report.
 */
async function* keepOpen(events: AsyncGenerator<unknown>): AsyncGenerator<unknown> {
  let isDone = false;
  try {
    for (;;) {
      const next = await events.next();
      isDone = next.done === true;
      if (next.done) return;
      yield next.value;
    }
  } catch (error) {
    isDone = true;
    throw error;
  } finally {
    if (!isDone) void drain(events).catch(() => {});
  }
}

async function drain(events: AsyncGenerator<unknown>): Promise<void> {
  for await (const _ of events) {
    // Only the end matters.
  }
}

/** Handles a regular end of the stream: waits for the log to have everything and to end the turn. */
async function* conclude(context: TurnContext, end: "finish" | "abort" | Problem): AsyncGenerator<NumberedPart> {
  const { merger, place, warn } = context;
  if (end === "abort") {
    await reportStreamOutcome(context, { outcome: "broken" });
    return yield* merger.switchToLog();
  }
  const givenUp = merger.getLoggedError();
  if (!givenUp) yield* merger.switchToLog();
  const problem = end === "finish" ? undefined : end;
  if (problem) await reportStreamOutcome(context, { outcome: "failed", message: problem.message });
  else if (await waitUntil(context, merger.isLogged)) await reportStreamOutcome(context, { outcome: "finished" });
  await waitUntil(context, merger.isOver);
  if (merger.isOver() || context.signal.aborted) return;
  if (problem) return yield* merger.end({ type: "error", errorText: problem.message, code: problem.code });
  if (!merger.isLogged())
    warn(
      `The backend has not yet received this answer from the agent server at ${getAgentHost(place.stream_url)}, so the conversation may lack it.`,
    );
  yield* merger.end({ type: "finish", finishReason: "stop" });
}

/** Handles a stream that failed: the log continues the turn. */
async function* continueFromLog(
  context: TurnContext,
  { clause, sent }: AgentStreamError,
): AsyncGenerator<NumberedPart> {
  const { merger, place, warn } = context;
  const host = getAgentHost(place.stream_url);
  const outcome: StreamOutcome["outcome"] = sent ? "broken" : "unsent";
  const isReported = await reportStreamOutcome(context, { outcome });
  if (!isReported && !sent && !merger.isOver() && !context.signal.aborted) {
    const errorText = `The agent server at ${host} ${clause}, and the backend did not take over the request.`;
    return yield* merger.end({ type: "error", errorText, code: "AGENT_FAILED" });
  }
  if (!merger.getLoggedError())
    warn(`The agent server at ${host} ${clause}; ${sent ? "the rest" : "the answer"} comes through the backend.`);
  yield* merger.switchToLog();
}

/** Waits until a condition holds, up to `KEEP_LIMIT_MS`. */
async function waitUntil({ caller, signal, change, merger }: TurnContext, isSo: () => boolean): Promise<boolean> {
  const limit = new AbortController();
  const anySignal = AbortSignal.any([signal, limit.signal]);
  let late = false;
  const wait = caller.backend.clock.sleep(KEEP_LIMIT_MS, anySignal).then(
    () => {
      late = true;
    },
    () => {
      late = true;
    },
  );
  while (!isSo() && !late && !merger.isOver()) await Promise.race([change(), wait]);
  limit.abort();
  return isSo();
}

/** Whether an agent server can answer a request directly. The backend must handle context and limits itself. */
export function isStreamableDirectly(request: AskRequest): boolean {
  const { context, confirm, output_schema, max_steps, dry_run, allow, attachments } = request;
  const hasMore = [output_schema, max_steps, allow, attachments].some((option) => option !== undefined);
  return !hasMore && !confirm && !dry_run && Object.keys(context ?? {}).length === 0;
}

/** Pauses before each attempt to report to the backend, in ms. A repeated report changes nothing. */
const ATTEMPTS_MS = [0, 1_000, 3_000, 10_000, 20_000];

/** `POST /generations/:id/stream`: reports how the stream ended. Returns whether the backend accepted the report. */
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
