import { expect, test } from "vitest";
import { DEFAULT_LIMITS } from "#backend/http/rate-limits";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const log: DeskLog = [];
const limits = { ...DEFAULT_LIMITS, requestsPerMinute: 1e6, sensitivePerMinute: 1e6 };
const { model, world } = useScriptedBackend({ services: deskServices(log), limits });
const TURNS = 60;

test("sixty approvals of sixty turns, all answered at once, run once each", { timeout: 60_000 }, async () => {
  const { token } = await connect(world());
  const logLength = log.length;
  const issues = Array.from({ length: TURNS }, (_, index) => `KAY-${1000 + index}`);
  const turns = [];
  for (const issue of issues) {
    model.script({ calls: [["c1", "jira.close_issue", { issue }]] });
    const turn = await ask(world(), token, `close ${issue}`);
    turns.push({ turn, request: await turn.asked() });
    await turn.until("awaiting_approval");
  }
  for (const issue of issues) world().outside.expect(`POST https://api.atlassian.com/close/${issue}`, json({}));
  model.script(...issues.map(() => ({ text: "Closed." })));
  const answers = await Promise.all(
    turns.map(({ turn, request }) => turn.answer(request.interaction_id, { action: "approve" })),
  );
  await Promise.all(turns.map(({ turn }) => turn.end()));
  expect(answers.map(({ status }) => status)).toEqual(issues.map(() => 200));
  expect(log.slice(logLength).sort()).toEqual(issues.map((issue) => `close ${issue}`));
  for (const { turn } of turns)
    expect(turn.parts.filter((part) => part.type === "data-receipt" && part.data.effect === "settled")).toHaveLength(1);
});

test("of two terminals that answer at once one always wins, and log and rows agree", {
  timeout: 60_000,
}, async () => {
  const { token } = await connect(world());
  for (let round = 0; round < 25; round++) {
    const issue = `KAY-${2000 + round}`;
    model.script({ calls: [["c1", "jira.close_issue", { issue }]] }, { text: "So." });
    const turn = await ask(world(), token, `close ${issue}`);
    const { interaction_id: id } = await turn.asked();
    const logLength = log.length;
    let ran = false;
    const answered = Promise.all(["approve", "deny"].map((action) => turn.answer(id, { action, client: action })));
    world().outside.expect(`POST https://api.atlassian.com/close/${issue}`, () => {
      ran = true;
      return Response.json({});
    });
    const answers = await answered;
    await turn.end();
    const did = ran;
    if (!ran) await world().ports.fetch(`https://api.atlassian.com/close/${issue}`, { method: "POST" });
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const [won, lost] = answers[0]?.status === 200 ? answers : answers.toReversed();
    expect(lost?.body.answered).toMatchObject({ action: won?.body.action, client: won?.body.client });
    const actions = turn.parts.flatMap((part) => (part.type === "data-interaction-response" ? [part.data.action] : []));
    expect([actions, did, log.length - logLength]).toEqual([
      [won?.body.action],
      won?.body.action === "approve",
      did ? 1 : 0,
    ]);
  }
});
