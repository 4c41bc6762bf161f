import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import { type Listener, listen } from "#backend/http/listen";
import { createStreamingResponse, type StreamSink, watchStream } from "#backend/http/streaming-response";
import { createTimerWheel } from "#backend/routes/sse";

let listener: Listener | undefined;
afterEach(() => listener?.close());

const headers = { "content-type": "text/plain", "transfer-encoding": "chunked" };

async function opened(
  answer: (sink: StreamSink) => { go(): void; gone(): void },
): Promise<[ClientRequest, IncomingMessage]> {
  listener = await listen(() => createStreamingResponse(answer, headers), { host: "127.0.0.1", port: 0, grace: 0 });
  const clientRequest = request(listener.url, { agent: false }).end();
  clientRequest.on("error", () => {});
  const [incoming] = await once(clientRequest, "response");
  return [clientRequest, incoming];
}

test("a pushed response is like any other: nothing is written before it is read", async () => {
  let written = 0;
  const response = createStreamingResponse(
    (sink) => ({
      go() {
        while (written < 3 && sink.write(`${++written} `));
        if (written === 3) sink.end();
      },
      gone() {},
    }),
    headers,
  );
  expect(written).toBe(0);
  expect(await response.text()).toBe("1 2 3 ");
});

test("on a socket it is written directly, with the same status and headers, and its source learns once when it is written", async () => {
  let closedCount = 0;
  const [, incoming] = await opened((sink) => ({
    go() {
      sink.write("one ");
      sink.write("two");
      sink.end();
    },
    gone: () => void closedCount++,
  }));
  let text = "";
  for await (const chunk of incoming) text += chunk;
  expect([incoming.statusCode, incoming.headers["content-type"], text]).toEqual([200, "text/plain", "one two"]);
  await expect.poll(() => closedCount).toBe(1);
});

test("a reader that does not read is not sent more", async () => {
  const piece = "x".repeat(64 * 1024);
  let written = 0;
  let full = 0;
  const [, incoming] = await opened((sink) => ({
    go() {
      while (written < 400) {
        written++;
        if (!sink.write(piece)) break;
      }
      full = written;
      if (written === 400) sink.end();
    },
    gone() {},
  }));
  incoming.pause();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(full).toBeLessThan(400);
  let size = 0;
  for await (const chunk of incoming) size += chunk.length;
  expect(size).toBe(400 * piece.length);
});

test("a reader that disconnects is noticed", async () => {
  const left = Promise.withResolvers<void>();
  const [clientRequest] = await opened((sink) => ({ go: () => void sink.write("one"), gone: left.resolve }));
  clientRequest.destroy();
  await left.promise;
});

test("a wheel calls each entry whenever its time has passed, until it is removed", () => {
  vi.useFakeTimers();
  try {
    const calls: string[] = [];
    const wheel = createTimerWheel(3);
    const [a, b] = [() => void calls.push("a"), () => void calls.push("b")];
    wheel.set(a);
    vi.advanceTimersByTime(1_000);
    wheel.set(b);
    vi.advanceTimersByTime(1_000);
    wheel.set(b);
    vi.advanceTimersByTime(1_000);
    expect(calls).toEqual(["a"]);
    vi.advanceTimersByTime(3_000);
    expect(calls).toEqual(["a", "b", "a"]);
    wheel.clear(a);
    wheel.clear(b);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});

test("a watched response ends like an unwatched one, and then is no longer watched", async () => {
  const seen: string[] = [];
  const response = createStreamingResponse(
    (sink) => ({
      go: () => sink.end("one"),
      gone: () => void seen.push("gone"),
    }),
    headers,
  );
  watchStream(response, () => {
    seen.push("watched");
    return () => void seen.push("unwatched");
  });
  expect(seen).toEqual([]);
  expect(await response.text()).toBe("one");
  expect(seen).toEqual(["watched", "unwatched"]);
});

test("a watched response that is cut ends, its source learns it, and nothing more is written", async () => {
  let cut = () => {};
  const seen: string[] = [];
  listener = await listen(
    () => {
      const response = createStreamingResponse(
        (sink) => ({ go: () => void sink.write("one"), gone: () => void seen.push("gone") }),
        headers,
      );
      watchStream(response, (cutStream) => {
        cut = cutStream;
        return () => void seen.push("unwatched");
      });
      return response;
    },
    { host: "127.0.0.1", port: 0, grace: 0 },
  );
  const clientRequest = request(listener.url, { agent: false }).end();
  const [incoming] = await once(clientRequest, "response");
  await once(incoming, "readable");
  cut();
  let text = "";
  for await (const chunk of incoming) text += chunk;
  expect(text).toBe("one");
  expect(new Set(seen)).toEqual(new Set(["unwatched", "gone"]));
});
