import { expect, test } from "vitest";
import { createPeer } from "#test/backend";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { json } from "#test/outside";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask, follow } from "#test/turn";

const log: DeskLog = [];
const { model, world } = useScriptedBackend({ services: deskServices(log) });
const CLOSE = "POST https://api.atlassian.com/close/KAY-3";

/** A generation that waits for an approval when its backend ends, and another backend on the same database. */
async function restartBackend() {
  const { token } = await connect(world());
  model.script({ calls: [["c1", "jira.close_issue", { issue: "KAY-3" }]] });
  const turn = await ask(world(), token, "close KAY-3", { approval_timeout: 300 });
  const request = await turn.asked();
  await turn.until("awaiting_approval");
  await turn.close();
  await world().backend.close();
  const second = createPeer(world());
  return { token, turn, request, second };
}

test("G17 after a restart an open approval is still open, and answering it runs exactly what was shown", async () => {
  const { token, turn, request, second } = await restartBackend();
  const logLength = log.length;
  const resumed = await follow(second, token, turn.session);
  expect(await resumed.asked()).toEqual(request);
  await second.backend.tick();
  expect(log.slice(logLength)).toEqual([]);
  model.script({ text: "Closed." });
  world().outside.expect(CLOSE, json({}));
  expect((await resumed.answer(request.interaction_id, { action: "approve" })).status).toBe(200);
  await resumed.next("finish");
  await resumed.close();
  expect(log.slice(logLength)).toEqual(["close KAY-3"]);
  expect(resumed.text()).toBe("Closed.");
  const replayed = await follow(second, token, turn.session, "after=0&live=false");
  await replayed.end();
  expect(replayed.parts.filter(({ type }) => /^data-interaction/.test(type))).toMatchObject([
    { type: "data-interaction-request", id: request.interaction_id },
    { type: "data-interaction-response", id: request.interaction_id, data: { action: "approve" } },
  ]);
  expect(log.slice(logLength)).toEqual(["close KAY-3"]);
});

test("G17 an approval that expired while no backend ran is read-only, and nothing runs", async () => {
  const { token, turn, request, second } = await restartBackend();
  const logLength = log.length;
  model.script({ text: "It was not closed." });
  world().clock.advance(300_000);
  expect((await second.call("GET /pending", { token })).body).toEqual({ pending: [] });
  const resumed = await follow(second, token, turn.session);
  await second.backend.tick();
  await resumed.next("finish");
  expect(resumed.parts.filter(({ type }) => type === "data-interaction-response")).toMatchObject([
    { id: request.interaction_id, data: { action: "expire" } },
  ]);
  expect(await resumed.answer(request.interaction_id, { action: "approve" })).toMatchObject({ status: 409 });
  await resumed.close();
  expect(log.slice(logLength)).toEqual([]);
});
