import { expect, test } from "vitest";
import { BOB, connect, MAIN, OTHER } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const log: DeskLog = [];
const { model, world } = useScriptedBackend({ services: deskServices(log) });
const CLOSE: [string, string, object] = ["c1", "jira.close_issue", { issue: "KAY-3" }];

test.for([
  ["another account", { account: BOB }, "Bob Example (main)"],
  ["another site of the same account", { sites: [OTHER] }, "Ann Example (other)"],
] as const)("an approval does not count after %s was connected, and nothing is saved", async ([, consent, now]) => {
  const { token, session } = await connect(world(), {}, { sites: [MAIN] });
  model.script({ calls: [CLOSE] }, { text: "Not done." });
  const turn = await ask(world(), token, "close KAY-3");
  const request = await turn.asked();
  expect(request.preview).toMatchObject({ account: "Ann Example (main)" });
  await connect(world(), { session_id: session }, { ...consent, token } as object);
  await turn.answer(request.interaction_id, { action: "approve", approval_scope: "session" });
  await turn.end();
  expect(turn.parts.find(({ type }) => type === "tool-output-error")).toMatchObject({
    toolCallId: "c1",
    code: "ACCOUNT_MISMATCH",
    errorText: `Nothing was sent: this was approved for Ann Example (main), but Jira is now connected as ${now}. Ask again to use that account.`,
  });
  expect((await world().call("GET /approvals", { token })).body).toMatchObject({ approvals: [] });
});

test("a confirmation does not count after another account was connected", async () => {
  const { token, session } = await connect(world());
  model.script({ calls: [CLOSE] }, { text: "Done." });
  const confirmation = await world().call("POST /ask", { token, body: { prompt: "close KAY-3", confirm: true } });
  expect(confirmation.body).toMatchObject({ data: { plan: [{ account: "Ann Example (main)" }] } });
  await connect(world(), { session_id: session }, { account: BOB, token });
  const body = { confirmation_token: confirmation.body.confirmation_token, approved: true };
  const answer = await world().call("POST /ask/confirm", { token, body });
  expect(answer.body).toMatchObject({ code: "ACCOUNT_MISMATCH" });
  expect(JSON.stringify(answer.body)).toContain("Bob Example (main)");
});

test("the same account connected again changes nothing about an approval", async () => {
  const { token, session } = await connect(world());
  model.script({ calls: [CLOSE] }, { text: "Done." });
  const turn = await ask(world(), token, "close KAY-3");
  const request = await turn.asked();
  await connect(world(), { session_id: session });
  world().outside.expect("POST https://api.atlassian.com/close/KAY-3", json({}));
  await turn.answer(request.interaction_id, { action: "approve" });
  await turn.end();
  expect(turn.text()).toBe("Done.");
});

test("a schedule's --allow covers only the account that was connected when it was added", async () => {
  const first = await connect(world());
  const { token, session } = first;
  const schedule = { timing: "hour", time_zone: "Europe/Berlin", prompt: "close KAY-2", allow: ["jira.close_issue"] };
  const { id } = (await world().call("POST /schedules", { token, body: schedule })).body;
  const run = async () => {
    model.script({ calls: [["c1", "jira.close_issue", { issue: "KAY-2" }]] }, { text: "So." });
    const { generation_id } = (await world().call(`POST /schedules/${id}/run`, { token, body: {} })).body;
    return `GET /generations/${generation_id}`;
  };
  const status = async (generation: string) => (await world().call(generation, { token })).body.status;
  log.length = 0;
  world().outside.expect("POST https://api.atlassian.com/close/KAY-2", json({}));
  const before = await run();
  await expect.poll(() => status(before)).toBe("completed");
  expect(log).toEqual(["close KAY-2"]);
  await connect(world(), { session_id: session }, { account: BOB, token });
  const after = await run();
  await expect.poll(() => status(after)).toBe("awaiting_approval");
  expect(log).toEqual(["close KAY-2"]);
});
