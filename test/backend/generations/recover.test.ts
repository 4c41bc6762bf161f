import { expect, test } from "vitest";
import { deriveInstallationId } from "#backend/accounts/sessions";
import { recoverLostWork } from "#backend/generations/recovery";
import { createConversation } from "#backend/store/conversations";
import { listReceipts, planEffect, setEffectState, settleEffect } from "#backend/store/effects";
import { claimGeneration } from "#backend/store/generation-claims";
import { listGenerationsToWake } from "#backend/store/generation-wakes";
import { createGeneration } from "#backend/store/generations";
import { NOON, useBackend } from "#test/backend";
import { connect } from "#test/consent";
import { buildRequest } from "#test/generation-request";

const world = useBackend();

test("a write that was sent without an answer before a stop is unknown after the start, and nothing else is", async () => {
  const { session } = await connect(world());
  const { db } = world().ports;
  for (const state of ["planned", "sent", "settled"] as const) {
    const effect = {
      id: state,
      generationId: "gen_1",
      installationId: deriveInstallationId(session),
      toolCallId: state,
      tool: "jira.close",
      input: {},
      summary: state,
      node: null,
    };
    await planEffect(db, effect, NOON);
    if (state === "sent") await setEffectState(db, { id: state, node: null }, "sent", NOON);
    if (state === "settled") await settleEffect(db, { id: state, node: null }, {}, NOON);
  }
  await recoverLostWork(world().ports);
  expect(await listReceipts(db, "gen_1")).toEqual([
    { tool_call_id: "sent", tool: "jira.close", effect: "unknown", summary: "sent" },
    { tool_call_id: "settled", tool: "jira.close", effect: "settled", summary: "settled" },
  ]);
  expect(world().log.join("\n")).toContain("effects_unknown");
});

test("H13 an interrupted request is reported as such, and never repeated", async () => {
  const { token, session } = await connect(world());
  const { db } = world().ports;
  const { createHash } = await import("node:crypto");
  const body = JSON.stringify({ prompt: "hello" });
  const fingerprint = createHash("sha256").update(`POST /ask\n${body}`).digest("hex");
  await db
    .insertInto("requests")
    .values({
      installation_id: deriveInstallationId(session),
      key: "cut",
      fingerprint,
      state: "running",
      created_at: new Date(NOON),
    })
    .execute();
  expect((await world().call("GET /requests/cut", { token })).body).toEqual({ state: "running" });
  const headers = { "idempotency-key": "cut" };
  expect(await world().call("POST /ask", { token, headers, body })).toMatchObject({
    status: 409,
    body: { code: "IDEMPOTENCY_CONFLICT", state: "running" },
  });
  await recoverLostWork(world().ports);
  expect((await world().call("GET /requests/cut", { token })).body).toEqual({ state: "interrupted" });
  expect(await world().call("POST /ask", { token, headers, body })).toMatchObject({
    status: 409,
    body: { state: "interrupted" },
  });
});

test("answers and confirmations older than a week are deleted at a start, later ones are not", async () => {
  const { session } = await connect(world());
  const { db } = world().ports;
  const day = 24 * 60 * 60_000;
  for (const age of [6, 8]) {
    const created_at = new Date(NOON - age * day);
    const common = { installation_id: deriveInstallationId(session), created_at };
    const request = { ...common, key: `${age}`, fingerprint: "", state: "done" as const, status: 200, answer: "{}" };
    await db.insertInto("requests").values(request).execute();
    const ids = { generation_id: "gen_1", conversation_id: "session_1", prompt: "", context: "{}", interactive: false };
    const confirmation = { ...common, ...ids, hash: Buffer.from([age]), expires_at: created_at };
    await db.insertInto("confirmations").values(confirmation).execute();
  }
  await recoverLostWork(world().ports);
  const query = (table: "requests" | "confirmations") =>
    db.selectFrom(table).where("installation_id", "=", deriveInstallationId(session));
  expect(await query("requests").select("created_at").execute()).toEqual([{ created_at: new Date(NOON - 6 * day) }]);
  expect(await query("confirmations").select("created_at").execute()).toEqual([
    { created_at: new Date(NOON - 6 * day) },
  ]);
});

test("one check takes up a hundred generations of a vanished node, and the next one the rest", async () => {
  const { session } = await connect(world());
  const { db, node } = world().ports;
  const number = await node.number();
  for (let index = 0; index < 101; index++) {
    const conversationId = await createConversation(db, {
      installationId: deriveInstallationId(session),
      interactive: false,
      title: "left",
      now: NOON,
    });
    const request = buildRequest({ prompt: "left" });
    await createGeneration(db, {
      installationId: deriveInstallationId(session),
      conversationId,
      status: "running",
      request,
      now: NOON,
    });
  }
  const looks: number[] = [];
  for (let look = 0; look < 3; look++) {
    const ids = await listGenerationsToWake(db, NOON + 2_000, "all");
    looks.push(ids.length);
    for (const id of ids)
      expect(await claimGeneration(db, id, number, "all")).toMatchObject({ id, status: "running", node: null });
  }
  expect(looks).toEqual([100, 1, 0]);
});

test("a request whose step ended its node three times is given up, so that it cannot take down every backend", async () => {
  const { session } = await connect(world());
  const { db } = world().ports;
  const conversation = {
    installationId: deriveInstallationId(session),
    interactive: false,
    title: "poison",
    now: NOON,
  };
  const conversationId = await createConversation(db, conversation);
  const request = buildRequest({ prompt: "poison" });
  const fields = {
    installationId: deriveInstallationId(session),
    conversationId,
    status: "running" as const,
    request,
    now: NOON,
  };
  const id = await createGeneration(db, fields);
  const GONE = 1_000_000;
  const lose = (failures: number) =>
    db.updateTable("generations").set({ node: GONE, failures }).where("id", "=", id).execute();
  const find = () => db.selectFrom("generations").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  await lose(2);
  world().clock.advance(2_000);
  await world().backend.tick();
  await expect.poll(async () => (await find()).finished_at).not.toBe(null);
  expect(await find()).toMatchObject({ status: "error", node: null, failures: 3 });
  await expect.poll(() => world().log.join("\n")).toContain("generation_given_up");
});
