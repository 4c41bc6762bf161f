/** The reader of an answer that is written piece by piece. */
export type StreamSink = {
  /** False when they have enough for now: no more until {@link Source.go}. */
  write(text: string): boolean;
  /** Ends the answer. */
  end(): void;
};

/** What such an answer comes from. */
export type StreamSource = {
  /** More may be written. */
  go(): void;
  /** Called when the reader has left or everything is written, possibly more than once. */
  gone(): void;
};

const sources = new WeakMap<Response, (sink: StreamSink) => StreamSource>();

/**
 * An answer that is pushed to its reader. Who serves it on a socket takes its source (`sourceOf`) and writes there without anything in between:
 * that is what makes thousands of them cheap. To everybody else it is a response with a body as any other.
 */
export function createStreamingResponse(
  open: (sink: StreamSink) => StreamSource,
  headers: Record<string, string>,
): Response {
  const encoder = new TextEncoder();
  let source: StreamSource | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        source ??= open({
          write(text) {
            controller.enqueue(encoder.encode(text));
            return (controller.desiredSize ?? 0) > 0;
          },
          end: () => controller.close(),
        });
        source.go();
      },
      cancel() {
        // An answer that was never read also needs an end.
        source ??= open({ write: () => false, end() {} });
        source.gone();
      },
    },
    { highWaterMark: 0 },
  );
  const response = new Response(body, { headers });
  sources.set(response, open);
  return response;
}

export function getStreamSource(response: Response): ((sink: StreamSink) => StreamSource) | undefined {
  return sources.get(response);
}
