import { expect, test } from "vitest";
import { useBackend } from "#test/backend";

const world = useBackend();

test("GET /health/stream sends beats one by one, each with its time, and needs no sign-in", async () => {
  const response = await world().backend.fetch(new Request("http://127.0.0.1:4000/health/stream"));
  expect(
    Object.fromEntries(
      ["content-type", "cache-control", "x-accel-buffering"].map((name) => [name, response.headers.get(name)]),
    ),
  ).toEqual({
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  const pieces: { after: number; text: string }[] = [];
  const began = performance.now();
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? [])
    pieces.push({ after: performance.now() - began, text: decoder.decode(chunk) });
  const date = new Date(world().clock.now()).toISOString();
  const beat = (number: number) => `id: ${number}\ndata: {"type":"beat","number":${number},"at":"${date}"}\n\n`;
  expect(pieces.map(({ text }) => text)).toEqual([beat(1), beat(2), beat(3), "data: [DONE]\n\n"]);
  expect((pieces[0]?.after ?? 0) < 200 && (pieces[2]?.after ?? 0) > 700).toBe(true);
});
