import { expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { planEffect, setEffectState, settleEffect } from "#backend/store/effects";
import { NOON, useBackend } from "#test/backend";
import { connect } from "#test/consent";

const world = useBackend();

/** One write as two nodes know it: the one that planned it first, and the one that took its call over. */
async function twoNodes(id: string) {
  const { session } = await connect(world());
  const { db } = world().ports;
  const write = {
    generationId: "gen_1",
    installationId: deriveInstallationId(session),
    toolCallId: id,
    tool: "jira.close",
    input: {},
    summary: id,
  };
  const createNode = (node: number) => ({
    plan: () => planEffect(db, { id, node, ...write }, NOON),
    set: (state: "sent" | "failed" | "unknown") => setEffectState(db, { id, node }, state, NOON),
    settle: () => settleEffect(db, { id, node }, { url: "done" }, NOON),
  });
  const state = async () =>
    (await db.selectFrom("effects").select("state").where("id", "=", id).executeTakeFirst())?.state;
  return { first: createNode(101), second: createNode(102), state };
}

test("a write that another node took over before it was sent is not sent by the first", async () => {
  const { first, second, state } = await twoNodes("taken");
  expect(await first.plan()).toEqual({ state: "new" });
  expect(await second.plan()).toEqual({ state: "planned" });
  expect(await first.set("sent")).toBe(false);
  expect(await second.set("sent")).toBe(true);
  await first.set("failed");
  expect(await state()).toBe("sent");
  await second.settle();
  expect(await state()).toBe("settled");
});

test("a write that may have been sent is unknown to the node that takes over, and settled if its sender hears the answer after all", async () => {
  const { first, second, state } = await twoNodes("left");
  await first.plan();
  expect(await first.set("sent")).toBe(true);
  expect(await second.plan()).toEqual({ state: "unknown" });
  expect(await second.set("sent")).toBe(false);
  expect(await state()).toBe("unknown");
  await first.settle();
  expect(await second.plan()).toEqual({ state: "settled", result: { url: "done" } });
});
