import { expect, test } from "vitest";
import { SIGNATURE } from "#planner/reply";
import { useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";

const log: DeskLog = [];
const world = useBackend({ services: deskServices(log) });
const CLOSE = "POST https://api.atlassian.com/close/KAY-3";

test("a one-shot request is answered with exactly the guide's fields, and kay's IDs and receipts", async () => {
  const { token } = await connect(world());
  const { status, body } = await world().call("POST /ask", {
    token,
    body: { prompt: "show KAY-3", interactive: false, confirm: false },
  });
  const message = `**KAY-3** is open.\n\n${SIGNATURE}`;
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      status: "completed",
      message,
      data: { prompt: "show KAY-3", response: message },
      generation_id: expect.stringMatching(/^gen_/),
      receipts: [],
    },
  });
});

test("an interactive conversation remembers its history, and its ID is the guide's session_id", async () => {
  const { token } = await connect(world());
  const first = await world().call("POST /ask", { token, body: { prompt: "show KAY-3", interactive: true } });
  expect(first.body).toEqual({
    status: "interactive_response",
    session_id: expect.stringMatching(/^session_\d+_[0-9a-f]{32}$/),
    interactive: true,
    message: `**KAY-3** is open.\n\n${SIGNATURE}`,
    data: { prompt: "show KAY-3" },
    generation_id: expect.any(String),
    receipts: [],
  });
  world().outside.expect(CLOSE, json({}));
  const session_id = first.body.session_id;
  const second = await world().call("POST /ask", {
    token,
    body: { prompt: "close it", interactive: true, session_id },
  });
  expect(second.body).toMatchObject({
    status: "interactive_response",
    session_id,
    message: `KAY-3 is closed.\n\n${SIGNATURE}`,
  });
});

test("a write without confirm runs and leaves a receipt", async () => {
  const { token } = await connect(world());
  world().outside.expect(CLOSE, json({}));
  const { body } = await world().call("POST /ask", { token, body: { prompt: "close KAY-3" } });
  expect(body).toMatchObject({
    status: "completed",
    receipts: [
      {
        tool_call_id: expect.stringMatching(/^call_0_/),
        tool: "jira.close_issue",
        effect: "settled",
        summary: "Close KAY-3",
        url: "https://main.example.test/browse/KAY-3",
      },
    ],
  });
});

test("a call that cannot be undone is held even without confirm", async () => {
  const { token } = await connect(world());
  const logLength = log.length;
  const { body } = await world().call("POST /ask", { token, body: { prompt: "delete KAY-3" } });
  expect(body).toMatchObject({
    status: "confirmation_required",
    data: { plan: [{ tool: "jira.delete_issue", access: "destructive" }] },
  });
  expect(log.slice(logLength)).toEqual([]);
});

test("a write whose answer was lost is reported as unknown", async () => {
  const { token } = await connect(world());
  world().outside.expect(CLOSE, () => {
    throw new TypeError("terminated");
  });
  const { body } = await world().call("POST /ask", { token, body: { prompt: "close KAY-3" } });
  expect(body).toMatchObject({
    status: "completed",
    message: expect.stringContaining("may have been processed"),
    receipts: [{ effect: "unknown", summary: "Close KAY-3" }],
  });
});

test("a write that the service refused leaves no receipt", async () => {
  const { token } = await connect(world());
  world().outside.expect(CLOSE, json({ errorMessages: ["Issue is locked"] }, 400));
  const { body } = await world().call("POST /ask", { token, body: { prompt: "close KAY-3" } });
  expect(body).toMatchObject({
    status: "completed",
    message: expect.stringContaining("Issue is locked"),
    receipts: [],
  });
});

test("a service that is not connected ends the request with 403 and its name", async () => {
  const { token } = await connect(world());
  await world().call("POST /connections/disconnect?service=jira", { token, body: {} });
  const { status, body } = await world().call("POST /ask", { token, body: { prompt: "show KAY-3" } });
  expect({ status, body }).toEqual({
    status: 403,
    body: {
      status: "error",
      error: "AUTH_REQUIRED",
      code: "AUTH_REQUIRED",
      message: "Jira must be connected to do this.",
      integrations: ["jira"],
      generation_id: expect.any(String),
      receipts: [],
    },
  });
});

test.each([
  [{}, 400, "INVALID_REQUEST", "Missing required field: prompt"],
  [{ prompt: "  \n" }, 400, "INVALID_REQUEST", "Missing required field: prompt"],
  [{ prompt: 7 }, 400, "INVALID_REQUEST", "The request is not valid: prompt must be a string."],
  [{ prompt: "x", confirm: "yes" }, 400, "INVALID_REQUEST", "The request is not valid: confirm must be a boolean."],
  [{ prompt: "x", session_id: "session_1_x" }, 404, "SESSION_NOT_FOUND", "Invalid or expired session_id"],
  ["{", 400, "INVALID_REQUEST", "The body is not valid JSON."],
  [
    `{"prompt":"x","context":{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}}`,
    400,
    "INVALID_REQUEST",
    "The body of the request is nested more than 100 levels deep.",
  ],
  [[], 400, "INVALID_REQUEST", "Missing required field: prompt"],
  ["null", 400, "INVALID_REQUEST", "Missing required field: prompt"],
])("an invalid request %j is an error with the guide's sentence", async (body, status, code, message) => {
  const { token } = await connect(world());
  const answer = await world().call("POST /ask", { token, body });
  expect({ status: answer.status, body: answer.body }).toMatchObject({
    status,
    body: { status: "error", error: code, code, message },
  });
});

test("requests, confirmations and lookups need a sign-in", async () => {
  for (const request of ["POST /ask", "POST /ask/confirm", "GET /requests/k1"]) {
    const { status, body } = await world().call(request, request.startsWith("POST") ? { body: { prompt: "x" } } : {});
    expect({ status, body }).toMatchObject({ status: 401, body: { status: "error", code: "TOKEN_MISSING" } });
  }
});

test("another user's conversation does not exist", async () => {
  const ann = await connect(world());
  const bob = await connect(world());
  const { body } = await world().call("POST /ask", { token: ann.token, body: { prompt: "hello", interactive: true } });
  const answer = await world().call("POST /ask", {
    token: bob.token,
    body: { prompt: "hello", session_id: body.session_id },
  });
  expect(answer).toMatchObject({ status: 404, body: { message: "Invalid or expired session_id" } });
});

test("text that a database cannot store is not a reason to fail", async () => {
  const { token } = await connect(world());
  const { status } = await world().call("POST /ask", {
    token,
    body: { prompt: "hello \u0000 \ud83d", context: { a: "\u0000" } },
  });
  expect(status).toBe(200);
});

test("F15 the stored answer for a repeat has no confirmation token in plain text, and the repeat has it", async () => {
  const { token, installation } = await connect(world());
  const headers = { "idempotency-key": "held" };
  const options = { token, headers, body: { prompt: "close KAY-3", confirm: true } };
  const first = await world().call("POST /ask", options);
  const confirmation = String(first.body.confirmation_token);
  expect(confirmation).toMatch(/^confirm_/);
  const rows = await world()
    .ports.db.selectFrom("requests")
    .select("answer")
    .where("installation_id", "=", installation)
    .execute();
  expect(JSON.stringify(rows)).not.toContain(confirmation);
  expect((await world().call("POST /ask", options)).body).toEqual(first.body);
  expect((await world().call("GET /requests/held", { token })).body).toMatchObject({ answer: first.body });
});

test("H19 a repeat with the same Idempotency-Key gets the first answer, and nothing is done twice", async () => {
  const { token } = await connect(world());
  world().outside.expect(CLOSE, json({}));
  const headers = { "idempotency-key": "key-1" };
  const first = await world().call("POST /ask", { token, headers, body: { prompt: "close KAY-3" } });
  const second = await world().call("POST /ask", { token, headers, body: { prompt: "close KAY-3" } });
  expect(second).toMatchObject({ status: 200, body: first.body });
  const other = await world().call("POST /ask", { token, headers, body: { prompt: "close KAY-4" } });
  expect(other).toMatchObject({ status: 409, body: { status: "error", code: "IDEMPOTENCY_CONFLICT" } });
  const outcome = await world().call("GET /requests/key-1", { token });
  expect(outcome.body).toEqual({ state: "done", status: 200, answer: first.body });
});

test("the outcome of an unknown request is 404, and another user's key is separate", async () => {
  const ann = await connect(world());
  const bob = await connect(world());
  const headers = { "idempotency-key": "same-key" };
  await world().call("POST /ask", { token: ann.token, headers, body: { prompt: "hello" } });
  expect(await world().call("GET /requests/same-key", { token: bob.token })).toMatchObject({
    status: 404,
    body: { code: "NOT_FOUND" },
  });
});

test("MODEL_NOT_CONFIGURED has the guide's sentence, a different one for each provider", async () => {
  const { token } = await connect(world());
  const { createWorld } = await import("#test/backend");
  const other = createWorld({ ...world().ports, model: () => ({ model: "openai:gpt-6-astra", env: {} }) });
  const answer = await other.call("POST /ask", { token, body: { prompt: "hello" } });
  expect(answer).toMatchObject({
    status: 503,
    body: { status: "error", code: "MODEL_NOT_CONFIGURED", message: "OpenAI API key is not configured" },
  });
});

test("a question of the planner is answered by the next message of the conversation", async () => {
  const { token } = await connect(world());
  const first = await world().call("POST /ask", { token, body: { prompt: "close the issue", interactive: true } });
  expect(first.body.message).toContain("I need the issue");
  world().outside.expect(CLOSE, json({}));
  const session_id = first.body.session_id;
  const second = await world().call("POST /ask", { token, body: { prompt: "KAY-3", interactive: true, session_id } });
  expect(second.body).toMatchObject({ message: `KAY-3 is closed.\n\n${SIGNATURE}`, receipts: [{ effect: "settled" }] });
});

test("a write that found nothing to do leaves no receipt", async () => {
  const { token } = await connect(world());
  const { body } = await world().call("POST /ask", { token, body: { prompt: "close KAY-1" } });
  expect(body).toMatchObject({
    status: "completed",
    message: `KAY-1 is closed already.\n\n${SIGNATURE}`,
    receipts: [],
  });
});
