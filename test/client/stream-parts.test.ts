import { expect, test } from "vitest";
import { type PartRead, readParts } from "#client/api/parts";
import { catchProblem } from "#test/client-api";

const CONTEXT = { host: "http://b", now: 0, route: "ask" } as const;
const FINISH = 'data: {"type":"finish","finishReason":"stop"}\n\n';

/** Reads a body that arrives in these chunks. Returns the parts and the warnings. */
async function read(...chunks: (string | Uint8Array)[]) {
  const warnings: string[] = [];
  const parts: PartRead[] = [];
  async function* body() {
    for (const chunk of chunks) yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
  }
  for await (const part of readParts({ body: body() }, CONTEXT, (text) => warnings.push(text))) parts.push(part);
  return { parts, warnings };
}

const delta = (text: string, id = "t1") => ({ part: expect.objectContaining({ type: "text-delta", id, delta: text }) });
const finish = { part: { type: "finish", finishReason: "stop" } };

test("H01 a character split anywhere, and a stream that arrives byte by byte, give the same text", async () => {
  const bytes = new TextEncoder().encode(`data: {"type":"text-delta","id":"t1","text":"会議 👩‍💻 é"}\n\n${FINISH}`);
  const full = { parts: [delta("会議 👩‍💻 é"), finish], warnings: [] };
  for (let position = 0; position <= bytes.length; position++) {
    expect(await read(bytes.subarray(0, position), bytes.subarray(position))).toEqual(full);
  }
  expect(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(full);
});

test("H04 a byte order mark before the first event is ignored, and one within the text stays", async () => {
  const first = 'data: {"type":"text-delta","id":"t1","delta":"A\ufeffB"}\n\n';
  const marks = [Uint8Array.of(), Uint8Array.of(0xef), Uint8Array.of(0xbb, 0xbf)];
  expect(await read(...marks, first)).toEqual({ parts: [delta("A\ufeffB")], warnings: [] });
});

test("H05 a missing space, comments, unknown fields and empty events are accepted", async () => {
  const text =
    ': keepalive\n\ndata:{"type":"text-delta","id":"t1","delta":" A"}\n\nid: 7\nretry: 3000\nfoo: bar\nevent: message\n' +
    'data: {"type":"finish","finishReason":"stop"}\n\ndata\n\n';
  expect(await read(text)).toEqual({ parts: [delta(" A"), { number: 7, ...finish }], warnings: [] });
});

test.for([["\n"], ["\r\n"], ["\r"]])(
  "H05 an event counts at its blank line with %j, wherever the bytes are cut",
  async ([end = ""]) => {
    const text = [
      "id: 3",
      'data: {"type":"text-delta",',
      'data: "id":"t1","delta":"A"}',
      "",
      "data: [DONE]",
      "",
      "",
    ].join(end);
    for (let position = 0; position <= text.length; position++) {
      expect(await read(text.slice(0, position), text.slice(position))).toEqual({
        parts: [{ number: 3, ...delta("A") }, "done"],
        warnings: [],
      });
    }
  },
);

test("H05 an event is emitted as soon as its blank line arrives, even a lone carriage return", async () => {
  for (const end of ["\n\n", "\r\r", "\r\n\r\n"]) {
    async function* body() {
      yield new TextEncoder().encode(`data: {"type":"text-delta","id":"t1","delta":"A"}${end}`);
      throw new Error("the part was not given before more was asked for");
    }
    const parts = readParts({ body: body() }, CONTEXT);
    expect((await parts.next()).value).toEqual(delta("A"));
    await parts.return(undefined);
  }
});

test("a last event without its blank line counts if its JSON and its number are complete", async () => {
  const event = 'id: 12\ndata: {"type":"finish","finishReason":"stop"}';
  expect((await read(event)).parts).toEqual([{ number: 12, ...finish }]);
  expect((await read(`${event}\n`)).parts).toEqual([{ number: 12, ...finish }]);
  expect(await read(event.slice(0, -1))).toEqual({ parts: [], warnings: [] });
  expect((await read(`${event.slice(7)}\nid: 12`)).parts).toEqual([]);
});

test.for([
  ['{"error":{"code":"prohibited_content","message":"refused"}}\n', "refused", "MODEL_FAILED"],
  ['{"error":{"code":"prohibited_content","message":"refused"}}', "refused", "MODEL_FAILED"],
  ['{\n  "error": {\n    "message": "refused"\n  }\n}\n', "refused", "MODEL_FAILED"],
  ['data: {"type":"start"}\n\n{"status":"error","message":"refused"}\n', "refused", "MODEL_FAILED"],
  ['data: {"error":{"code":"RATE_LIMITED","message":"refused"}}\n\n', "refused", "RATE_LIMITED"],
  [
    '{"status":"error","message":"Invalid or expired session_id"}\n',
    "Invalid or expired session_id",
    "SESSION_NOT_FOUND",
  ],
  ['data: {"type":"error","error":{"message":"refused"}}\n\n', "refused", "MODEL_FAILED"],
  ['{"error":{}}\n', "The request was rejected.", "MODEL_FAILED"],
])("H09 an error in another shape is an error with its message: %j", async ([text = "", errorText, code]) => {
  const error = { part: { type: "error", errorText, code } };
  for (let position = 0; position <= text.length; position++) {
    const { parts, warnings } = await read(text.slice(0, position), text.slice(position), FINISH.repeat(2));
    expect([parts.filter((read) => read !== "done" && read.part.type !== "start"), warnings]).toEqual([
      text.endsWith("\n") ? [error, finish, finish] : expect.arrayContaining([finish]),
      text.endsWith("\n") ? [] : expect.anything(),
    ]);
  }
  expect((await read(text)).parts.at(-1)).toEqual(error);
});

test("H21 an event of 5 MiB in small chunks is read whole", async () => {
  const text = "x".repeat(5 * 1024 * 1024);
  const bytes = new TextEncoder().encode(`data: {"type":"text-delta","id":"t1","delta":"${text}"}\n\n`);
  const chunks = Array.from({ length: Math.ceil(bytes.length / 4096) }, (_, n) =>
    bytes.subarray(n * 4096, n * 4096 + 4096),
  );
  const { parts } = await read(...chunks);
  expect(
    parts.length === 1 && parts[0] !== "done" && parts[0]?.part.type === "text-delta" && parts[0].part.delta === text,
  ).toBe(true);
});

test.for([
  ["a line of an event", "data: x", "x"],
  ["a line of nothing", "x", "x"],
  ["many lines of one event", "", `data: ${"x".repeat(1017)}\n`],
  ["bare JSON", "{", "x"],
  ["bare JSON of many lines", "{\n", `${"x".repeat(1023)}\n`],
  ["a comment", ": ", "x"],
])("H21 an endless event is ended at 8 MiB: %s", async ([, begin = "", piece = ""]) => {
  let sentBytes = 0;
  async function* body() {
    yield new TextEncoder().encode(begin);
    const chunk = new TextEncoder().encode(piece.repeat(65_536 / piece.length));
    for (; sentBytes < 200; sentBytes += 1 / 16) yield chunk;
  }
  const ended = (async () => {
    for await (const part of readParts({ body: body() }, CONTEXT)) expect.fail(`unexpected ${JSON.stringify(part)}`);
  })();
  expect(await catchProblem(ended)).toMatchObject({
    code: "BAD_ANSWER",
    message: "http://b sent an event larger than 8 MiB.",
  });
  expect(sentBytes).toBeLessThan(40);
});

test("H22 unknown types and values are ignored silently, invalid ones with one warning, and the stream continues", async () => {
  const text =
    'data: {"type":"reasoning-delta","id":"r","text":"x"}\n\ndata: {"type":"data-foo"}\n\ndata: [DONE]\n\ndata: null\n\n' +
    'data: "str"\n\ndata: 7\n\ndata: []\n\ndata: {}\n\ndata: {"type":5}\n\n';
  const broken = 'data: {"type":"text-delta"}\n\ndata: {bad json\n\n';
  const rest = `data: {"type":"text-delta","id":"t1","delta":"A"}\n\n${FINISH}`;
  const reasoning = { part: { type: "reasoning-delta", id: "r", delta: "x", text: "x" } };
  expect(await read(text, rest)).toEqual({ parts: [reasoning, "done", delta("A"), finish], warnings: [] });
  expect(await read(text, broken, broken, rest)).toEqual({
    parts: [reasoning, "done", delta("A"), finish],
    warnings: ["The backend sent an invalid part (text-delta), which was ignored."],
  });
  expect((await read("data: {bad json\n\n", rest)).warnings).toEqual([
    "The backend sent an event that is not JSON, which was ignored.",
  ]);
});

test("a stream without end is given up before it fills the memory", async () => {
  const chunk = new TextEncoder().encode(`: ${"x".repeat(65_533)}\n`.repeat(128));
  const problem = await catchProblem(read(...Array.from({ length: 34 }, () => chunk)));
  expect(problem).toMatchObject({ code: "BAD_ANSWER", message: "http://b sent a stream larger than 256 MiB." });
});
