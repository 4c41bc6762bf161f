import { createParser, type EventSourceMessage } from "eventsource-parser";

/**
 * Creates a transform that reads the events of a stream (HTML Standard, "Server-sent events") and writes them again with
 * other data, because one value may take several lines.
 *
 * @param change returns the data of the events to write instead; an empty list drops the event. `isCut`: the stream
 *   ended within it; `name`: its `event` field
 * @param names names of events that are preserved: an SDK skips events with a name that it does not know
 */
export function mapEvents(
  change: (data: string, isCut: boolean, name?: string) => string[],
  names: ReadonlySet<string> = new Set(),
): ReadableWritablePair<Uint8Array, Uint8Array<ArrayBuffer>> {
  let write = (_: string) => {};
  let isCut = false;
  const writeEvent = ({ id, event, data }: EventSourceMessage) => {
    const fields = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(event !== undefined && names.has(event) ? [`event: ${event}`] : []),
    ];
    for (const newData of change(data, isCut, event)) {
      const lines = newData.split("\n").map((line) => `data: ${line}`);
      write(`${[...fields, ...lines].join("\n")}\n\n`);
    }
  };
  const parser = createParser({
    onEvent: writeEvent,
    onRetry: (ms) => write(`retry: ${ms}\n\n`),
    // An error may interrupt a stream as a bare line of JSON, or in an `error:` field (llama.cpp until 2025).
    onError: ({ line = "" }) => {
      const data = line.replace(/^error:\s*/, "");
      if (data.startsWith("{")) writeEvent({ data });
    },
  });
  const decoder = new TextDecoderStream();
  const readable = decoder.readable
    .pipeThrough(
      new TransformStream<string, string>({
        transform(chunk, controller) {
          write = (text) => controller.enqueue(text);
          parser.feed(chunk);
        },
        flush(controller) {
          write = (text) => controller.enqueue(text);
          isCut = true;
          parser.feed("\n\n");
        },
      }),
    )
    .pipeThrough(new TextEncoderStream());
  return { writable: decoder.writable as WritableStream<Uint8Array>, readable };
}
