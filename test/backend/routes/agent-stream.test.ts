import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTurnStream } from "#backend/agent-server/turn-stream";
import { streamTurn } from "#backend/routes/agent";
import { createTimerWheel } from "#backend/routes/sse";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

const event = (part: object) => `event: message\ndata: ${JSON.stringify(part)}\n\n`;

function readStream(response: Response): { text(): string; leave(): Promise<void>; over: Promise<void> } {
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const read = async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
  };
  return { text: () => text, leave: () => reader.cancel(), over: read() };
}

test("a turn's stream has its parts as they arrive, a comment after 15 seconds of silence, and ends with the last part", async () => {
  const feed = createTurnStream();
  feed.push({ type: "start" });
  const { text, over } = readStream(streamTurn(feed, createTimerWheel(15)));
  // Polled, because written data reaches the reader through Node's streams, a few rounds of the event loop later.
  await expect.poll(text).toBe(event({ type: "start" }));
  vi.advanceTimersByTime(16_000);
  await expect.poll(text).toBe(`${event({ type: "start" })}: keepalive\n\n`);
  feed.push({ type: "start-step" });
  feed.end({ type: "finish" });
  await over;
  expect(text()).toBe(
    `${event({ type: "start" })}: keepalive\n\n${event({ type: "start-step" })}${event({ type: "finish" })}`,
  );
  expect(vi.getTimerCount()).toBe(0);
});

test("a turn that breaks off has what was reported of it, and no last part", async () => {
  const feed = createTurnStream();
  feed.push({ type: "start" });
  const { text, over } = readStream(streamTurn(feed));
  feed.cut();
  feed.end({ type: "finish" });
  await over;
  expect(text()).toBe(event({ type: "start" }));
});

test("a reader that is too slow gets what is buffered, and no last part", async () => {
  const feed = createTurnStream();
  const response = streamTurn(feed);
  for (let number = 0; number < 20_000; number++) feed.push({ type: "text-delta", number });
  feed.end({ type: "finish" });
  const text = await response.text();
  expect([text.split("event: message\n").length - 1, text.includes("finish")]).toEqual([10_001, false]);
});

test("nothing is buffered for a reader that has left", async () => {
  const feed = createTurnStream();
  const { leave } = readStream(streamTurn(feed, createTimerWheel(15)));
  await leave();
  await expect.poll(() => [feed.isOver(), vi.getTimerCount()]).toEqual([true, 0]);
  feed.push({ type: "start" });
  expect(feed.take()).toEqual([]);
});
