import { assert, asyncProperty, constantFrom, integer } from "fast-check";
import { expect, test } from "vitest";
import { UNLOGGED_STEP } from "#protocol/numbered-parts";
import { catchProblem } from "#test/client-api";
import type { Network, Reply } from "#test/network";
import { collectParts, frames, joinText, streamWorld } from "#test/stream-world";

const START = { type: "start", messageMetadata: { session_id: "session_1", generation_id: "gen_1" } };
const delta = (text: string) => ({ type: "text-delta", id: "t1", delta: text });
const FINISH = { type: "finish", finishReason: "stop" };
const PARTS = [START, delta("会議 "), delta("👩‍💻"), { type: "data-foo" }, delta(" é"), FINISH];
const NUMBERED = PARTS.map((part, index) => ({ number: index + 1, part })).filter(
  ({ part }) => part.type !== "data-foo",
);
const TEXT = "会議 👩‍💻 é";
const STREAM = frames(PARTS);
const BYTES = new TextEncoder().encode(`${STREAM}data: [DONE]\n\n`);

/** The first bytes of a body, after which the connection ends normally or breaks. */
async function* cut(bytes: Uint8Array, length: number, mode: "ends" | "breaks" = "ends") {
  yield bytes.subarray(0, length);
  if (mode === "breaks") throw new Error("cut");
}

/** A backend's log: events after the `Last-Event-ID` of a request, and then silence while the client stays. */
function log(parts: Record<string, unknown>[] = PARTS): Reply {
  return ({ headers }) => {
    const last = Number(headers?.["Last-Event-ID"]);
    return { stream: open(frames(parts.slice(last), last + 1)) };
  };
}

async function* open(text: string) {
  yield text;
  await new Promise(() => {});
}

async function ask(network: Network, api: ReturnType<typeof streamWorld>["api"], notes: string[] = []) {
  const stream = await api.askStream({ prompt: "x" }, { idempotencyKey: "I1", note: (text) => notes.push(text) });
  if (stream.kind === "answer") return { answer: stream.answer };
  const { parts, error } = await collectParts(stream.parts);
  network.settled();
  return { sessionId: stream.sessionId, parts, error };
}

test("a request is streamed: one POST that accepts both kinds of answer, its parts with their numbers, and the conversation", async () => {
  const { api, network } = streamWorld();
  network.on("POST /ask", { stream: [BYTES], headers: { "Kay-Session-Id": "session_1" } });
  expect(await ask(network, api)).toEqual({ sessionId: "session_1", parts: NUMBERED, error: undefined });
  expect(network.seen).toMatchObject([
    {
      method: "POST",
      body: { prompt: "x" },
      headers: { Accept: "text/event-stream, application/json", "Idempotency-Key": "I1", Authorization: "Bearer T0" },
    },
  ]);
});

test("a stream that is cut at any byte is resumed: nothing is lost, nothing is repeated", async () => {
  const first = new TextEncoder().encode(frames(PARTS.slice(0, 1))).length;
  for (let length = first - 2; length < BYTES.length; length++) {
    for (const mode of ["ends", "breaks"] as const) {
      const { api, network } = streamWorld();
      network.on("POST /ask", { stream: cut(BYTES, length, mode) });
      network.always("GET /sessions/session_1/events", log());
      expect(await ask(network, api)).toEqual({ sessionId: undefined, parts: NUMBERED, error: undefined });
      const retries = network.calls().slice(1);
      expect(retries).toEqual(
        length >= new TextEncoder().encode(STREAM).length - 2 ? [] : ["GET /sessions/session_1/events"],
      );
    }
  }
});

test("a stream whose connections are all cut, anywhere, is complete in the end", async () => {
  const mode = constantFrom("ends" as const, "breaks" as const);
  const size = BYTES.length;
  await assert(
    asyncProperty(
      integer({ min: 150, max: size }),
      integer({ min: 0, max: size }),
      integer({ min: 0, max: size }),
      mode,
      async (a, b, c, end) => {
        const { api, network } = streamWorld();
        network.on("POST /ask", { stream: cut(BYTES, a, end) });
        const lengths = [b, c];
        // Also for a backend that restarts at the beginning: numbers at or below the last are dropped.
        network.always("GET /sessions/session_1/events", (request) => {
          const length = lengths.shift();
          return length === undefined
            ? (log() as (of: typeof request) => Reply)(request)
            : { stream: cut(BYTES, length, end) };
        });
        const { parts, error } = await ask(network, api);
        expect([parts, error, joinText(parts ?? [])]).toEqual([NUMBERED, undefined, TEXT]);
      },
    ),
    { numRuns: 150 },
  );
});

test("X1 the user learns once that the connection is lost, and after 60 s how to return to the work", async () => {
  const { api, network, clock } = streamWorld();
  const notes: string[] = [];
  const began = clock.now();
  network.on("POST /ask", { stream: [frames(PARTS.slice(0, 2))] });
  network.always("GET /sessions/session_1/events", "refused");
  const { parts, error } = await ask(network, api, notes);
  expect(parts).toEqual(NUMBERED.slice(0, 2));
  expect(error).toMatchObject({
    code: "OUTCOME_UNKNOWN",
    exit: 1,
    hint: "The backend continues the work. Run `kay attach session_1` to follow it, or `kay sessions` to list all conversations.",
    details: { sent: true, lost: "UNREACHABLE", session_id: "session_1", last_event: 2 },
  });
  expect(notes).toEqual(["Connection lost, reconnecting."]);
  expect(clock.now() - began).toBe(60_000);
  expect(network.calls().length).toBeLessThan(15);
});

test("a backend that accepts connections and drops them at once is given up after 60 s as well", async () => {
  const { api, network, clock } = streamWorld();
  const began = clock.now();
  network.on("POST /ask", { stream: [frames(PARTS.slice(0, 2))] });
  network.always("GET /sessions/session_1/events", { stream: [": hello\n\n"] });
  expect((await ask(network, api)).error).toMatchObject({ code: "OUTCOME_UNKNOWN", details: { last_event: 2 } });
  expect(clock.now() - began).toBe(60_000);
});

test("a token that expired during the stream is refreshed once for the new connection", async () => {
  const refreshes: string[] = [];
  let token = "T0";
  const refresher = () => ({
    accessToken: async () => token,
    afterRejection: async (old: string) => {
      refreshes.push(old);
      token = "T1";
      return token;
    },
  });
  const { api, network } = streamWorld({ token: undefined, refresher });
  network.on("POST /ask", { stream: [frames(PARTS.slice(0, 2))] });
  network.always("GET /sessions/session_1/events", (request) =>
    request.headers?.Authorization === "Bearer T1"
      ? (log() as (of: typeof request) => Reply)(request)
      : { status: 401, json: { code: "TOKEN_EXPIRED", message: "x" } },
  );
  expect(await ask(network, api)).toEqual({ sessionId: undefined, parts: NUMBERED, error: undefined });
  expect(refreshes).toEqual(["T0"]);
});

test("parts of other generations in the log, before and beside the own one, are not mixed in", async () => {
  const other = { type: "start", messageMetadata: { session_id: "session_1", generation_id: "gen_0" } };
  const status = (generation_id: string, name: string) => ({
    type: "data-status",
    data: { generation_id, status: name },
  });
  const parts = [status("gen_1", "paused"), delta("not mine"), FINISH, other, delta("nor this"), FINISH, ...PARTS];
  const { api, network } = streamWorld();
  network.on("POST /ask", { stream: [frames(parts.slice(0, 1))], headers: { "Kay-Session-Id": "session_1" } });
  network.always("GET /sessions/session_1/events", log(parts));
  const { parts: received } = await ask(network, api);
  expect(received?.map(({ number }) => number)).toEqual([1, 7, 8, 9, 11, 12]);
  expect(joinText(received ?? [])).toBe(TEXT);
});

test.for([
  ["a backend without streams", { json: { status: "completed", message: "Done." } }],
  ["one that failed", { json: { status: "error", message: "Invalid or expired session_id" } }],
] as const)("H09 a JSON answer is an answer: %s", async ([, reply]) => {
  const { api, network } = streamWorld();
  network.on("POST /ask", reply);
  expect(await ask(network, api)).toEqual({ answer: reply.json });
});

test("H09 an error with a success status is an error with its message", async () => {
  const { api, network } = streamWorld();
  network.on("POST /ask", { json: { error: { code: "prohibited_content", message: "refused" } } });
  expect(await catchProblem(api.askStream({ prompt: "x" }))).toMatchObject({ code: "BAD_ANSWER", message: "refused" });
});

const LOST: [string, () => Reply][] = [
  ["the connection breaks off", () => "lost"],
  ["a gateway answers", () => "gateway"],
  ["the stream ends before its first part", () => ({ stream: [": hello\n\n"] })],
  ["the stream breaks before its first part is whole", () => ({ stream: cut(BYTES, 20, "breaks") })],
  ["half an answer comes", () => ({ text: '{"status":', headers: { "content-type": "application/json" } })],
];

test.for(LOST)("H19 a request whose answer is lost is sent once and looked up: %s", async ([, reply]) => {
  const doneReply = { state: "done", status: 200, answer: { status: "completed", message: "Done." } };
  for (const [lookup, outcome] of [
    [{ json: doneReply }, { answer: doneReply.answer }],
    [
      { status: 404, json: { code: "NOT_FOUND", message: "x" } },
      { code: "OUTCOME_UNKNOWN", details: { idempotency_key: "I1" } },
    ],
  ] as const) {
    const { api, network } = streamWorld();
    network.serve("http://127.0.0.1:4000", async () => new Response("{}"));
    network.on("POST /ask", reply());
    network.on("GET /requests/", lookup);
    expect(await ask(network, api).catch((error: unknown) => error)).toMatchObject(outcome);
    expect(network.calls()).toEqual(["POST /ask", "GET /requests/…"]);
  }
});

test("a stream without numbers that is cut cannot be resumed, and reports an unknown outcome", async () => {
  const { api, network } = streamWorld();
  network.on("POST /ask", { stream: ['data: {"type":"text-delta","id":"t1","delta":"A"}\n\n'] });
  const { parts, error } = await ask(network, api);
  expect([parts, error]).toMatchObject([
    [{ number: UNLOGGED_STEP, part: delta("A") }],
    { code: "OUTCOME_UNKNOWN", details: { idempotency_key: "I1", lost: "UNREACHABLE" } },
  ]);
});

test("parts without a number follow the one before them, and nothing after the end mark belongs to the answer", async () => {
  const { api, network } = streamWorld();
  const bareData = (part: unknown) => `data: ${JSON.stringify(part)}\n\n`;
  const numbered = frames([delta("A")], 7);
  const rest = [
    bareData(delta("B")),
    bareData(delta("C")),
    frames([FINISH], 8),
    "data: [DONE]\n\n",
    frames([delta("late")], 9),
  ];
  network.on("POST /ask", { stream: [numbered, ...rest] });
  expect((await ask(network, api)).parts?.map(({ number }) => number)).toEqual([
    7,
    7 + UNLOGGED_STEP,
    7 + 2 * UNLOGGED_STEP,
    8,
  ]);
});

test("events replays the log, and follows across lost connections until it is left", async () => {
  const { api, network } = streamWorld();
  network.on("GET /sessions/session_1/events", { stream: [frames(PARTS.slice(2, 3), 3)] });
  expect(await collectParts(api.events("session_1", { after: 2, live: false }))).toEqual({
    parts: NUMBERED.slice(2, 3),
  });
  network.on("GET /sessions/session_1/events", { stream: [frames(PARTS.slice(0, 3))] });
  network.on("GET /sessions/session_1/events", log([...PARTS, START, delta("B"), FINISH]));
  const numbers: number[] = [];
  for await (const { number } of api.events("session_1")) {
    numbers.push(number);
    if (number === 9) break;
  }
  expect(numbers).toEqual([1, 2, 3, 5, 6, 7, 8, 9]);
  expect(network.seen.map(({ url, headers }) => [url.split("/").at(-1), headers?.["Last-Event-ID"]])).toEqual([
    ["events?after=2&live=false", undefined],
    ["events?after=0", undefined],
    ["events", "3"],
  ]);
  network.settled();
});

test("a client with a name has it on every new connection", async () => {
  const { api, network } = streamWorld();
  network.on("POST /ask", { stream: [frames(PARTS.slice(0, 2))] });
  network.on("GET /sessions/session_1/events", log());
  const stream = await api.askStream({ prompt: "x", client: { id: "c1", name: "My desk" } });
  if (stream.kind !== "stream") return expect.fail("it should be a stream");
  expect(await collectParts(stream.parts)).toEqual({ parts: NUMBERED });
  expect(network.seen.at(-1)?.url.split("/").at(-1)).toBe("events?client=c1&name=My+desk");
});
