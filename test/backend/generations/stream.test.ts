import { expect, test } from "vitest";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { openStream } from "#test/event-stream";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";

const log: DeskLog = [];
const { model, world } = useScriptedBackend({ services: deskServices(log) });
const CLOSE = "POST https://api.atlassian.com/close/KAY-3";

const ask = async (token: string, body: object) =>
  openStream(world(), "POST /ask", token, { body: { prompt: "go", ...body } });

test("an answer is streamed as the AI SDK's parts, from the user's message to the end of the generation", async () => {
  const { token } = await connect(world());
  model.script({ text: ["Hel", "lo."] });
  const stream = await ask(token, { prompt: "say hello" });
  expect(await stream.end()).toEqual([
    "data-user-message",
    "start",
    "data-status",
    "start-step",
    "text-start",
    "text-delta",
    "text-end",
    "finish-step",
    "data-status",
    "finish",
  ]);
  expect(stream.done()).toBe(true);
  expect(stream.text()).toBe("Hello.");
  expect(stream.parts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const session = stream.headers.get("kay-session-id");
  expect(stream.parts[1]).toMatchObject({
    messageMetadata: { session_id: session, generation_id: expect.any(String) },
  });
});

test("a write waits for an approval that says exactly what it would do, and runs once after it is approved", async () => {
  const { token } = await connect(world());
  model.script({ calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] }, { text: "Closed." });
  const stream = await ask(token, { prompt: "close KAY-3" });
  const { data } = await stream.next("data-interaction-request");
  expect(data).toMatchObject({
    tool_call_id: "c1",
    tool_name: "jira.close_issue",
    interaction_type: "approval",
    prompt: "Close KAY-3",
    preview: { access: "write", fields: [{ name: "issue", value: "KAY-3", origin: "person" }] },
    editable: true,
    approval_scopes: [{ scope: "once", words: "once" }, { scope: "session" }, { scope: "always" }],
  });
  expect((await stream.next("data-status")).data.status).toBe("awaiting_approval");
  const session = stream.headers.get("kay-session-id");
  world().outside.expect(CLOSE, json({}));
  const answered = await world().call(`POST /sessions/${session}/interactions/${data.interaction_id}`, {
    token,
    body: { action: "approve" },
  });
  expect(answered).toMatchObject({ status: 200, body: { action: "approve", approval_scope: "once" } });
  await stream.end();
  expect(stream.text()).toBe("Closed.");
  expect(
    stream.parts
      .filter(({ type }) => type === "data-receipt")
      .map((part) => part.type === "data-receipt" && part.data.effect),
  ).toEqual(["planned", "sent", "settled"]);
  expect(stream.parts.at(-1)).toMatchObject({ type: "finish" });
});

test("a paused generation exists as rows only", async () => {
  const { token } = await connect(world());
  model.script({ calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] });
  const stream = await ask(token, { prompt: "close KAY-3" });
  await stream.next("data-interaction-request");
  await stream.next("data-status");
  // Only the stream is left.
  await expect.poll(() => world().backend.busy()).toBe(1);
  await stream.close();
});
