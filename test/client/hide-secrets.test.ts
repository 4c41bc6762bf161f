import { expect, test } from "vitest";
import { hideSecretsInAnswers, hideSecretsInStreams } from "#client/api/hide-secrets";
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

test.each([1, 3, 7, 1000])(
  "a stream in pieces of %s bytes does not show the access token, and keeps all else",
  async (size) => {
    const bytes = Buffer.from(`data: {"delta":"Ünï ${TOKEN.slice(0, 9)} ${TOKEN} 👩‍💻"}\n\n`);
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(n * size, (n + 1) * size),
    );
    const body = (async function* () {
      yield* pieces;
    })();
    const open = hideSecretsInStreams(async () => ({ status: 200, headers: {}, body, close: () => {} }));
    const { body: shown } = await open({ ...GET, headTimeoutMs: 1, idleTimeoutMs: 1 });
    const read: Uint8Array[] = [];
    for await (const piece of shown) read.push(piece);
    expect(Buffer.concat(read).toString()).toBe(`data: {"delta":"Ünï ${TOKEN.slice(0, 9)} [redacted] 👩‍💻"}\n\n`);
  },
);
