import type { TurnStream } from "../agent-server/turn-stream.ts";
import { createStreamingResponse, type StreamSink, type StreamSource } from "../http/streaming-response.ts";
import { STREAM_HEADERS, withKeepAlive } from "./sse.ts";

/** A turn as Server-Sent Events, in the seed's form. It ends with `finish`, `error` or `abort`; without one of them it was cut. */
export function streamTurn(feed: TurnStream): Response {
  return createStreamingResponse((sink) => tell(feed, sink), STREAM_HEADERS);
}

function tell(feed: TurnStream, sink: StreamSink): StreamSource {
  const out = withKeepAlive(sink);
  let ended = false;
  const gone = () => {
    ended = true;
    out.stop();
    feed.leave();
  };
  const advance = () => {
    if (ended || out.full) return;
    const text = feed.take().map((part) => `event: message\ndata: ${JSON.stringify(part)}\n\n`);
    if (text.length > 0) out.write(text.join(""));
    if (!feed.isOver()) return;
    sink.end();
    gone();
  };
  feed.watch(advance);
  return {
    go() {
      out.full = false;
      advance();
    },
    gone,
  };
}
