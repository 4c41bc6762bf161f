import { expect, test } from "vitest";
import { NOON } from "#test/backend";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask, follow } from "#test/turn";

const log: DeskLog = [];
const { model, world } = useScriptedBackend({ services: deskServices(log) });
const formatRequest = (issue: string) => `POST https://api.atlassian.com/close/${issue}`;
const close = (id: string, issue: string): [string, string, object] => [id, "jira.close_issue", { issue }];

/** Sends a request whose approval waits five minutes. */
async function askForApproval(prompt = "close KAY-3") {
  const { token } = await connect(world());
  const turn = await ask(world(), token, prompt, { approval_timeout: 300 });
  return { token, turn, request: await turn.asked() };
}

test("G02 an answer after the deadline is too late: expired everywhere, nothing ran, and the late client learns it", async () => {
  model.script({ calls: [close("c1", "KAY-3")] }, { text: "Not done." });
  const { turn, request } = await askForApproval();
  await turn.until("awaiting_approval");
  expect(Date.parse(request.expires_at)).toBe(NOON + 300_000);
  world().clock.advance(300_000);
  const late = await turn.answer(request.interaction_id, { action: "approve" });
  expect(late).toMatchObject({
    status: 409,
    body: {
      code: "INTERACTION_CLOSED",
      message: "It expired before it was answered; it was not done.",
      answered: { interaction_id: request.interaction_id, action: "expire" },
    },
  });
  await world().backend.tick();
  await turn.end();
  const ends = turn.parts.filter(({ type }) => type === "data-interaction-response");
  expect(ends).toMatchObject([{ data: { action: "expire", interaction_id: request.interaction_id } }]);
  expect(turn.parts.find(({ type }) => type === "tool-output-denied")).toMatchObject({
    toolCallId: "c1",
    reason: "No answer before the deadline, so it was not run.",
  });
  expect(turn.text()).toBe("Not done.");
});

test("G02 a deadline and an answer at the same moment have one outcome, and log, rows and effect agree", async () => {
  for (let round = 0; round < 8; round++) {
    const issue = `KAY-1${round}`;
    model.script({ calls: [close("c1", issue)] }, { text: "So." });
    const { turn, request } = await askForApproval(`close ${issue}`);
    await turn.until("awaiting_approval");
    let ran = false;
    world().outside.expect(formatRequest(issue), () => {
      ran = true;
      return Response.json({});
    });
    world().clock.advance(299_999);
    const answering = turn.answer(request.interaction_id, { action: "approve" });
    if (round % 2 === 0) await new Promise((resolve) => setTimeout(resolve, round * 2));
    world().clock.advance(1);
    const ticking = world().backend.tick();
    const { status } = await answering;
    await ticking;
    await turn.end();
    const outcome = [status, ran];
    if (!ran) await world().ports.fetch(formatRequest(issue).slice(5), { method: "POST" });
    const ends = turn.parts.filter((part) => part.type === "data-interaction-response");
    expect([...outcome, ends.map(({ data }) => data.action)]).toEqual(
      status === 200 ? [200, true, ["approve"]] : [409, false, ["expire"]],
    );
  }
});

test("G09 the reason of a denial reaches the model; a call of another tool asks, and the denied one again ends the turn", async () => {
  model.script(
    { calls: [["c1", "jira.delete_issue", { issue: "KAY-3" }]] },
    { calls: [close("c2", "KAY-4")] },
    { calls: [["c3", "jira.delete_issue", { issue: "KAY-3" }]] },
  );
  const prompts = model.prompts.length;
  const logLength = log.length;
  const { turn, request } = await askForApproval("delete KAY-3");
  await turn.answer(request.interaction_id, { action: "deny", reason: "it is still needed" });
  const other = await turn.asked();
  expect(other).toMatchObject({ tool_call_id: "c2", prompt: "Close KAY-4" });
  await turn.answer(other.interaction_id, { action: "deny" });
  await turn.end();
  expect(turn.parts.filter(({ type }) => type === "data-interaction-request")).toHaveLength(2);
  expect(turn.parts.flatMap((part) => (part.type === "tool-output-denied" ? [part.toolCallId] : []))).toEqual([
    "c1",
    "c2",
    "c3",
  ]);
  const readResult = (call: string) =>
    JSON.stringify(
      model.prompts
        .slice(prompts)
        .flatMap(({ messages }) => messages)
        .find((m) => m.tool_call_id === call),
    );
  expect(readResult("c1")).toContain("The user denied this: it is still needed");
  expect(turn.parts.find(({ type }) => type === "error")).toMatchObject({
    errorText:
      "kay stopped: the model called jira.delete_issue again after you denied it. You said: it is still needed",
  });
  expect(log.slice(logLength)).toEqual([]);
});

test("G10 three writes of a step are asked and run in the model's order, from another terminal, with one denied", async () => {
  model.script({ calls: [close("c1", "KAY-4"), close("c2", "KAY-5"), close("c3", "KAY-6")] }, { text: "Two closed." });
  const logLength = log.length;
  const prompts = model.prompts.length;
  const { token, turn } = await askForApproval("close KAY-4, KAY-5 and KAY-6");
  const second = await follow(world(), token, turn.session);
  world().outside.expect(formatRequest("KAY-4"), json({}));
  world().outside.expect(formatRequest("KAY-6"), json({}));
  for (const [call, action] of [
    ["c1", "approve"],
    ["c2", "deny"],
    ["c3", "approve"],
  ]) {
    const request = await second.asked();
    expect(request.tool_call_id).toBe(call);
    expect(model.prompts.length).toBe(prompts + 1);
    await second.answer(request.interaction_id, { action });
  }
  await turn.end();
  await second.close();
  expect(log.slice(logLength)).toEqual(["close KAY-4", "close KAY-6"]);
  const results = (model.prompts.at(-1)?.messages ?? []).filter(({ role }) => role === "tool");
  expect(
    results.map((message) => [message.tool_call_id, /KAY-\d is closed|user denied/.exec(JSON.stringify(message))?.[0]]),
  ).toEqual([
    ["c1", "KAY-4 is closed"],
    ["c2", "user denied"],
    ["c3", "KAY-6 is closed"],
  ]);
  const finish = turn.parts.findIndex(({ type }) => type === "finish-step");
  const outputs = turn.parts.flatMap((part, index) =>
    /^tool-output/.test(part.type) && "toolCallId" in part && index < finish ? [`${part.type} ${part.toolCallId}`] : [],
  );
  expect(outputs.sort()).toEqual(["tool-output-available c1", "tool-output-available c3", "tool-output-denied c2"]);
});

test("edited arguments are validated by the tool's schema, sent exactly, and reported to the model", async () => {
  model.script({ calls: [close("c1", "KAY-3")] }, { text: "Closed." });
  const { turn, request } = await askForApproval();
  const wrong = await turn.answer(request.interaction_id, { action: "approve", edited_args: { issue: 7 } });
  expect(wrong).toMatchObject({ status: 400, body: { code: "INVALID_REQUEST", field: "issue" } });
  world().outside.expect(formatRequest("KAY-9"), json({}));
  const answer = { action: "approve", edited_args: { issue: "KAY-9" } };
  expect(await turn.answer(request.interaction_id, answer)).toMatchObject({ status: 200, body: answer });
  await turn.end();
  const { messages } = model.prompts.at(-1) ?? { messages: [] };
  expect(JSON.parse(String(messages.find(({ role }) => role === "tool")?.content))).toMatchObject({
    data_from: "jira",
    arguments_changed_by_the_person: { issue: "KAY-9" },
  });
});

test.each([
  [{ action: "submit", input: {} }, "An approval is answered with approve or deny, not with submit."],
  [{ action: "cancel" }, "An approval is answered with approve or deny, not with cancel."],
  [{ action: "approve", approval_scope: "always" }, "This can be approved for once, session, not for always."],
  [{ action: "maybe" }, "The answer is not valid: action is not accepted."],
])("an invalid answer %j is refused, and the request stays open", async (answer, message) => {
  model.script({ calls: [["c1", "jira.delete_issue", { issue: "KAY-3" }]] }, { text: "No." });
  const { token, turn, request } = await askForApproval("delete KAY-3");
  expect(await turn.answer(request.interaction_id, answer)).toMatchObject({ status: 400, body: { message } });
  const { body } = await world().call("GET /pending", { token });
  expect(body.pending).toMatchObject([{ id: request.interaction_id, kind: "approval", title: "delete KAY-3" }]);
  await turn.answer(request.interaction_id, { action: "deny" });
  await turn.end();
});

test("a request of another user, of another conversation or of nobody does not exist", async () => {
  model.script({ calls: [close("c1", "KAY-3")] }, { text: "No." });
  const { token, turn, request } = await askForApproval();
  const other = await connect(world());
  const id = request.interaction_id;
  const answers = [
    await world().call(`POST /sessions/${turn.session}/interactions/${id}`, {
      token: other.token,
      body: { action: "approve" },
    }),
    await world().call(`POST /sessions/session_1/interactions/${id}`, { token, body: { action: "approve" } }),
    await turn.answer("int_1", { action: "approve" }),
  ];
  for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: "INTERACTION_NOT_FOUND" } });
  await turn.answer(id, { action: "deny" });
  await turn.end();
});
