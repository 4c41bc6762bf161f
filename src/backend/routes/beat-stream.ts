import type { Clock } from "../ports.ts";
import { STREAM_HEADERS } from "./sse.ts";

/** So many beats, with so many milliseconds between two of them. */
const BEATS = 3;
const PAUSE = 400;

/**
 * A short stream of beats, each with the time at which it was sent. Whoever gets all of them at once has something in between that holds
 * streams back.
 */
export function streamBeats(clock: Clock): Response {
  const encoder = new TextEncoder();
  let sent = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sent === BEATS) {
          controller.enqueue(encoder.encode("data: [DONE]\n\n"));
          return controller.close();
        }
        if (sent > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE));
        sent += 1;
        const beat = { type: "beat", number: sent, at: new Date(clock.now()).toISOString() };
        controller.enqueue(encoder.encode(`id: ${sent}\ndata: ${JSON.stringify(beat)}\n\n`));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: STREAM_HEADERS });
}
