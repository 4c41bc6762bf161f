import { expect, test } from "vitest";
import { apiFor, problemOf } from "#test/client-api";
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

test("H19 an ask whose answer was lost is sent exactly once, and its outcome is called unknown", async () => {
  for (const [lost, reply] of LOST) {
    const backend = await fakeBackend();
    backend.on("POST /ask", reply);
    backend.on("GET /requests/I1", { status: 404, json: { error: "NOT_FOUND", message: "no such request" } });
    const { api } = apiFor(backend.url, { token: "T0" });
    const problem = await problemOf(api.ask({ prompt: "create ticket" }, { idempotencyKey: "I1" }));
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

test("H19 an ask that runs out of time is sent exactly once", async () => {
  const backend = await fakeBackend();
  let arrived = () => {};
  backend.on("POST /ask", () => {
    arrived();
    return "hang";
  });
  backend.on("GET /requests/I1", { json: { state: "running" } });
  // A clock on which both limits of the ask, for its connection and its answer, are over once it has arrived, and no other limit ever is.
  const come = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let limits = 0;
  const sleep = () => (limits++ < 2 ? come : new Promise<void>(() => {}));
  const { api } = apiFor(backend.url, { token: "T0", clock: { now: Date.now, sleep } });
  expect(await problemOf(api.ask({ prompt: "create ticket" }, { idempotencyKey: "I1" }))).toMatchObject({
    code: "OUTCOME_UNKNOWN",
    message: `The answer was lost, and the backend is still working on the request. ${backend.url} did not answer within 600 s.`,
    details: { state: "running", lost: "TIMED_OUT" },
  });
  expect(backend.calls()).toEqual(["POST /ask", "GET /requests/I1"]);
});

test("H13 a confirmation answered by a gateway is looked up, and the answer that was lost is given", async () => {
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
  expect(await problemOf(api.confirm("c", true, { idempotencyKey: "I1" }))).toMatchObject({
    code: "CONFIRMATION_EXPIRED",
    message: "Too late.",
  });
});

test("H13 an interrupted request says that it is unknown how much was done", async () => {
  const backend = await fakeBackend();
  backend.on("POST /ask", "drop");
  backend.on("GET /requests/I1", { json: { state: "interrupted" } });
  const { api } = apiFor(backend.url, { token: "T0" });
  expect((await problemOf(api.ask({ prompt: "x" }, { idempotencyKey: "I1" }))).details.state).toBe("interrupted");
});

test("H13 a repeat by hand that was answered already is reported as such, also in the guide's words", async () => {
  const backend = await fakeBackend();
  backend.on(
    "POST /ask/confirm",
    { status: 409, json: { status: "error", code: "CONFIRMATION_USED", message: "It was answered." } },
    { status: 409, json: { status: "error", message: "Confirmation token already used" } },
    { status: 404, json: { status: "error", message: "Invalid confirmation token" } },
  );
  const { api } = apiFor(backend.url, { token: "T0" });
  const codes = [];
  for (let i = 0; i < 3; i++) codes.push((await problemOf(api.confirm("c", true))).code);
  expect(codes).toEqual(["CONFIRMATION_USED", "CONFIRMATION_USED", "CONFIRMATION_NOT_FOUND"]);
});

test("what surely was not carried out, or was answered by the backend itself, is not looked up", async () => {
  const backend = await fakeBackend();
  backend.on(
    "POST /ask",
    { status: 502, json: { code: "MODEL_FAILED", message: "m" } },
    { status: 429, json: {} },
    { text: PAGE },
  );
  const { api } = apiFor(backend.url, { token: "T0" });
  const codes = [];
  for (let i = 0; i < 3; i++) codes.push((await problemOf(api.ask({ prompt: "x" }))).code);
  expect(codes).toEqual(["MODEL_FAILED", "RATE_LIMITED", "BAD_ANSWER"]);
  expect((await problemOf(apiFor("http://127.0.0.1:9", { token: "T0" }).api.ask({ prompt: "x" }))).code).toBe(
    "UNREACHABLE",
  );
});

test("Ctrl+C during an ask ends it without a lookup", async () => {
  const backend = await fakeBackend();
  const controller = new AbortController();
  backend.on("POST /ask", () => {
    controller.abort();
    return "hang";
  });
  const { api } = apiFor(backend.url, { token: "T0" });
  expect(await problemOf(api.ask({ prompt: "x" }, { signal: controller.signal }))).toMatchObject({
    code: "CANCELLED",
    details: { sent: true },
  });
});

test("an outcome the backend knows nothing of, or has no call for, is unknown", async () => {
  const backend = await fakeBackend();
  backend.on("GET /requests/a%2Fb", { status: 404, text: "Cannot GET /requests" }, { json: { state: "running" } });
  const { api } = apiFor(backend.url, { token: "T0" });
  expect(await api.outcome("a/b")).toEqual({ state: "unknown" });
  expect(await api.outcome("a/b")).toEqual({ state: "running" });
});
