import { expect, test } from "vitest";
import { findSecretsOfStreams, hideSecretsInAnswers } from "#client/api/hide-secrets";
import { readParts } from "#client/api/parts";
import type { Outgoing } from "#net/ports";

const TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
const GET: Outgoing = { method: "GET", url: "http://x", headers: { Authorization: `Bearer ${TOKEN}` }, timeoutMs: 1 };

test.each([200, 400, 502])(
  "an answer with status %s that repeats the access token does not show it",
  async (status) => {
    const send = hideSecretsInAnswers(async () => ({
      status,
      headers: {},
      body: `{"message":"${TOKEN} is old: ${TOKEN}"}`,
    }));
    expect((await send(GET)).body).toBe('{"message":"[redacted] is old: [redacted]"}');
  },
);

test("a secret in a body is hidden in errors, and kept in the answer that hands it out", async () => {
  const secret = "kaysession_0123456789abcdef";
  const request: Outgoing = {
    method: "POST",
    url: "http://x",
    body: JSON.stringify({ session_id: secret }),
    timeoutMs: 1,
  };
  const answer = (status: number) =>
    hideSecretsInAnswers(async () => ({ status, headers: {}, body: `{"session_id":"${secret}"}` }))(request);
  expect((await answer(404)).body).toBe('{"session_id":"[redacted]"}');
  expect((await answer(200)).body).toBe(`{"session_id":"${secret}"}`);
});

const escaped = [...TOKEN].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");

test("an answer that repeats the token in escapes does not show it", async () => {
  const send = hideSecretsInAnswers(async () => ({ status: 500, headers: {}, body: `{"message":"${escaped}"}` }));
  expect((await send(GET)).body).toBe('{"message":"[redacted]"}');
});

const event = (part: object) => `data: ${JSON.stringify(part)}\n\n`;
const delta = (text: string, id = "t", type = "text-delta") => event({ type, id, delta: text });
const call = event({ type: "tool-input-available", toolCallId: "c", toolName: "x.y", input: {} });
const pieces = (size: number) => TOKEN.match(new RegExp(`.{1,${size}}`, "g")) ?? [];
const split = (size: number) => pieces(size).map((piece) => delta(piece));

test.each([
  ["in one piece", [delta(`Ünï ${TOKEN} 👩‍💻`)], "Ünï [redacted] 👩‍💻"],
  ["in escapes", [delta("@").replace("@", escaped)], "[redacted]"],
  ["in pieces of 10 characters", [delta("a "), ...split(10), delta(" b")], "a [redacted] b"],
  ["in pieces of 2 characters", split(2), "ey[redacted]"],
  ["at the end, cut off", [delta(`the ${TOKEN.slice(0, 9)}`)], `the ${TOKEN.slice(0, 9)}`],
  [
    "around a tool call",
    [delta(TOKEN.slice(0, 9)), call, delta(`${TOKEN.slice(9)} b`)],
    `${TOKEN.slice(0, 9)}[redacted] b`,
  ],
  ["around many tool calls", split(5).flatMap((piece) => [piece, call]), /^eyJhbGciOi(\[redacted\])+$/],
  ["as one text each", pieces(5).map((piece, index) => delta(piece, `t${index}`)), /^eyJhbGciOi(\[redacted\])+$/],
  [
    "between pieces of another text",
    pieces(5).flatMap((piece) => [delta(piece), delta("hello ", "u")]),
    /^eyJhb(hello )GciOi(hello \[redacted\])+/,
  ],
  [
    "partly as reasoning",
    pieces(9).map((piece, index) => delta(piece, "t", index % 2 ? "reasoning-delta" : "text-delta")),
    /^eyJhbGciO\[redacted\]/,
  ],
  ["begun before another text", [delta(TOKEN.slice(0, 9)), delta(" b", "u")], `${TOKEN.slice(0, 9)} b`],
])("a stream that repeats the token %s does not show it, and keeps all else", async (_, events, text) => {
  const bytes = Buffer.from(events.join(""));
  const body = (async function* () {
    for (const byte of bytes) yield Buffer.from([byte]);
  })();
  const open = findSecretsOfStreams(async () => ({ status: 200, headers: {}, body, close: () => {} }));
  const answer = await open({ ...GET, headTimeoutMs: 1, idleTimeoutMs: 1 });
  let output = "";
  for await (const read of readParts(answer, { host: "x", now: 0, route: "ask" }))
    if (read !== "done" && "delta" in read.part) output += read.part.delta;
  if (typeof text === "string") expect(output).toBe(text);
  else expect(output).toMatch(text);
});
