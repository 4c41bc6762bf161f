import { expect, test } from "vitest";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const log: DeskLog = [];
const { model, world } = useScriptedBackend({ services: deskServices(log) });
const show = (id: string, issue: string): [string, string, object] => [id, "jira.show_issue", { issue }];
const LONG = { fails: 400, says: "This model's maximum context length is 100 tokens." };

test.each([
  [[{ fails: 401 }], "MODEL_FAILED", "requires an API key (HTTP 401): scripted"],
  [[{ fails: 429 }, { fails: 429 }], "MODEL_FAILED", "accepts no more requests for now"],
  [[{ fails: 500 }, { fails: 500 }], "MODEL_FAILED", "failed on the provider's side"],
])(
  "a model that refuses %j ends the stream with a sentence, and the next request works",
  async (steps, code, words) => {
    const { token } = await connect(world());
    model.script(...steps);
    const turn = await ask(world(), token, "hello");
    await turn.end();
    expect(turn.parts.slice(-2)).toMatchObject([
      { type: "data-status", data: { status: "error" } },
      { type: "error", code, errorText: expect.stringContaining(words) },
    ]);
    expect(turn.done()).toBe(true);
    model.script({ text: "Hello." });
    const next = await ask(world(), token, "hello", { session_id: turn.session });
    await next.end();
    expect(next.text()).toBe("Hello.");
  },
);

test("a model that breaks off in the middle ends the stream with an error, after its text", async () => {
  const { token } = await connect(world());
  model.script({ text: ["Half an", " answer"], breaks: true });
  const turn = await ask(world(), token, "hello");
  await turn.end();
  expect(turn.text()).toBe("Half an");
  expect(turn.parts.at(-1)).toMatchObject({ type: "error", code: "MODEL_FAILED" });
});

async function runTurns(token: string, turns: number): Promise<string> {
  let session_id: string | undefined;
  for (let index = 1; index <= turns; index++) {
    model.script({ text: `answer ${index}` });
    const turn = await ask(world(), token, `question ${index}`, session_id ? { session_id } : {});
    await turn.end();
    session_id = turn.session;
  }
  return session_id ?? "";
}

const contents = () => (model.prompts.at(-1)?.messages ?? []).slice(1).map(({ content }) => content);

test("a conversation that is too long for the model continues with its newer half once the user agrees, and asks once", async () => {
  const { token } = await connect(world());
  const session_id = await runTurns(token, 4);
  model.script(LONG);
  const turn = await ask(world(), token, "question 5", { session_id });
  const request = await turn.asked();
  expect(request).toMatchObject({
    tool_name: "kay.shorten",
    interaction_type: "approval",
    prompt: "The conversation is too long for the model. Continue with the newest 3 messages?",
    approval_scopes: [{ scope: "once", words: "once" }],
  });
  await turn.until("awaiting_approval");
  model.script(LONG, { text: "answer 5" });
  await turn.answer(request.interaction_id, { action: "approve" });
  await turn.end();
  expect(contents()).toEqual(["question 5"]);
  expect(turn.text()).toBe("answer 5");
  expect(turn.parts.map(({ type }) => type)).not.toContain("tool-approval-request");
  model.script(LONG, { text: "answer 6" });
  const later = await ask(world(), token, "question 6", { session_id });
  await later.end();
  expect(later.text()).toBe("answer 6");
  expect(contents().at(-1)).toEqual("question 6");
});

test("without that approval it ends with the error, as it does if nothing can be left out", async () => {
  const { token } = await connect(world());
  const session_id = await runTurns(token, 2);
  model.script(LONG);
  const turn = await ask(world(), token, "question 3", { session_id });
  const { interaction_id } = await turn.asked();
  await turn.answer(interaction_id, { action: "deny" });
  await turn.end();
  expect(turn.parts.at(-1)).toMatchObject({ type: "error", code: "CONTEXT_TOO_LONG" });
  model.script(LONG);
  const alone = await ask(world(), token, "x");
  await alone.end();
  expect(alone.parts.at(-1)).toMatchObject({ type: "error", code: "CONTEXT_TOO_LONG" });
  model.script(LONG);
  const answer = await world().call("POST /ask", { token, body: { prompt: "question 4", session_id } });
  expect(answer).toMatchObject({ status: 422, body: { code: "CONTEXT_TOO_LONG" } });
});

test("a model that repeats the same call is stopped", async () => {
  const { token } = await connect(world());
  const logLength = log.length;
  model.script(...Array.from({ length: 10 }, (_, index) => ({ calls: [show(`c${index}`, "KAY-3")] })));
  const turn = await ask(world(), token, "show KAY-3");
  await turn.end();
  expect(turn.parts.at(-1)).toMatchObject({ type: "error", code: "MODEL_FAILED" });
  expect(log.slice(logLength)).toEqual(["show KAY-3", "show KAY-3", "show KAY-3"]);
});

test("a model that never finishes is stopped after twenty steps", async () => {
  const { token } = await connect(world());
  model.script(...Array.from({ length: 30 }, (_, index) => ({ calls: [show(`c${index}`, `KAY-${index}`)] })));
  const turn = await ask(world(), token, "show everything");
  await turn.end();
  expect(turn.parts.filter(({ type }) => type === "start-step")).toHaveLength(20);
  expect(turn.parts.at(-1)).toMatchObject({
    errorText: "The request was stopped: it was not finished after 20 steps.",
  });
  expect(model.left()).toBe(10);
});

test("a repeat with the same Idempotency-Key gets the same stream from its beginning, and the key returns the outcome", async () => {
  const { token } = await connect(world());
  const headers = { "idempotency-key": "stream-1" };
  const { promise, resolve } = Promise.withResolvers<void>();
  const prompts = model.prompts.length;
  model.script({ text: ["Hel", "lo."], meanwhile: promise });
  const open = () => openStream(world(), "POST /ask", token, { body: { prompt: "say hello" }, headers });
  const first = await open();
  await first.next("text-delta");
  expect((await world().call("GET /requests/stream-1", { token })).body).toEqual({
    state: "running",
    session_id: first.headers.get("kay-session-id"),
    after: 0,
  });
  const second = await open();
  resolve();
  await first.end();
  await second.end();
  const third = await open();
  await third.end();
  expect(second.parts).toEqual(first.parts);
  expect(third.parts).toEqual(first.parts);
  expect(third.text()).toBe("Hello.");
  expect(model.prompts.length).toBe(prompts + 1);
  expect((await world().call("GET /requests/stream-1", { token })).body).toMatchObject({
    state: "done",
    status: 200,
    answer: { status: "completed", message: "Hello.", session_id: first.headers.get("kay-session-id"), receipts: [] },
  });
  const other = { body: { prompt: "another" }, headers };
  const conflict = await world().call("POST /ask", {
    token,
    ...other,
    headers: { ...headers, accept: "text/event-stream" },
  });
  expect(conflict).toMatchObject({ status: 409, body: { code: "IDEMPOTENCY_CONFLICT" } });
});
