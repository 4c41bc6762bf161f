import { expect, test } from "vitest";
import { apiFor, catchProblem } from "#test/client-api";
import { fakeBackend, type Reply } from "#test/fake-backend";

const PAGE = "<html><h1>504 Gateway Time-out</h1></html>";
const LOST: [string, Reply][] = [
  ["UNREACHABLE", "drop"],
  ["UNREACHABLE", { text: '{"status":"comp', cut: true }],
  ["BAD_GATEWAY", { status: 502, text: PAGE }],
  ["BAD_GATEWAY", { status: 504, text: PAGE }],
  ["BAD_GATEWAY", { status: 500, text: PAGE }],
  ["BAD_GATEWAY", { status: 504, json: { message: "Endpoint request timed out" } }],
  ["BAD_ANSWER", { text: "" }],
];

test("H19 a request whose answer was lost is sent exactly once, and its outcome is unknown", async () => {
  for (const [lost, reply] of LOST) {
    const backend = await fakeBackend();
    backend.on("POST /ask", reply);
    backend.on("GET /requests/I1", { status: 404, json: { error: "NOT_FOUND", message: "no such request" } });
    const { api } = apiFor(backend.url, { token: "T0" });
    const problem = await catchProblem(api.ask({ prompt: "create ticket" }, { idempotencyKey: "I1" }));
    expect(problem).toMatchObject({
      code: "OUTCOME_UNKNOWN",
      message: expect.stringMatching(/^The answer was lost, so the request may have been processed\. /),
      hint: "Check whether it took effect before you retry.",
      details: { state: "unknown", idempotency_key: "I1", lost },
    });
    expect(problem.message).not.toContain("<");
    expect(backend.calls()).toEqual(["POST /ask", "GET /requests/I1"]);
  }
});

test("H19 a request that times out is sent exactly once", async () => {
  const backend = await fakeBackend();
  let resolveArrival = () => {};
  backend.on("POST /ask", () => {
    resolveArrival();
    return "hang";
  });
  backend.on("GET /requests/I1", { json: { state: "running" } });
  // A clock on which both limits of the request, for its connection and its answer, pass once it has arrived, and no
  // other limit does.
  const arrival = new Promise<void>((resolve) => {
    resolveArrival = resolve;
  });
  let limits = 0;
  const sleep = () => (limits++ < 2 ? arrival : new Promise<void>(() => {}));
  const { api } = apiFor(backend.url, { token: "T0", clock: { now: Date.now, sleep } });
  expect(await catchProblem(api.ask({ prompt: "create ticket" }, { idempotencyKey: "I1" }))).toMatchObject({
    code: "OUTCOME_UNKNOWN",
    message: `The answer was lost, and the backend is still working on the request. ${backend.url} did not answer within 600 s.`,
    details: { state: "running", lost: "TIMED_OUT" },
  });
  expect(backend.calls()).toEqual(["POST /ask", "GET /requests/I1"]);
});

test("H13 a confirmation answered by a gateway is looked up, and the lost answer is returned", async () => {
  const backend = await fakeBackend();
  backend.on("POST /ask/confirm", { status: 504, text: PAGE });
  backend.on("GET /requests/I1", {
    json: { state: "done", status: 200, answer: { status: "completed", message: "Closed KAY-3." } },
  });
  const { api } = apiFor(backend.url, { token: "T0" });
  expect(await api.confirm("confirm_1", true, { idempotencyKey: "I1" })).toEqual({
    status: "completed",
    message: "Closed KAY-3.",
  });
  expect(backend.calls()).toEqual(["POST /ask/confirm", "GET /requests/I1"]);
});

test("H13 a lost answer that was a failure is that failure", async () => {
  const backend = await fakeBackend();
  backend.on("POST /ask/confirm", "drop");
  backend.on("GET /requests/I1", {
    json: {
      state: "done",
      status: 410,
      answer: { status: "error", code: "CONFIRMATION_EXPIRED", message: "Too late." },
    },
  });
  const { api } = apiFor(backend.url, { token: "T0" });
  expect(await catchProblem(api.confirm("c", true, { idempotencyKey: "I1" }))).toMatchObject({
    code: "CONFIRMATION_EXPIRED",
    message: "Too late.",
  });
});

test("H13 an interrupted request says that it is unknown how much was done", async () => {
  const backend = await fakeBackend();
  backend.on("POST /ask", "drop");
  backend.on("GET /requests/I1", { json: { state: "interrupted" } });
  const { api } = apiFor(backend.url, { token: "T0" });
  expect((await catchProblem(api.ask({ prompt: "x" }, { idempotencyKey: "I1" }))).details.state).toBe("interrupted");
});

test("H13 a manual repeat that was already answered is reported as such, also in the guide's words", async () => {
  const backend = await fakeBackend();
  backend.on(
    "POST /ask/confirm",
    { status: 409, json: { status: "error", code: "CONFIRMATION_USED", message: "It was answered." } },
    { status: 409, json: { status: "error", message: "Confirmation token already used" } },
    { status: 404, json: { status: "error", message: "Invalid confirmation token" } },
  );
  const { api } = apiFor(backend.url, { token: "T0" });
  const codes = [];
  for (let i = 0; i < 3; i++) codes.push((await catchProblem(api.confirm("c", true))).code);
  expect(codes).toEqual(["CONFIRMATION_USED", "CONFIRMATION_USED", "CONFIRMATION_NOT_FOUND"]);
});

test("a request that was certainly not processed, or was answered by the backend itself, is not looked up", async () => {
  const backend = await fakeBackend();
  backend.on(
    "POST /ask",
    { status: 502, json: { code: "MODEL_FAILED", message: "m" } },
    { status: 429, json: {} },
    { text: PAGE },
  );
  const { api } = apiFor(backend.url, { token: "T0" });
  const codes = [];
  for (let i = 0; i < 3; i++) codes.push((await catchProblem(api.ask({ prompt: "x" }))).code);
  expect(codes).toEqual(["MODEL_FAILED", "RATE_LIMITED", "BAD_ANSWER"]);
  expect((await catchProblem(apiFor("http://127.0.0.1:9", { token: "T0" }).api.ask({ prompt: "x" }))).code).toBe(
    "UNREACHABLE",
  );
});

test("Ctrl+C during a request ends it without a lookup", async () => {
  const backend = await fakeBackend();
  const controller = new AbortController();
  backend.on("POST /ask", () => {
    controller.abort();
    return "hang";
  });
  const { api } = apiFor(backend.url, { token: "T0" });
  expect(await catchProblem(api.ask({ prompt: "x" }, { signal: controller.signal }))).toMatchObject({
    code: "CANCELLED",
    details: { sent: true },
  });
});

test("an outcome that the backend does not know, or has no call for, is unknown", async () => {
  const backend = await fakeBackend();
  backend.on("GET /requests/a%2Fb", { status: 404, text: "Cannot GET /requests" }, { json: { state: "running" } });
  const { api } = apiFor(backend.url, { token: "T0" });
  expect(await api.outcome("a/b")).toEqual({ state: "unknown" });
  expect(await api.outcome("a/b")).toEqual({ state: "running" });
});

/** Failures of the backend itself, which say nothing about the write. */
const FAILURES: [number, string][] = [
  [503, "DATABASE_UNAVAILABLE"],
  [503, "NOT_READY"],
  [500, "INTERNAL"],
  [502, "OUTCOME_UNKNOWN"],
  [409, "BACKEND_BUSY"],
  [409, "IDEMPOTENCY_CONFLICT"],
];
const fail = ([status, code]: [number, string], overrides = {}): Reply => ({
  status,
  json: { status: "error", error: code, code, message: "It failed.", ...overrides },
});
const RECEIPTS = [{ tool_call_id: "c1", tool: "slack.send_message", effect: "settled", summary: "Send to #general" }];

test.each(FAILURES)(
  "F1 a write that was answered %i %s is looked up, and its own answer is returned",
  async (...failure) => {
    const doneReply = {
      json: { state: "done", status: 200, answer: { status: "completed", message: "Sent.", receipts: RECEIPTS } },
    };
    const result = { tool: "slack.send_message", output: { data: null, text: "Sent." }, receipts: RECEIPTS };
    const backend = await fakeBackend();
    const { api } = apiFor(backend.url, { token: "T0" });
    backend.on("POST /ask", fail(failure), fail(failure));
    backend.on("POST /ask/confirm", fail(failure));
    backend.on("POST /tools/slack.send_message/call", fail(failure));
    backend.on(
      "GET /requests/I1",
      doneReply,
      { json: { state: "running" } },
      { status: 503, json: {} },
      doneReply,
      doneReply,
    );
    backend.on("GET /requests/I1", { json: { state: "done", status: 200, answer: result } });
    const options = { idempotencyKey: "I1" };
    const answer = { status: "completed", receipts: RECEIPTS };
    expect(await api.ask({ prompt: "hi" }, options)).toMatchObject(answer);
    expect(await api.confirm("c", true, options)).toMatchObject(answer);
    expect(await api.askStream({ prompt: "hi" }, options)).toMatchObject({ kind: "answer", answer });
    expect(await api.callTool("slack.send_message", {}, options)).toMatchObject(result);
  },
);

test.each(FAILURES)("F1 a write that was answered %i %s is unknown if nobody knows its outcome", async (...failure) => {
  const backend = await fakeBackend();
  const { api } = apiFor(backend.url, { token: "T0" });
  backend.on("POST /ask", fail(failure), fail(failure));
  backend.on("GET /requests/I1", { status: 404, json: { error: "NOT_FOUND", message: "Not found" } });
  const unknown = {
    code: "OUTCOME_UNKNOWN",
    exit: 1,
    details: { sent: true, idempotency_key: "I1", lost: failure[1] },
  };
  expect(await catchProblem(api.ask({ prompt: "hi" }, { idempotencyKey: "I1" }))).toMatchObject(unknown);
  // The database stays away for longer than any client waits.
  backend.always("GET /requests/I1", fail([503, "DATABASE_UNAVAILABLE"]));
  expect(await catchProblem(api.ask({ prompt: "hi" }, { idempotencyKey: "I1" }))).toMatchObject(unknown);
});

test("F1 a stream that was answered with a failure is followed in its log, which stays open after its end", async () => {
  const backend = await fakeBackend();
  const { api } = apiFor(backend.url, { token: "T0" });
  backend.on("POST /ask", fail([503, "DATABASE_UNAVAILABLE"]));
  backend.on("GET /requests/I1", { json: { state: "running", session_id: "session_1", after: 4 } });
  const part = { type: "finish", finishReason: "stop" };
  backend.on("GET /sessions/session_1/events?after=4&client=c1", {
    headers: { "Content-Type": "text/event-stream" },
    text: `id: 5\ndata: ${JSON.stringify(part)}\n\n`,
    open: true,
  });
  const stream = await api.askStream({ prompt: "hi", client: { id: "c1" } }, { idempotencyKey: "I1" });
  const parts = [];
  if (stream.kind === "stream") for await (const item of stream.parts) parts.push(item);
  expect(parts).toEqual([{ number: 5, part }]);
});

test("F1 a write that the backend did not accept may be sent again later", async () => {
  const backend = await fakeBackend();
  const { api } = apiFor(backend.url, { token: "T0" });
  backend.on("POST /ask", fail([503, "DATABASE_UNAVAILABLE"], { sent: false }));
  expect(await catchProblem(api.ask({ prompt: "hi" }))).toMatchObject({
    code: "DATABASE_UNAVAILABLE",
    exit: 6,
    hint: "Try again in a moment.",
    details: { sent: false },
  });
  backend.always("GET /requests/I1", { status: 404, json: { code: "NOT_FOUND", message: "No.", state: "absent" } });
  backend.on("POST /ask", fail([503, "DATABASE_UNAVAILABLE"]), fail([502, "OUTCOME_UNKNOWN"]), "drop");
  const options = { idempotencyKey: "I1" };
  const problems = [];
  for (let i = 0; i < 3; i++) problems.push(await catchProblem(api.ask({ prompt: "hi" }, options)));
  expect(problems.map(({ code, exit, details }) => [code, exit, details.sent])).toEqual([
    ["DATABASE_UNAVAILABLE", 6, false],
    ["NOT_READY", 6, false],
    // The request may still be on its way.
    ["OUTCOME_UNKNOWN", 1, true],
  ]);
});

test("F1 a failure with receipts, and one of a write that may be repeated, are not looked up", async () => {
  const backend = await fakeBackend();
  const { api } = apiFor(backend.url, { token: "T0" });
  backend.on("POST /ask", fail([502, "OUTCOME_UNKNOWN"], { receipts: RECEIPTS }));
  expect(await catchProblem(api.ask({ prompt: "hi" }))).toMatchObject({ details: { receipts: RECEIPTS } });
  backend.on("DELETE /sessions/s1", fail([409, "BACKEND_BUSY"]));
  expect(await catchProblem(api.deleteSession("s1"))).toMatchObject({ code: "BACKEND_BUSY" });
});

test("a used or expired confirmation of a guide-only backend is not a mistake in the script", async () => {
  const backend = await fakeBackend();
  const { api } = apiFor(backend.url, { token: "T0" });
  const messages = [
    "Invalid or expired confirmation token",
    "Confirmation token has already been used",
    "Unknown confirmation token",
  ];
  for (const message of messages) backend.on("POST /ask/confirm", { status: 400, json: { status: "error", message } });
  const problems = [];
  for (const _ of messages) problems.push(await catchProblem(api.confirm("c", true)));
  expect(problems.map(({ code, exit }) => [code, exit])).toEqual([
    ["CONFIRMATION_NOT_FOUND", 1],
    ["CONFIRMATION_USED", 1],
    ["CONFIRMATION_NOT_FOUND", 1],
  ]);
});
