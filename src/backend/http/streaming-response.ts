/** The reader of a streamed response. */
export type StreamSink = {
  /** Returns false when the reader is full; write no more until {@link StreamSource.go}. */
  write(text: string): boolean;
  /** Writes the last text, if any, and ends the answer. */
  end(last?: string): void;
};

/** The source of a streamed response. */
export type StreamSource = {
  /** More may be written. */
  go(): void;
  /** Called when the reader has left or everything is written, possibly more than once. */
  gone(): void;
};

const sources = new WeakMap<Response, (sink: StreamSink) => StreamSource>();

/**
 * Creates a response that is pushed to its reader. The socket's listener uses its source and writes without a stream in
 * between, which keeps thousands of them cheap. Other callers get a normal response with a body.
 */
export function createStreamingResponse(
  open: (sink: StreamSink) => StreamSource,
  headers: Record<string, string>,
): Response {
  const encoder = new TextEncoder();
  let source: StreamSource | undefined;
  const openSource = (sink: StreamSink) => openWatched(open, sink, watches.get(response));
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        source ??= openSource({
          write(text) {
            controller.enqueue(encoder.encode(text));
            return (controller.desiredSize ?? 0) > 0;
          },
          end(last) {
            if (last) controller.enqueue(encoder.encode(last));
            controller.close();
          },
        });
        source.go();
      },
      cancel() {
        // A response that was never read also needs an end.
        source ??= openSource({ write: () => false, end() {} });
        source.gone();
      },
    },
    { highWaterMark: 0 },
  );
  const response = new Response(body, { headers });
  sources.set(response, openSource);
  return response;
}

export function getStreamSource(response: Response): ((sink: StreamSink) => StreamSource) | undefined {
  return sources.get(response);
}

/**
 * Lets a streamed response be cut, as if its reader had left. Ignores other responses.
 *
 * @param watch called when the stream opens, with a function that cuts it; returns a function that stops watching
 */
export function watchStream(response: Response, watch: Watch): void {
  if (sources.has(response)) watches.set(response, watch);
}

type Watch = (cut: () => void) => () => void;

const watches = new WeakMap<Response, Watch>();

/** Opens a source that `watch` can cut. */
function openWatched(
  open: (sink: StreamSink) => StreamSource,
  sink: StreamSink,
  watch: Watch | undefined,
): StreamSource {
  if (!watch) return open(sink);
  let stopWatching = () => {};
  const source = open({
    write: sink.write,
    end(last) {
      stopWatching();
      sink.end(last);
    },
  });
  stopWatching = watch(() => {
    stopWatching();
    source.gone();
    sink.end();
  });
  return {
    go: source.go,
    gone() {
      stopWatching();
      source.gone();
    },
  };
}
