import type { StreamPart } from "#protocol/events";
import type { World } from "./backend.ts";

/** A stream of a backend as a test reads it. */
export type TestStream = {
  status: number;
  headers: Headers;
  /** The parts so far, with their numbers. */
  parts: (StreamPart & { number: number })[];
  /** Reads until a part of this type arrives (that was not returned before), and returns it. */
  next<T extends StreamPart["type"]>(type: T): Promise<Extract<StreamPart, { type: T }> & { number: number }>;
  /** Reads to the end, and returns the types of all parts. */
  end(): Promise<string[]>;
  /** Whether `[DONE]` came. */
  done(): boolean;
  /** Stops reading, like a closed terminal. */
  close(): Promise<void>;
  /** The text of all parts. */
  text(): string;
};

type Options = { body?: unknown; headers?: Record<string, string> };

/** One request whose answer is a stream. */
export async function openStream(
  world: World,
  request: string,
  token: string,
  options: Options = {},
): Promise<TestStream> {
  const [method = "GET", path = "/"] = request.split(" ");
  const response = await world.backend.fetch(
    new Request(world.ports.publicUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, accept: "text/event-stream", ...options.headers },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    }),
  );
  return readStream(response);
}

function readStream(response: Response): TestStream {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  const parts: TestStream["parts"] = [];
  let rest = "";
  let isDone = false;
  let position = 0;
  const more = async (): Promise<boolean> => {
    const { value, done: closed } = await within(reader.read(), () => parts.map(describePart).join(" "));
    if (closed) return false;
    rest += decoder.decode(value, { stream: true });
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const event = rest.slice(0, end);
      rest = rest.slice(end + 2);
      const data = /^data: ([^\n]*)/m.exec(event)?.[1];
      if (data === "[DONE]") isDone = true;
      else if (data) parts.push({ number: Number(/^id: (\d+)$/m.exec(event)?.[1]), ...JSON.parse(data) });
    }
    return true;
  };
  return {
    status: response.status,
    headers: response.headers,
    parts,
    async next(type) {
      for (;;) {
        const partIndex = parts.findIndex((part, index) => index >= position && part.type === type);
        if (partIndex >= 0) {
          position = partIndex + 1;
          return parts[partIndex] as never;
        }
        if (!(await more())) throw new Error(`the stream ended without ${type}: ${parts.map((p) => p.type).join(" ")}`);
      }
    },
    async end() {
      while (await more());
      return parts.map(({ type }) => type);
    },
    done: () => isDone,
    close: () => reader.cancel(),
    text: () => parts.flatMap((part) => (part.type === "text-delta" ? [part.delta] : [])).join(""),
  };
}

/** Names a part, with what tells why a stream hangs. */
function describePart(part: StreamPart): string {
  if (part.type === "data-status") return `data-status (${part.data.status})`;
  return part.type === "tool-output-error" ? `tool-output-error (${part.errorText})` : part.type;
}

/** A stream that is silent for ten seconds hangs. */
async function within<T>(work: Promise<T>, describeMissing: () => string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`nothing came for ten seconds after ${describeMissing()}`)), 10_000);
  return await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
