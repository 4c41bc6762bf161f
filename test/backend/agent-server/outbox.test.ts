import { expect, test } from "vitest";
import { SIGNATURE } from "#planner/reply";
import { type Begun, useAgentTurns } from "#test/agent-turn";
import { json } from "#test/outside";

const { roles, begin, shown, sent, waiting, holdWrite } = useAgentTurns();
const CLOSE = "POST https://api.atlassian.com/close/KAY-3";
const SAID = `KAY-3 is closed.\n\n${SIGNATURE}`;

/** Number of failed deliveries before a retry was scheduled; undefined while one is running. */
const putOff = async ({ generation }: Begun) => {
  const turns = roles().backend.ports.db.selectFrom("agent_turns").select(["courier", "tries"]);
  const row = await turns.where("generation_id", "=", generation).executeTakeFirst();
  return row?.courier === null ? row.tries : undefined;
};
const ALL = ["tool-call", "tool-result", "text", "finish"];

test("while the webhook is down, reports wait in the outbox and are delivered in order afterwards", async () => {
  const turn = await begin("close KAY-3");
  roles().backend.outside.expect(CLOSE, json({}));
  roles().webhook = false;
  await roles().stream(turn.url, turn.streamToken, "close KAY-3");
  await expect.poll(() => waiting(turn)).toEqual(ALL);
  await expect.poll(() => putOff(turn)).toBe(1);
  expect(sent(turn)).toEqual(["tool-call"]);
  roles().backend.clock.advance(400);
  await roles().agent().backend.tick();
  expect(sent(turn)).toEqual(["tool-call"]);
  roles().backend.clock.advance(200);
  await roles().agent().backend.tick();
  await expect.poll(() => putOff(turn)).toBe(2);
  expect(sent(turn)).toEqual(["tool-call", "tool-call"]);
  roles().webhook = true;
  roles().backend.clock.advance(1_000);
  await roles().agent().backend.tick();
  expect(await shown(turn)).toEqual({ text: SAID, tools: ["tool-input-available", "tool-output-available"] });
  expect(sent(turn)).toEqual(["tool-call", "tool-call", ...ALL]);
  expect(roles().agent().log.join("")).not.toMatch(/eyJ|token=/);
});

test("another agent server delivers the reports of a killed one; after the token expires, nobody does", async () => {
  const turn = await begin("show KAY-3");
  roles().webhook = false;
  await roles().stream(turn.url, turn.streamToken, "show KAY-3");
  await expect.poll(() => waiting(turn)).toEqual(ALL);
  await expect.poll(() => putOff(turn)).toBe(1);
  await roles().killAgent();
  roles().webhook = true;
  roles().backend.clock.advance(1_000);
  await roles().agent().backend.tick();
  expect(await shown(turn)).toMatchObject({ text: `**KAY-3** is open.\n\n${SIGNATURE}` });
  await expect.poll(() => waiting(turn)).toEqual([]);

  const late = await begin("show KAY-3");
  roles().webhook = false;
  await roles().stream(late.url, late.streamToken, "show KAY-3");
  await expect.poll(() => waiting(late)).toEqual(ALL);
  await expect.poll(() => putOff(late)).toBe(1);
  roles().webhook = true;
  roles().backend.clock.advance(10 * 60_000 + 1_000);
  const reportCount = sent(late).length;
  await roles().agent().backend.tick();
  await expect.poll(() => waiting(late)).toEqual([]);
  expect(sent(late).length).toBe(reportCount);
  expect(await shown(late)).toMatchObject({ text: "", tools: [] });
});

test("a turn whose agent server was killed during a write continues on another one, and the write is sent once", async () => {
  const turn = await begin("close KAY-3");
  const { reached, release } = holdWrite();
  const first = roles().agent();
  const request = new Request(`${turn.url}?token=${turn.streamToken}`, {
    method: "POST",
    body: JSON.stringify({ prompt: "close KAY-3" }),
  });
  const stream = await first.backend.fetch(request);
  await reached;
  await roles().killAgent();
  roles().backend.outside.expect(CLOSE, json({}));
  // The sender of the killed server may still be in the middle of a delivery here, so a report can arrive twice.
  await expect
    .poll(async () => {
      await roles().agent().backend.tick();
      return [...new Set(sent(turn))];
    })
    .toEqual(ALL);
  release();
  expect(await stream.text()).not.toContain("finish");
  expect(await shown(turn)).toEqual({ text: SAID, tools: ["tool-input-available", "tool-output-available"] });
});

test("a client that leaves in the middle causes no loss of reports to the backend", async () => {
  const turn = await begin("show KAY-3");
  const request = new Request(`${turn.url}?token=${turn.streamToken}`, {
    method: "POST",
    body: '{"prompt":"show KAY-3"}',
  });
  const { body } = await roles().agent().backend.fetch(request);
  const reader = (body as ReadableStream).getReader();
  await reader.read();
  await reader.cancel();
  expect(await shown(turn)).toEqual({
    text: `**KAY-3** is open.\n\n${SIGNATURE}`,
    tools: ["tool-input-available", "tool-output-available"],
  });
});

test("a turn that is stopped at the backend stops here before its next call", async () => {
  const turn = await begin("close KAY-3");
  const { reached, release } = holdWrite();
  const streaming = roles().stream(turn.url, turn.streamToken, "close KAY-1");
  await reached;
  await roles().backend.call(`POST /generations/${turn.generation}/cancel`, { token: turn.token });
  await shown(turn);
  // A notification may still be on its way; each check finds the cancellation.
  await roles().agent().backend.tick();
  release();
  const { parts } = await streaming;
  expect(parts.at(-1)).toEqual({ type: "abort" });
});
