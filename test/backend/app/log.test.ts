import { expect, test } from "vitest";
import { createLog, withLogFields } from "#telemetry/log";

const clock = { now: () => Date.UTC(2026, 10, 27, 12) };

function logFields(fields: Record<string, unknown>): Record<string, unknown> {
  const lines: string[] = [];
  createLog((line) => void lines.push(line), { level: "debug", clock })("info", "event", fields);
  const { time: _time, level: _level, event: _event, ...rest } = JSON.parse(lines.join("")) as Record<string, unknown>;
  return rest;
}

test("a line is JSON with time, level, event and fields, and lower levels are omitted", () => {
  const lines: string[] = [];
  const log = createLog((line) => void lines.push(line), { level: "warn", clock });
  log("info", "quiet");
  log("warn", "loud", { service: "jira", count: 2, code: "STATE_USED", state: "pending" });
  expect(lines).toEqual([
    '{"time":"2026-11-27T12:00:00.000Z","level":"warn","event":"loud","service":"jira","count":2,"code":"STATE_USED","state":"pending"}\n',
  ]);
});

test("F16 a line has nothing that a terminal would interpret: no C1 controls, and no invisible or bidirectional marks", () => {
  const lines: string[] = [];
  const log = createLog((line) => void lines.push(line), { level: "info", clock });
  const text = "\u009b2J\u007f\u202e\u2066\u200b\ufeff\u2028ü";
  log("info", "event", { text });
  expect(lines.join("")).toMatch(/^[\x20-\x7eü]*\n$/);
  expect(JSON.parse(lines.join(""))).toMatchObject({ text });
});

test("fields named like secrets are redacted, however deep", () => {
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
    expect([name, logFields({ a: { b: [{ [name]: "value-1" }] } })]).toEqual([
      name,
      { a: { b: [{ [name]: "[redacted]" }] } },
    ]);
  }
});

test("text in the form of a secret is redacted anywhere", () => {
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
    const text = JSON.stringify(
      logFields({ text: `before ${secret} after`, error: new Error(`failed with ${secret}`) }),
    );
    expect([secret, text.includes(secret)]).toEqual([secret, false]);
    expect(text).toContain("before");
  }
  expect(logFields({ url: "https://a.test/cb?code=abc&x=1&state=def#access_token=ghi" })).toEqual({
    url: "https://a.test/cb?code=[redacted]&x=1&state=[redacted]#access_token=[redacted]",
  });
  expect(logFields({ text: "Authorization: Bearer abc.def" })).toEqual({ text: "Authorization: Bearer [redacted]" });
  expect(logFields({ text: "postgres://kay:hunter2@db/kay" })).toEqual({ text: "postgres://kay:[redacted]@db/kay" });
});

test("errors keep name, message, code and cause; cycles, bytes and bigints do not break a line", () => {
  const cyclic: Record<string, unknown> = { name: "x" };
  cyclic.self = cyclic;
  const cause = Object.assign(new Error("inner"), { code: "ECONNREFUSED" });
  const line = logFields({ error: new TypeError("outer", { cause }), cyclic, bytes: new Uint8Array(3), big: 10n });
  expect(line).toMatchObject({
    error: { name: "TypeError", message: "outer", cause: { name: "Error", message: "inner", code: "ECONNREFUSED" } },
    bytes: "[3 bytes]",
    big: "10",
  });
});

test("the SQLSTATE of a dropped connection is readable, and the code of a sign-in is not", () => {
  const error = Object.assign(new Error("terminating connection"), { code: "57P01" });
  expect(logFields({ error, code: "57P01" })).toMatchObject({ error: { code: "57P01" }, code: "[redacted]" });
});

test("a line has the IDs of its work, and no others, in full", () => {
  const lines: string[] = [];
  const log = createLog((line) => void lines.push(line), { level: "info", clock });
  const generation = {
    generation: "gen_0123456789abcdef0123456789abcdef",
    conversation: "session_1_0123456789abcdef",
    node: 3,
  };
  withLogFields({ request: "r1", trace: "0af7651916cd43dd8448eb211c80319c" }, () => {
    log("info", "one");
    withLogFields(generation, () => log("info", "two"));
  });
  log("info", "three");
  expect(lines.map((line) => ({ ...JSON.parse(line), time: "", level: "" }))).toEqual([
    { time: "", level: "", event: "one", request: "r1", trace: "0af7651916cd43dd8448eb211c80319c" },
    { time: "", level: "", event: "two", ...generation },
    { time: "", level: "", event: "three" },
  ]);
});

test.for([
  ["a database's address", "connect postgres://kay:hunter2hunter2@db:5432/kay failed", "hunter2hunter2"],
  ["a proxy's address", "via http://me:hunter2hunter2@proxy:3128", "hunter2hunter2"],
  ["a webhook's address", "POST https://kay.example.com/agent/webhook?token=eyJhbGciOi.eyJzdWIi.c2ln", "eyJhbGciOi"],
  ["a webhook's address without a JWT", "POST https://kay.example.com/agent/webhook?token=opaque-0123", "opaque-0123"],
  ["a header", "Authorization: Bearer opaque-0123", "opaque-0123"],
  ["a header of basic authentication", "authorization: Basic bWU6aHVudGVyMg==", "bWU6aHVudGVyMg"],
  ["a cookie", "Cookie: sid=opaque-0123; theme=dark", "opaque-0123"],
  ["a cookie that is set", "set-cookie: sid=opaque-0123; HttpOnly", "opaque-0123"],
  ["the local secret", "kay-local-secret: opaque-0123", "opaque-0123"],
  ["a provider's key", "Incorrect API key provided: sk-proj-0123456789abcdef", "sk-proj-0123456789abcdef"],
  ["a key in JSON", '{"api_key": "opaque-0123"}', "opaque-0123"],
  ["keys of the backend in JSON", '{"signing":[{"id":"s1","key":"b3BhcXVlLTAxMjM="}]}', "b3BhcXVlLTAxMjM="],
  ["a code of a consent", "GET /auth/callback?code=opaque-0123&state=other-0123", "opaque-0123"],
])("%s is in no message and no cause of an error", ([, text, secret]) => {
  const cause = new Error("outer", { cause: new Error("inner", { cause: { deep: [text] } }) });
  const line = JSON.stringify(logFields({ text, error: cause, list: [{ text }] }));
  expect([line.includes(String(secret)), line.includes("[redacted]")]).toEqual([false, true]);
});
