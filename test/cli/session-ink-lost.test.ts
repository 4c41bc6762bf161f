import { expect, test, vi } from "vitest";
import { openInk } from "#test/ink";
import { useKay } from "#test/kay";
import { answerTogether } from "#test/race";
import { openDesk } from "#test/session";

const kay = useKay();

vi.setConfig({ testTimeout: 60_000 });

const desk = () => openDesk(kay);

/** How often a text is on the terminal. */
function count(text: string, word: string): number {
  return text.split(word).length - 1;
}

test("a prompt that was not accepted returns to the draft", async () => {
  const { ann, log } = desk();
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ann.place.network.on("POST /ask", {
    status: 503,
    json: { error: "MODEL_NOT_CONFIGURED", code: "MODEL_NOT_CONFIGURED", message: "No model is there." },
  });
  ink.enter("show KAY-1");
  await ink.shows("✗ No model is there.");
  await ink.sees("> show KAY-1");
  await ink.press("\r");
  await ink.shows("KAY-1 is open.");
  await ink.leave();
  expect(log).toEqual(["show KAY-1"]);
});

test("a prompt whose answer is lost runs once, and one with an unknown outcome is not sent again automatically", async () => {
  const { ann, log } = desk();
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ann.place.network.on("POST /ask", "lost");
  ink.enter("show KAY-1");
  await ink.shows("KAY-1 is open.");
  await ink.sheds(/working|sending/);
  expect(log).toEqual(["show KAY-1"]);
  const strange = { error: "X", code: "X", message: "Something else." };
  ann.place.network.on("POST /ask", { status: 503, json: strange });
  ink.enter("show KAY-2");
  await ink.shows("so the request may have been processed");
  await ink.sheds(/working|sending/);
  expect(log).toEqual(["show KAY-1"]);
  const requests = ann.place.network.seen.filter(({ method, url }) => method === "POST" && url.endsWith("/ask"));
  expect(
    new Set(requests.map(({ headers }) => JSON.stringify(headers).match(/idempotency-key":"[^"]+/i)?.[0])).size,
  ).toBe(2);
  await ink.leave();
});

test("a stream that is cut at any byte loses nothing and repeats nothing, and the status line says so", async () => {
  const { ann } = desk();
  const ink = await openInk(ann, "ask");
  await ink.sees("● jira");
  ink.enter("show KAY-2");
  await ink.shows("KAY-2 is open.");
  const { network, backend } = ann.place;
  const handler = (request: Request) => backend.fetch(request);
  for (const bytes of [1, 37, 190, 411]) {
    let cuts = 0;
    network.serve("http://127.0.0.1:4000", async (request) => {
      const response = await handler(request);
      const isStream = response.headers.get("content-type")?.includes("event-stream");
      if (!isStream || request.method === "POST" || cuts > 0) return response;
      cuts += 1;
      return cutAfter(response, bytes);
    });
    ink.enter(`show KAY-${bytes}`);
    await ink.shows(`KAY-${bytes} is open.`);
    await ink.sheds("working");
    await ink.sheds("reconnecting");
    const all = await ink.all();
    expect([bytes, count(all, `> show KAY-${bytes}\n`), count(all, `KAY-${bytes} is open.`)]).toEqual([bytes, 1, 1]);
  }
  await ink.leave();
});

/** An answer whose connection breaks after this many bytes. */
function cutAfter(response: Response, bytes: number): Response {
  let budget = bytes;
  const limiter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk.slice(0, budget));
      budget -= chunk.length;
      if (budget <= 0) controller.error(new TypeError("terminated"));
    },
  });
  return new Response(response.body?.pipeThrough(limiter), { status: response.status, headers: response.headers });
}

test("a backend that is away for a minute is waited for: the status line says so, and everything is there once afterwards", async () => {
  const { ann, log } = desk();
  const { network, backend, clock } = ann.place;
  const streams: { error(reason: unknown): void }[] = [];
  network.serve("http://127.0.0.1:4000", async (request) => {
    const response = await backend.fetch(request);
    const isStream = response.headers.get("content-type")?.includes("event-stream");
    if (!isStream) return response;
    const through = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => void streams.push(controller),
    });
    return new Response(response.body?.pipeThrough(through), response);
  });
  const first = await openInk(ann, "ask");
  await first.sees("● jira");
  first.enter("delete KAY-3");
  await first.sees("1 once");
  const two = await openInk(ann, "attach");
  await two.sees("1 once");
  await two.sees(/● jira · .*delete KAY-3/);
  const back = clock.now() + 60_000;
  const away = () => (clock.now() < back ? ("refused" as const) : ("pass" as const));
  network.always("GET /sessions/", away);
  network.always("POST /sessions/", away);
  for (const stream of streams) stream.error(new TypeError("terminated"));
  await first.sees("○ reconnecting");
  await first.press("1");
  await first.sees("1 once");
  clock.advance(45_000);
  await first.sheds("○ reconnecting");
  await first.press("1");
  await first.shows("KAY-3 is deleted.");
  await two.shows("KAY-3 is deleted.");
  for (const ink of [first, two]) {
    const all = await ink.all();
    expect(count(all, "> delete KAY-3")).toBe(1);
    expect(count(all, "KAY-3 is deleted.")).toBe(1);
  }
  await first.leave();
  await two.leave();
  expect(log).toEqual(["delete KAY-3"]);
});

test("two sessions that answer one card at once run it once, and both say who answered it", async () => {
  const { ann, log } = desk();
  const output = await answerTogether(ann, 6);
  expect(log).toEqual(Array.from({ length: 6 }, (_, index) => `delete KAY-${index + 1}`));
  expect(output).toHaveLength(6);
  for (const winner of output) expect(winner).toMatch(/^kay( attach)?$/);
});
