import type { Feed } from "../turns/feed.ts";
import type { AgentPart } from "../turns/parts.ts";
import { STREAM_HEADERS } from "./event-stream.ts";

/** Milliseconds of silence after which a comment shows that the stream lives. */
const KEEPALIVE = 15_000;

/** A turn as Server-Sent Events, in the seed's form. It ends with `finish`, `error` or `abort`; without one of them it was cut. */
export function agentStream(feed: Feed): Response {
  const encoder = new TextEncoder();
  const parts = feed.parts();
  let pending: Promise<IteratorResult<AgentPart>> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pending ??= parts.next();
        const next = await orSilence(pending);
        if (next === undefined) return controller.enqueue(encoder.encode(": keepalive\n\n"));
        pending = undefined;
        if (next.done) return controller.close();
        controller.enqueue(encoder.encode(`event: message\ndata: ${JSON.stringify(next.value)}\n\n`));
      },
      cancel: () => feed.leave(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: STREAM_HEADERS });
}

/** What comes next, or undefined when nothing comes for a while. */
async function orSilence<T>(next: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), KEEPALIVE);
  return await Promise.race([next, promise]).finally(() => clearTimeout(timer));
}
