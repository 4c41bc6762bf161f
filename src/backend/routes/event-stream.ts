import { endsGeneration, SESSION_HEADER } from "#protocol/events";
import type { Engine } from "../generations/engine.ts";
import type { BackendPorts } from "../ports.ts";
import type { StoredEvent } from "../store/events.ts";

/** Milliseconds of silence after which a comment shows that the stream lives (protocol section 2). */
const KEEPALIVE = 15_000;

/** What every stream says to whoever is between it and its reader: it is kept nowhere, and held back by nobody. */
export const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
  // So it is sent anyhow; said here, the listener reads nothing ahead and keeps nothing of what it read.
  "transfer-encoding": "chunked",
};

/** Which part of a conversation's log is sent. */
export type Streamed = {
  conversationId: string;
  /** Number of the last event that is not sent. */
  after: number;
  /** Only what belongs to this generation, and to the end of it. */
  generationId?: string;
  /** The last event that is sent; without it and without a generation the stream follows for as long as somebody reads. */
  until?: number;
  /** Called when whoever reads has gone, or has everything. */
  left?(): void;
};

/**
 * The log as Server-Sent Events: `id:` is the number in the log, `data:` one part, the end is `[DONE]`. Live events are read from the log
 * like old ones, so a stream that was cut goes on after its last number with nothing lost or doubled.
 */
export function eventStream(
  { hub, leave }: Pick<Engine, "hub" | "leave">,
  ports: Pick<BackendPorts, "log">,
  streamed: Streamed,
): Response {
  const gone = new AbortController();
  const source = hub.follow(streamed.conversationId, streamed.after, gone.signal, {
    presence: streamed.until === undefined,
  });
  const encoder = new TextEncoder();
  const inOrder = streamed.generationId === undefined ? (events: StoredEvent[]) => events : afterFirst();
  let pending: Promise<IteratorResult<StoredEvent[]>> | undefined;
  let over = streamed.until !== undefined && streamed.until <= streamed.after;
  const end = () => {
    gone.abort();
    streamed.left?.();
    // Ends the following: a generator that waits is only left when it is told to.
    void source.return(undefined).finally(() => leave(streamed.conversationId));
  };
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (over) {
          controller.enqueue(encoder.encode("data: [DONE]\n\n"));
          controller.close();
          return end();
        }
        pending ??= source.next();
        const next = await orSilence(pending).catch((error: unknown) => {
          ports.log("warn", "stream.failed", { error });
          return { done: true, value: undefined } as const;
        });
        if (next === undefined) return controller.enqueue(encoder.encode(": keepalive\n\n"));
        pending = undefined;
        // Cut rather than ended: the client comes back and goes on where it was.
        if (next.done) {
          controller.close();
          return end();
        }
        const wanted = inOrder(next.value.filter((event) => concerns(event, streamed)));
        over = wanted.some((event) => isLast(event, streamed)) || reaches(next.value, streamed);
        controller.enqueue(encoder.encode(wanted.map(sseOf).join("")));
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: { ...STREAM_HEADERS, "x-vercel-ai-ui-message-stream": "v1", [SESSION_HEADER]: streamed.conversationId },
  });
}

/** An answer begins with its own first part: who follows is told after it. */
function afterFirst(): (events: StoredEvent[]) => StoredEvent[] {
  let begun = false;
  let held: StoredEvent[] = [];
  return (events) => {
    if (begun) return events;
    held = [...held, ...events.filter(({ number }) => number === 0)].slice(-1);
    const own = events.filter(({ number }) => number > 0);
    begun = own.length > 0;
    return begun ? [...own, ...held] : [];
  };
}

/** Who follows is no event of the log and has no number: where the reader is in the log stays as it was. */
function sseOf({ number, part, at }: StoredEvent): string {
  return `${number > 0 ? `id: ${number}\n` : ""}data: ${JSON.stringify({ ...part, at: at.toISOString() })}\n\n`;
}

function concerns({ generationId, number, part }: StoredEvent, { generationId: wanted, until }: Streamed): boolean {
  if (until !== undefined && number > until) return false;
  // Nodes of before wrote into the log who followed then.
  if (part.type === "data-presence" && number > 0) return false;
  return wanted === undefined || generationId === wanted || generationId === null;
}

function isLast({ part, generationId }: StoredEvent, { generationId: wanted }: Streamed): boolean {
  return wanted !== undefined && generationId === wanted && endsGeneration(part);
}

function reaches(events: StoredEvent[], { until }: Streamed): boolean {
  return until !== undefined && (events.at(-1)?.number ?? 0) >= until;
}

/** What comes next, or undefined when nothing comes for a while. */
async function orSilence<T>(next: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), KEEPALIVE);
  return await Promise.race([next, promise]).finally(() => clearTimeout(timer));
}
