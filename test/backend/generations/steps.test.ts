import { expect, test } from "vitest";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const log: DeskLog = [];
const { model, world } = useScriptedBackend({ services: deskServices(log) });
const show = (id: string): [string, string, object] => [id, "jira.show_issue", { issue: `KAY-${id}` }];
const LIMIT = { code: "STEP_LIMIT", message: "The request was stopped: it was not finished after 2 steps." };

test("a request may limit its model calls", async () => {
  const { token } = await connect(world());
  model.script({ calls: [show("1")] }, { calls: [show("2")] }, { text: "Done." });
  expect(await world().call("POST /ask", { token, body: { prompt: "show all", max_steps: 2 } })).toMatchObject({
    status: 422,
    body: { status: "error", ...LIMIT },
  });
  expect(model.left()).toBe(1);
});

test("one that finishes in time is answered", async () => {
  const { token } = await connect(world());
  model.script({ calls: [show("1")] }, { text: "Done." });
  const { body } = await world().call("POST /ask", { token, body: { prompt: "show it", max_steps: 2 } });
  expect(body).toMatchObject({ status: "completed", message: "Done." });
});

test("a step that waited for an approval counts", async () => {
  const { token } = await connect(world());
  model.script({ calls: [show("1")] }, { calls: [["c", "jira.close_issue", { issue: "KAY-3" }]] }, { text: "Done." });
  const turn = await ask(world(), token, "close KAY-3", { max_steps: 2 });
  const { interaction_id } = await turn.asked();
  world().outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  await turn.answer(interaction_id, { action: "approve" });
  await turn.end();
  expect(turn.parts.at(-1)).toMatchObject({ type: "error", code: LIMIT.code, errorText: LIMIT.message });
  expect(model.left()).toBe(1);
});

test("an answer that does not match its schema when no step is left is reported as such", async () => {
  const { token } = await connect(world());
  model.script({ text: "no" });
  const body = { prompt: "hello", max_steps: 1, output_schema: { type: "object" } };
  expect((await world().call("POST /ask", { token, body })).body).toMatchObject({
    code: "OUTPUT_INVALID",
    message: "The answer does not match the output schema: it is not JSON.",
    text: "no",
  });
});

test.each([0, 21, 1.5, "3"])("max_steps %j is refused", async (max_steps) => {
  const { token } = await connect(world());
  expect(await world().call("POST /ask", { token, body: { prompt: "hello", max_steps } })).toMatchObject({
    status: 400,
    body: { code: "INVALID_REQUEST", field: "max_steps" },
  });
});
