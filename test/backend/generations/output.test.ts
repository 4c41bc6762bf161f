import { expect, test } from "vitest";
import { createPeer } from "#test/backend";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask, follow } from "#test/turn";

const log: DeskLog = [];
const { model, world } = useScriptedBackend({ services: deskServices(log) });

const output_schema = {
  type: "object",
  properties: { key: { type: "string" }, open: { type: "boolean" } },
  required: ["key", "open"],
};
const VALUE = { key: "KAY-3", open: true };
const GOOD = JSON.stringify(VALUE);
const BAD = '{"key": 3}';
const PROBLEMS = [
  { path: "", message: "must have required property 'open'" },
  { path: "/key", message: "must be string" },
];
const INVALID = {
  code: "OUTPUT_INVALID",
  message: "The answer does not match the output schema: it must have required property 'open'.",
};
const CLOSE: [string, string, object] = ["c1", "jira.close_issue", { issue: "KAY-3" }];
const post = (token: string, body: object) =>
  world().call("POST /ask", { token, body: { prompt: "how is KAY-3", output_schema, ...body } });
const messages = () => (model.prompts.at(-1)?.messages ?? []).map(({ role, content }) => [role, content]);

test("the model gets the schema, and its value is in the answer's data", async () => {
  const { token } = await connect(world());
  model.script({ text: GOOD });
  const { status, body } = await post(token, {});
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      status: "completed",
      message: GOOD,
      data: { prompt: "how is KAY-3", response: GOOD, output: VALUE },
      generation_id: expect.any(String),
      receipts: [],
    },
  });
  expect(JSON.parse(String(messages()[0]?.[1]).split("\n").at(-1) ?? "")).toEqual(output_schema);
});

test.each([
  ["a block of code", `\`\`\`json\n${GOOD}\n\`\`\``],
  ["words around a block of code", `Here it is:\n\n\`\`\`\n${GOOD}\n\`\`\`\nAnything else?`],
])("a value in %s is recognized", async (_, text) => {
  const { token } = await connect(world());
  model.script({ text });
  expect((await post(token, {})).body).toMatchObject({ status: "completed", data: { output: VALUE } });
});

test("an answer that does not match is corrected once, and the conversation keeps only the final answer", async () => {
  const { token } = await connect(world());
  model.script({ text: BAD }, { text: GOOD });
  const { body } = await post(token, { interactive: true });
  expect(body).toMatchObject({ status: "interactive_response", data: { prompt: "how is KAY-3", output: VALUE } });
  expect(messages().slice(1)).toEqual([
    ["user", "how is KAY-3"],
    ["assistant", BAD],
    [
      "user",
      "This does not match the JSON Schema of the answer:\n- it must have required property 'open'\n- /key must be string\n" +
        "Send the whole JSON value again, corrected, and nothing else.",
    ],
  ]);
  model.script({ text: "Yes." });
  await world().call("POST /ask", { token, body: { prompt: "sure?", session_id: body.session_id } });
  expect(messages().slice(1)).toEqual([
    ["user", "how is KAY-3"],
    ["assistant", GOOD],
    ["user", "sure?"],
  ]);
});

test("an answer that is invalid twice is an error with the mismatches and the text", async () => {
  const { token } = await connect(world());
  model.script({ text: "KAY-3 is open." }, { text: BAD });
  expect(await post(token, {})).toMatchObject({
    status: 422,
    body: { status: "error", ...INVALID, problems: PROBLEMS, text: BAD, receipts: [] },
  });
  expect(model.left()).toBe(0);
});

test("a stream announces a value at its start, and sends it before its end", async () => {
  const { token } = await connect(world());
  model.script({ text: BAD }, { text: GOOD });
  const turn = await ask(world(), token, "how is KAY-3", { output_schema });
  await turn.end();
  expect(turn.parts.find(({ type }) => type === "start")).toMatchObject({ messageMetadata: { structured: true } });
  expect(turn.parts.slice(-3)).toMatchObject([
    { type: "data-output", data: { value: VALUE } },
    { type: "data-status", data: { status: "completed" } },
    { type: "finish", finishReason: "stop" },
  ]);
});

test("a stream whose answer stays invalid ends with the error, and a lookup returns the same", async () => {
  const { token } = await connect(world());
  model.script({ text: BAD }, { text: BAD });
  const headers = { "idempotency-key": "wrong-twice" };
  const turn = await ask(world(), token, "how is KAY-3", { output_schema, headers });
  await turn.end();
  const { code, message: errorText } = INVALID;
  expect(turn.parts.at(-1)).toMatchObject({
    type: "error",
    code,
    errorText,
    details: { problems: PROBLEMS, text: BAD },
  });
  expect((await world().call("GET /requests/wrong-twice", { token })).body).toMatchObject({
    state: "done",
    answer: { status: "error", ...INVALID, problems: PROBLEMS, text: BAD },
  });
});

test("after a call and its approval, the answer is still checked", async () => {
  const { token } = await connect(world());
  model.script({ calls: [CLOSE] }, { text: BAD }, { text: GOOD });
  const turn = await ask(world(), token, "close KAY-3", { output_schema });
  const { interaction_id } = await turn.asked();
  world().outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  await turn.answer(interaction_id, { action: "approve" });
  await turn.end();
  expect(turn.parts.at(-3)).toMatchObject({ type: "data-output", data: { value: VALUE } });
  expect(messages().map(([role]) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
});

test("after a confirmation, the answer is still checked and included", async () => {
  const { token } = await connect(world());
  model.script({ calls: [CLOSE] });
  const confirmation = await post(token, { prompt: "close KAY-3", confirm: true });
  world().outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  model.script({ text: BAD }, { text: GOOD });
  const body = { confirmation_token: confirmation.body.confirmation_token, approved: true };
  expect((await world().call("POST /ask/confirm", { token, body })).body).toMatchObject({
    status: "completed",
    data: { output: VALUE },
  });
});

test("with confirm, an answer without a proposal keeps its value for the confirmation, and an invalid one is an error", async () => {
  const { token } = await connect(world());
  model.script({ text: GOOD });
  const confirmation = await post(token, { confirm: true });
  const body = { confirmation_token: confirmation.body.confirmation_token, approved: true };
  expect((await world().call("POST /ask/confirm", { token, body })).body).toMatchObject({ data: { output: VALUE } });
  model.script({ text: BAD }, { text: BAD });
  expect((await post(token, { confirm: true })).body).toMatchObject({ status: "error", ...INVALID });
});

test("a correction before a restart is not repeated after it", async () => {
  const { token } = await connect(world());
  model.script({ text: BAD }, { calls: [CLOSE] });
  const turn = await ask(world(), token, "close KAY-3", { output_schema });
  const { interaction_id } = await turn.asked();
  await turn.until("awaiting_approval");
  await turn.close();
  await world().backend.close();
  const second = createPeer(world());
  const resumed = await follow(second, token, turn.session);
  world().outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  model.script({ text: BAD }, { text: GOOD });
  await resumed.answer(interaction_id, { action: "approve" });
  expect(await resumed.next("error")).toMatchObject({ code: "OUTPUT_INVALID", details: { text: BAD } });
  await resumed.close();
  expect(model.left()).toBe(1);
});

test.each([
  [{ type: "nonsense" }, "It is not a valid JSON Schema"],
  [{ $ref: "https://example.com/schema.json" }, "only references within the schema"],
  [{ $ref: "#" }, "It refers to itself endlessly."],
  [
    { type: "string", pattern: "^(?=a)" },
    'The pattern "^(?=a)" uses "(?=", but patterns must follow the RE2 syntax, which has no lookaround or backreferences.',
  ],
  [{ description: "x".repeat(70_000) }, "It is larger than 64 KiB."],
  [{ $schema: "http://json-schema.org/draft-04/schema#" }, "but only draft 2020-12 and draft-07 are supported."],
])("an unusable schema is refused before the model is called: %#", async (schema, words) => {
  const { token } = await connect(world());
  for (const accept of ["application/json", "text/event-stream"])
    expect(
      await world().call("POST /ask", {
        token,
        headers: { accept },
        body: { prompt: "hello", output_schema: schema },
      }),
    ).toMatchObject({
      status: 400,
      body: {
        code: "INVALID_REQUEST",
        field: "output_schema",
        message: expect.stringContaining(words),
      },
    });
  expect((await world().call("GET /sessions", { token })).body).toMatchObject({ total: 0 });
});
