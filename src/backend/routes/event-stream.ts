import { Problem } from "#protocol/errors";
import { isGenerationEnd, SESSION_HEADER } from "#protocol/numbered-parts";
import type { Engine } from "../generations/engine.ts";
import { createStreamingResponse, type StreamSink, type StreamSource } from "../http/streaming-response.ts";
import type { BackendPorts } from "../ports.ts";
import { MAX_EVENTS_PER_READ } from "../store/events.ts";
import type { StoredEvent } from "../store/schema-work.ts";
import { STREAM_HEADERS, withKeepAlive } from "./sse.ts";

/** Which part of a conversation's log is sent. */
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

type Followed = Pick<Engine, "hub" | "leave">;
type StreamPorts = Pick<BackendPorts, "log" | "clock" | "observe">;

/**
 * Streams the log as Server-Sent Events: `id:` is the number in the log, `data:` one part, and `[DONE]` the end. Live
 * events are read from the log like old ones, so an interrupted stream continues after its last number without loss or
 * duplicates.
 *
 * @throws Problem NOT_READY, see {@link checkOpen}
 */
export function streamEvents(engine: Followed, ports: StreamPorts, streamed: StreamRange): Response {
  checkOpen(engine);
  return createStreamingResponse((sink) => follow(engine, streamed, sink, ports), {
    ...STREAM_HEADERS,
    "x-vercel-ai-ui-message-stream": "v1",
    [SESSION_HEADER]: streamed.conversationId,
    ...streamed.headers,
  });
}

/** @throws Problem NOT_READY once this node has ended its streams, so that clients try another node */
export function checkOpen({ hub }: Pick<Engine, "hub">): void {
  if (hub.isClosed()) throw new Problem("NOT_READY", "This node is shutting down.", { details: { retry_after: 1 } });
}

/** An idle stream is only a position in the log and an entry in two lists, so thousands of them can be open. */
function follow({ hub, leave }: Followed, streamed: StreamRange, sink: StreamSink, ports: StreamPorts): StreamSource {
  const { conversationId: id, until = Number.POSITIVE_INFINITY } = streamed;
  // A stream of an ended conversation reports no followers.
  const present = streamed.until === undefined ? hub.present : undefined;
  // An answer begins with its first part. Followers are reported after it.
  let begun = streamed.generationId === undefined;
  let shownVersion = 0;
  let position = streamed.after;
  const opened = ports.clock.now();
  let [reading, again, ended, isRead] = [false, true, false, false];
  const out = withKeepAlive(sink);
  const closeStream = (isOver = false) => {
    if (ended) return;
    ended = true;
    if (isRead) ports.observe?.count("kay_streams", {}, -1);
    out.stop();
    unwatch();
    present?.release(id);
    streamed.left?.();
    if (!isOver) leave(id, position);
  };
  const end = (last = "", isOver = false) => {
    if (ended) return;
    if (last !== "") sink.write(last);
    sink.end();
    closeStream(isOver);
  };
  /** Sends the next events. Returns false at the end. */
  const sendMore = async (): Promise<boolean> => {
    const events = position < until ? await hub.read(id, position) : [];
    if (ended) return false;
    const matches = events.filter((event) => concerns(event, streamed));
    const text = matches.map(getSse).join("");
    position = events.at(-1)?.number ?? position;
    const isOver = matches.some((event) => isLast(event, streamed));
    if (position >= until || isOver) end(`${text}data: [DONE]\n\n`, isOver);
    else if (text !== "") out.write(text);
    measureDelay(ports, opened, matches[0]);
    begun ||= matches.length > 0;
    const word = begun && !ended && events.length < MAX_EVENTS_PER_READ ? present?.now(id) : undefined;
    if (word && word.version !== shownVersion) {
      shownVersion = word.version;
      out.write(getSse(word.event));
    }
    return events.length >= MAX_EVENTS_PER_READ;
  };
  const advance = async () => {
    if (reading) return;
    reading = true;
    while (again && !out.full && !ended) {
      again = false;
      if (await sendMore()) again = true;
    }
    reading = false;
    // Cut instead of ended, so that the client reconnects and continues.
    if (!again && !out.full && hub.isClosed()) end();
  };
  const goOn = () =>
    void advance().catch((error: unknown) => {
      if (!ended && !hub.isClosed()) ports.log("warn", "stream.failed", { error });
      end();
    });
  const unwatch = hub.watch(id, () => {
    again = true;
    goOn();
  });
  // A conversation that no client knows has no follower.
  present?.hold(id, streamed.left === undefined && hub.isNew(id));
  return {
    go() {
      if (!isRead) ports.observe?.count("kay_streams", {});
      isRead = true;
      out.full = false;
      goOn();
    },
    gone: () => closeStream(),
  };
}

/**
 * Of events that arrived together, the first was written first. Those from before the stream was opened do not count.
 */
function measureDelay(
  { clock, observe }: Pick<BackendPorts, "clock" | "observe">,
  opened: number,
  first: StoredEvent | undefined,
): void {
  const at = first?.at.getTime() ?? 0;
  if (at >= opened) observe?.measure("kay_event_delay_seconds", {}, Math.max(0, clock.now() - at) / 1_000);
}

/** Cached text of events that many followers read at once. */
const texts = new WeakMap<StoredEvent, string>();

/** Presence is not an event of the log and has no number, so the reader's position does not change. */
function getSse(event: StoredEvent): string {
  const { number, part, at } = event;
  const id = number > 0 ? `id: ${number}\n` : "";
  const text = texts.get(event) ?? `${id}data: ${JSON.stringify({ ...part, at: at.toISOString() })}\n\n`;
  texts.set(event, text);
  return text;
}

function concerns({ generationId, number, part }: StoredEvent, { generationId: wanted, until }: StreamRange): boolean {
  if (until !== undefined && number > until) return false;
  // Nodes of an earlier version wrote presence into the log.
  if (part.type === "data-presence") return false;
  return wanted === undefined || generationId === wanted || generationId === null;
}

function isLast({ part, generationId }: StoredEvent, { generationId: wanted }: StreamRange): boolean {
  return wanted !== undefined && generationId === wanted && isGenerationEnd(part);
}
