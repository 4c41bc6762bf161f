import { sql } from "kysely";
import { expect, test } from "vitest";
import { startGenerationIn } from "#backend/generations/requests/start";
import { findGeneration } from "#backend/store/generations";
import { connect } from "#test/consent";
import { type DeskLog, deskServices } from "#test/desk";
import { useScriptedBackend } from "#test/scripted-backend";
import { ask } from "#test/turn";

const log: DeskLog = [];
const { model, world } = useScriptedBackend({ services: deskServices(log) });

test("a queued question is answered after the previous one, with its own answer", async () => {
  const { token } = await connect(world());
  const { promise, resolve } = Promise.withResolvers<void>();
  model.script({ text: ["One", "."], meanwhile: promise }, { text: "Two." }, { text: "Three." });
  const first = await ask(world(), token, "one");
  await first.next("text-delta");
  const queued = { token, body: { prompt: "two", session_id: first.session, when_busy: "queue" } };
  const second = world().call("POST /ask", queued);
  const third = second.then(() => world().call("POST /ask", { ...queued, body: { ...queued.body, prompt: "three" } }));
  await expect.poll(async () => (await open(first.session)).map(({ status }) => status)).toEqual(["running", "paused"]);
  expect(model.left()).toBe(2);
  resolve();
  await first.end();
  expect(await second).toMatchObject({ status: 200, body: { status: "completed", message: "Two." } });
  expect(await third).toMatchObject({ status: 200, body: { status: "completed", message: "Three." } });
  expect(first.text()).toBe("One.");
});

test("a question that is queued while the previous one ends is answered after the next tick", async () => {
  const { token } = await connect(world());
  const gate = Promise.withResolvers<void>();
  const answer = async () => {
    await gate.promise;
    return { text: "One." };
  };
  model.script(answer, { text: "Two." });
  const first = await ask(world(), token, "one");
  await first.next("start-step");
  const { db, clock } = world().ports;
  const [row] = await open(first.session);
  const { installation_id: installationId, request } = (await findGeneration(db, row?.id ?? "")) ?? expect.fail();
  const second = await db.transaction().execute(async (tx) => {
    const place = { installationId, conversationId: first.session, now: clock.now() };
    const started = await startGenerationIn(tx, { ...place, request: { ...request, prompt: "two" } });
    gate.resolve();
    // The end waits for the lock of the conversation, so it was sent before the queued question is committed.
    const waits = sql<{ count: number }>`select count(*)::int as count from pg_locks where not granted
      and pid in (select pid from pg_stat_activity where datname = current_database())`;
    await expect.poll(async () => (await waits.execute(tx)).rows[0]?.count).toBeGreaterThan(0);
    return started;
  });
  expect(second.queued).toBe(true);
  await first.end();
  await world().backend.tick();
  await expect.poll(async () => (await findGeneration(db, second.generationId))?.status).toBe("completed");
});

test("a request held for a confirmation does not block the next question", async () => {
  const { token } = await connect(world());
  model.script({ text: "Hello." });
  const { body: greeting } = await world().call("POST /ask", { token, body: { prompt: "hi", interactive: true } });
  const { promise, resolve } = Promise.withResolvers<void>();
  const destroy = async () => {
    await promise;
    return { calls: [["c1", "jira.delete_issue", { issue: "KAY-3" }] as [string, string, object]] };
  };
  model.script(destroy, { text: "Two." });
  const { session_id } = greeting;
  const first = world().call("POST /ask", { token, body: { prompt: "one", session_id } });
  await expect.poll(async () => (await open(session_id)).length).toBe(1);
  const second = world().call("POST /ask", { token, body: { prompt: "two", session_id, when_busy: "queue" } });
  await expect.poll(async () => (await open(session_id)).length).toBe(2);
  resolve();
  expect(await first).toMatchObject({ status: 200, body: { status: "confirmation_required" } });
  expect(await second).toMatchObject({ status: 200, body: { status: "completed", message: "Two." } });
});

test("a caller that leaves the queue stops its question before it begins", async () => {
  const { token } = await connect(world());
  const { promise, resolve } = Promise.withResolvers<void>();
  model.script({ text: ["One", "."], meanwhile: promise });
  const first = await ask(world(), token, "one");
  await first.next("text-delta");
  const controller = new AbortController();
  const request = new Request(`${world().ports.publicUrl}/ask`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ prompt: "two", session_id: first.session, when_busy: "queue" }),
    signal: controller.signal,
  });
  const answer = world().backend.fetch(request);
  await expect.poll(async () => (await open(first.session)).length).toBe(2);
  controller.abort();
  expect(await (await answer).json()).toMatchObject({ status: "error", code: "CANCELLED" });
  resolve();
  await first.end();
  expect(model.left()).toBe(0);
  expect(await open(first.session)).toEqual([]);
});

/** What is not over of a conversation, oldest first. */
const open = (session: unknown) => {
  const rows = world().ports.db.selectFrom("generations").selectAll().where("finished_at", "is", null);
  return rows.where("conversation_id", "=", String(session)).orderBy("created_at").execute();
};
