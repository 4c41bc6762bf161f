import { expect, test } from "vitest";
import { createLog } from "#backend/log";

const clock = { now: () => Date.UTC(2026, 10, 27, 12) };

function logged(fields: Record<string, unknown>): Record<string, unknown> {
  const lines: string[] = [];
  createLog((line) => void lines.push(line), { level: "debug", clock })("info", "event", fields);
  const { time: _time, level: _level, event: _event, ...rest } = JSON.parse(lines.join("")) as Record<string, unknown>;
  return rest;
}

test("a line is JSON with time, level, event and fields, and lesser levels are left out", () => {
  const lines: string[] = [];
  const log = createLog((line) => void lines.push(line), { level: "warn", clock });
  log("info", "quiet");
  log("warn", "loud", { service: "jira", count: 2, code: "STATE_USED", state: "pending" });
  expect(lines).toEqual([
    '{"time":"2026-11-27T12:00:00.000Z","level":"warn","event":"loud","service":"jira","count":2,"code":"STATE_USED","state":"pending"}\n',
  ]);
});

test("whatever has the name of a secret is redacted, however deep", () => {
  const names = [
    "token",
    "access_token",
    "refreshToken",
    "client_secret",
    "Authorization",
    "cookie",
    "password",
    "code_verifier",
    "apiKey",
    "prompt",
    "session_id",
    "state",
    "code",
  ];
  for (const name of names) {
    expect([name, logged({ a: { b: [{ [name]: "value-1" }] } })]).toEqual([
      name,
      { a: { b: [{ [name]: "[redacted]" }] } },
    ]);
  }
});

test("whatever has the form of a secret is redacted in any text", () => {
  const secrets = [
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl",
    "kaysession_1234567890_abc123",
    "confirm_1234567890_abc123",
    "0123456789abcdef0123456789abcdef",
    "gho_abcdefghijklmnop",
    "xoxb-1234-abcdefgh",
    "sk-proj-abcdefghijkl",
    "ya29.a0AfH6SMBxyz",
  ];
  for (const secret of secrets) {
    const text = JSON.stringify(logged({ text: `before ${secret} after`, error: new Error(`failed with ${secret}`) }));
    expect([secret, text.includes(secret)]).toEqual([secret, false]);
    expect(text).toContain("before");
  }
  expect(logged({ url: "https://a.test/cb?code=abc&x=1&state=def#access_token=ghi" })).toEqual({
    url: "https://a.test/cb?code=[redacted]&x=1&state=[redacted]#access_token=[redacted]",
  });
  expect(logged({ text: "Authorization: Bearer abc.def" })).toEqual({ text: "Authorization: Bearer [redacted]" });
  expect(logged({ text: "postgres://kay:hunter2@db/kay" })).toEqual({ text: "postgres://kay:[redacted]@db/kay" });
});

test("errors keep name, message, code and cause; cycles, bytes and bigints do not break a line", () => {
  const cyclic: Record<string, unknown> = { name: "x" };
  cyclic.self = cyclic;
  const cause = Object.assign(new Error("inner"), { code: "ECONNREFUSED" });
  const line = logged({ error: new TypeError("outer", { cause }), cyclic, bytes: new Uint8Array(3), big: 10n });
  expect(line).toMatchObject({
    error: { name: "TypeError", message: "outer", cause: { name: "Error", message: "inner", code: "ECONNREFUSED" } },
    bytes: "[3 bytes]",
    big: "10",
  });
});
