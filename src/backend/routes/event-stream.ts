import { Problem } from "#protocol/errors";
import { isGenerationEnd, SESSION_HEADER } from "#protocol/numbered-parts";
import type { Engine } from "../generations/engine.ts";
import { createStreamingResponse, type StreamSink, type StreamSource } from "../http/streaming-response.ts";
import type { BackendPorts } from "../ports.ts";
import { MAX_EVENTS_PER_READ } from "../store/events.ts";
import type { StoredEvent } from "../store/schema-work.ts";
import { STREAM_HEADERS, withKeepAlive } from "./sse.ts";

/** The part of a conversation's log that is sent. */
export type StreamRange = {
  conversationId: string;
  /** Number of the last event that is not sent. */
  after: number;
  /** Sends only events of this generation, up to its end. */
  generationId?: string;
  /** The last event to send. Without it and without a generation, the stream follows as long as it has a reader. */
  until?: number;
  /** Headers besides those of every stream. */
  headers?: Record<string, string>;
  /** Called when the reader has left or has everything. */
  left?(): void;
};

type FollowPorts = Pick<Engine, "hub" | "leave">;
type StreamPorts = Pick<BackendPorts, "log" | "clock" | "observe">;

/**
 * Streams the log as Server-Sent Events: `id:` is the number in the log, `data:` one part, and `[DONE]` the end. Live
 * events are read from the log like old ones, so an interrupted stream continues after its last number without loss or
 * duplicates.
 *
 * @throws Problem NOT_READY, see {@link checkOpen}
 */
export function streamEvents(engine: FollowPorts, ports: StreamPorts, range: StreamRange): Response {
  checkOpen(engine);
  return createStreamingResponse((sink) => follow(engine, range, sink, ports), {
    ...STREAM_HEADERS,
    "x-vercel-ai-ui-message-stream": "v1",
    [SESSION_HEADER]: range.conversationId,
    ...range.headers,
  });
}

/** @throws Problem NOT_READY once this node has ended its streams, so that clients try another node */
export function checkOpen({ hub }: Pick<Engine, "hub">): void {
  if (hub.isClosed()) throw new Problem("NOT_READY", "This node is shutting down.", { details: { retry_after: 1 } });
}

/** Follows the log. An idle stream is only a position and an entry in two lists, so thousands of them can be open. */
function follow({ hub, leave }: FollowPorts, range: StreamRange, sink: StreamSink, ports: StreamPorts): StreamSource {
  const { conversationId: id, until = Number.POSITIVE_INFINITY } = range;
  // A stream of an ended conversation reports no followers.
  const present = range.until === undefined ? hub.present : undefined;
  // An answer begins with its first part. Followers are reported after it.
  let hasBegun = range.generationId === undefined;
  let shownVersion = 0;
  let position = range.after;
  const openedAt = ports.clock.now();
  let [isReading, mustRead, hasEnded, isRead] = [false, true, false, false];
  const out = withKeepAlive(sink);
  const closeStream = (isOver = false) => {
    if (hasEnded) return;
    hasEnded = true;
    if (isRead) ports.observe?.count("kay_streams", {}, -1);
    out.stop();
    unwatch();
    present?.release(id);
    range.left?.();
    if (!isOver) leave(id, position);
  };
  const end = (last = "", isOver = false) => {
    if (hasEnded) return;
    sink.end(last);
    closeStream(isOver);
  };
  /** Sends the next events. Returns false at the end. */
  const sendMore = async (): Promise<boolean> => {
    const events = position < until ? await hub.read(id, position) : [];
    if (hasEnded) return false;
    const matches = events.filter((event) => isInRange(event, range));
    const text = matches.map(getSse).join("");
    position = events.at(-1)?.number ?? position;
    const isOver = matches.some((event) => isLast(event, range));
    if (position >= until || isOver) end(`${text}data: [DONE]\n\n`, isOver);
    else if (text !== "") out.write(text);
    measureDelay(ports, openedAt, matches[0]);
    hasBegun ||= matches.length > 0;
    const presence = hasBegun && !hasEnded && events.length < MAX_EVENTS_PER_READ ? present?.now(id) : undefined;
    if (presence && presence.version !== shownVersion) {
      shownVersion = presence.version;
      out.write(getSse(presence.event));
    }
    return events.length >= MAX_EVENTS_PER_READ;
  };
  const advance = async () => {
    if (isReading) return;
    isReading = true;
    while (mustRead && !out.full && !hasEnded) {
      mustRead = false;
      if (await sendMore()) mustRead = true;
    }
    isReading = false;
    // Cut instead of ended, so that the client reconnects and continues.
    if (!mustRead && !out.full && hub.isClosed()) end();
  };
  const continueReading = () =>
    void advance().catch((error: unknown) => {
      if (!hasEnded && !hub.isClosed()) ports.log("warn", "stream.failed", { error });
      end();
    });
  const unwatch = hub.watch(id, () => {
    mustRead = true;
    continueReading();
  });
  // A conversation that no client knows has no follower.
  present?.hold(id, range.left === undefined && hub.isNew(id));
  return {
    go() {
      if (!isRead) ports.observe?.count("kay_streams", {});
      isRead = true;
      out.full = false;
      continueReading();
    },
    gone: () => closeStream(),
  };
}

/**
 * Measures the delay of events that arrived together by the first. Ignores events from before the stream was opened.
 */
function measureDelay(
  { clock, observe }: Pick<BackendPorts, "clock" | "observe">,
  openedAt: number,
  first: StoredEvent | undefined,
): void {
  const at = first?.at.getTime() ?? 0;
  if (at >= openedAt) observe?.measure("kay_event_delay_seconds", {}, Math.max(0, clock.now() - at) / 1_000);
}

/** Cached text of events that many followers read at once. */
const texts = new WeakMap<StoredEvent, string>();

/** Formats an event. Presence has no number in the log, so the reader's position does not change. */
function getSse(event: StoredEvent): string {
  const { number, part, at } = event;
  const id = number > 0 ? `id: ${number}\n` : "";
  const text = texts.get(event) ?? `${id}data: ${JSON.stringify({ ...part, at: at.toISOString() })}\n\n`;
  texts.set(event, text);
  return text;
}

function isInRange({ generationId, number, part }: StoredEvent, { generationId: id, until }: StreamRange): boolean {
  if (until !== undefined && number > until) return false;
  // Nodes of an earlier version wrote presence into the log.
  if (part.type === "data-presence") return false;
  return id === undefined || generationId === id || generationId === null;
}

function isLast({ part, generationId }: StoredEvent, { generationId: id }: StreamRange): boolean {
  return id !== undefined && generationId === id && isGenerationEnd(part);
}
