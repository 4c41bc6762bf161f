import type { Incoming, Streaming } from "#net/ports";
import { AskStreamResponse, DIRECT_HEADER } from "#protocol/agent";
import { type AskRequest, AskResponse } from "#protocol/ask";
import { type NumberedPart, SESSION_HEADER } from "#protocol/numbered-parts";
import { createIdempotencyKey, getHost } from "./backend-connection.ts";
import type { Caller } from "./caller.ts";
import type { DirectTurn } from "./direct/turn.ts";
import { isStreamableDirectly } from "./direct/turn.ts";
import { buildEventsPath, followEvents, type StreamListener } from "./follow.ts";
import { checkComplete, recoverStream, type StreamPosition, truncatedProblem } from "./lost-answers.ts";
import { openCall, openCallStream } from "./open.ts";
import { type PartRead, readParts } from "./parts.ts";
import { type Call, toAnswerContext } from "./send-call.ts";
import { createTurn } from "./turn.ts";

/** Calls that return the parts of a conversation as they arrive. */
export type StreamCalls = {
  /**
   * `POST /ask` as a stream, sent once. Returns an `answer` like `ask` if the backend does not stream, or if the stream
   * broke off before its first part and the answer was looked up. `parts` end with the generation. A lost connection is
   * resumed without losing or repeating parts; parts without a number get one after the previous part.
   *
   * @throws Problem OUTCOME_UNKNOWN as in `ask`; from `parts`, UNREACHABLE after 60 s without a connection, TIMED_OUT
   * after 120 s without data
   */
  askStream(request: AskRequest, options?: AskStreamOptions): Promise<AskStream>;
  /**
   * Like `askStream`, for callers that follow the conversation anyway. A turn of an agent server is returned
   * separately, to be joined with the log.
   */
  askTurn(request: AskRequest, options?: AskTurnOptions): Promise<AskStream | { kind: "turn"; turn: DirectTurn }>;
  /**
   * `GET /sessions/:id/events`: yields the parts after number `after` and then new ones, over lost connections, until
   * the caller or the signal stops it. With `live: false`, only existing parts.
   */
  events(sessionId: string, options?: EventsOptions): AsyncIterable<NumberedPart>;
};

type AskTurnOptions = StreamListener & { signal?: AbortSignal; idempotencyKey?: string };

export type AskStreamOptions = AskTurnOptions & {
  /** Stream directly from the backend's agent server, if it has one and the request allows it. */
  direct?: boolean;
};

export type EventsOptions = StreamListener & {
  after?: number;
  live?: boolean;
  signal?: AbortSignal;
  /** The client that follows, visible to others as long as it does. */
  client?: FollowingClient;
};

/** Read again for each new connection, so that changes are reported. */
type FollowingClient = { id: string; name?: string; interaction?: { supported: boolean; enabled: boolean } };

type FollowerOptions = { signal?: AbortSignal; key: string; client: AskRequest["client"] };

export type AskStream =
  | { kind: "answer"; answer: AskResponse }
  | { kind: "stream"; sessionId?: string; parts: AsyncIterable<NumberedPart> };

/** Opens the stream of an ask; see {@link StreamCalls}. Returns `direct` if an agent server streams it. */
export async function openAskStream(
  caller: Caller,
  request: AskRequest,
  options: AskStreamOptions = {},
): Promise<AskStream | { kind: "direct"; place: AskStreamResponse }> {
  const { backend } = caller;
  const { signal, idempotencyKey: givenKey, direct: isDirect = false, ...listener } = options;
  const direct = isDirect && isStreamableDirectly(request) && backend.openElsewhere !== undefined;
  const key = givenKey ?? createIdempotencyKey(backend);
  const accepted = { Accept: "text/event-stream, application/json", "Idempotency-Key": key };
  const headers = direct ? { ...accepted, [DIRECT_HEADER]: "1" } : accepted;
  const timeoutMs = caller.askTimeoutMs;
  const call: Call = { method: "POST", path: "/ask", route: "ask", body: request, headers, timeoutMs, signal };
  let answer: Incoming;
  try {
    const openedCall = await openCall(caller, call);
    if ("stream" in openedCall) {
      const first = await readFirstPart(caller, call, openedCall.stream, listener);
      const sessionId = openedCall.stream.headers[SESSION_HEADER] || (request.session_id ?? undefined);
      const turn = createTurn({ sessionId, last: null });
      const following = {
        what: "ask",
        turn,
        query: () => toClientQuery(request.client),
        signal,
        key,
        ...listener,
      } as const;
      return { kind: "stream", sessionId, parts: followEvents(caller, following, first) };
    }
    answer = checkComplete(backend, openedCall.answer);
  } catch (error) {
    const recovery = await recoverStream(backend, call, key, error, () => caller.outcome(key, { signal }));
    if ("sessionId" in recovery) {
      listener.note?.("Connection lost. The request is still running; following it.");
      return {
        kind: "stream",
        sessionId: recovery.sessionId,
        parts: followFromLog(caller, recovery, { signal, key, client: request.client, ...listener }),
      };
    }
    answer = recovery;
  }
  if (direct && answer.body.includes('"stream_url"'))
    return { kind: "direct", place: await caller.read(AskStreamResponse, call, async () => answer) };
  return { kind: "answer", answer: await caller.read(AskResponse, call, async () => answer) };
}

/** Follows an ask whose stream never arrived in the log of its conversation. */
async function* followFromLog(
  caller: Caller,
  { sessionId, after }: StreamPosition,
  { signal, key, client, ...listener }: StreamListener & FollowerOptions,
): AsyncGenerator<NumberedPart> {
  const query = () => toClientQuery(client);
  const path = buildEventsPath(sessionId, { after: String(after), ...query() });
  const call: Call = { ...caller.get(path, signal), headers: { Accept: "text/event-stream" } };
  const turn = createTurn({ sessionId, last: after });
  const stream = await openCallStream(caller, call);
  const following = { what: "ask", startsInLog: true, turn, query, signal, key, ...listener } as const;
  yield* followEvents(caller, following, readParts(stream, toAnswerContext(caller.backend, call), listener.warn));
}

/** Yields the events of a conversation; see {@link StreamCalls}. */
export async function* openEvents(
  caller: Caller,
  sessionId: string,
  { after = 0, live = true, signal, client, ...listener }: EventsOptions = {},
): AsyncGenerator<NumberedPart> {
  const toQuery = () => ({ ...(live ? {} : { live: "false" }), ...toClientQuery(client) });
  const path = buildEventsPath(sessionId, { after: String(Math.floor(after)), ...toQuery() });
  const call: Call = { ...caller.get(path, signal), headers: { Accept: "text/event-stream" } };
  const stream = await openCallStream(caller, call);
  listener.onConnect?.();
  const turn = createTurn({ sessionId, last: after, whole: true });
  const following = { what: live ? "conversation" : "log", turn, query: toQuery, signal, ...listener } as const;
  yield* followEvents(caller, following, readParts(stream, toAnswerContext(caller.backend, call), listener.warn));
}

function toClientQuery(client?: FollowingClient): Record<string, string> {
  if (!client) return {};
  const { id, name, interaction } = client;
  return { client: id, ...(name ? { name } : {}), ...(interaction ? { interaction: formatMode(interaction) } : {}) };
}

function formatMode({ supported, enabled }: NonNullable<FollowingClient["interaction"]>): string {
  return supported ? (enabled ? "enabled" : "disabled") : "unsupported";
}

/** Waits for the first part, because only then can a stream be resumed. A stream without parts is a lost answer. */
async function readFirstPart(
  caller: Caller,
  call: Call,
  stream: Streaming,
  { warn }: StreamListener,
): Promise<AsyncGenerator<PartRead>> {
  const parts = readParts(stream, toAnswerContext(caller.backend, call), warn);
  const { value: first, done } = await parts.next();
  if (!done && first !== "done") return prependPart(first, parts);
  stream.close();
  throw truncatedProblem(`${getHost(caller.backend)} ended the stream before its first part.`);
}

async function* prependPart(first: PartRead, rest: AsyncGenerator<PartRead>): AsyncGenerator<PartRead> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
