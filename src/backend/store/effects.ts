import { type Kysely, sql } from "kysely";
import type { Receipt } from "#protocol/ask";
import { cleanText, toJsonColumn } from "./column-types.ts";
import { LIVE_NODES_SQL } from "./node.ts";
import type { Database } from "./schema.ts";

/** The record of a write before it is sent. `id` is its idempotency key. */
export type PlannedEffect = {
  id: string;
  generationId: string;
  installationId: string;
  toolCallId: string;
  tool: string;
  input: Record<string, unknown>;
  summary: string;
  /** The node that will send it. */
  node: number | null;
};

/**
 * Records an effect before anything is sent. An effect that was recorded before is returned: a write that may have left
 * becomes unknown, and a refused one stays refused.
 */
export async function planEffect(
  db: Kysely<Database>,
  effect: PlannedEffect,
  now: number,
): Promise<{ state: "new" | "planned" | "unknown" } | { state: "settled" | "refused"; result: unknown }> {
  const date = new Date(now);
  const fresh = db.insertInto("effects").values(toRow(effect, date));
  const { numInsertedOrUpdatedRows } = await fresh.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  if (numInsertedOrUpdatedRows) return { state: "new" };
  return await db.transaction().execute(async (tx) => {
    const query = tx.selectFrom("effects").selectAll().where("id", "=", effect.id);
    const stored = await query.forUpdate().executeTakeFirstOrThrow();
    if (stored.state === "settled") return { state: "settled", result: stored.result };
    if (stored.state === "failed" && stored.result !== null) return { state: "refused", result: stored.result };
    const state = stored.state === "planned" || stored.state === "failed" ? "planned" : "unknown";
    // The sender may still receive the answer and record it.
    const node = state === "planned" ? effect.node : stored.node;
    await tx.updateTable("effects").set({ state, node, updated_at: date }).where("id", "=", effect.id).execute();
    return { state };
  });
}

/**
 * Records an effect that no one recorded before as sent, or as failed, as long as the node works on its generation.
 *
 * @returns false when another node does it now: then nothing may be sent from here
 */
export async function insertEffect(
  db: Kysely<Database>,
  effect: PlannedEffect,
  { state, account }: { state: "sent" | "failed" | "unknown"; account: string | undefined },
  now: number,
): Promise<boolean> {
  const cleanAccount = account === undefined ? null : cleanText(account);
  const { generationId, node, input } = effect;
  const row = { ...toRow(effect, new Date(now)), input, state, account: cleanAccount };
  const names = sql.join(Object.keys(row).map((name) => sql.id(name)));
  const { rows } = await sql`with held as materialized (select id from generations
      where id = ${generationId} and finished_at is null and node = ${node} for no key update)
    insert into "effects" (${names}) select ${sql.join(Object.keys(row).map((name) => sql`given.${sql.id(name)}`))}
    from held, jsonb_populate_record(null::effects, ${toJsonColumn(row)}::jsonb) as given
    on conflict do nothing returning id`.execute(db);
  return rows.length > 0;
}

/** An effect as its node knows it. */
export type EffectKey = { id: string; node: number | null };

/**
 * Records the progress of an effect.
 *
 * @param account name of the account that it is sent as
 * @returns false if another node has it now; then nothing may be sent from here
 */
export async function setEffectState(
  db: Kysely<Database>,
  effect: EffectKey,
  state: "sent" | "failed" | "unknown",
  now: number,
  account?: string,
): Promise<boolean> {
  const accountColumn = account === undefined ? {} : { account: cleanText(account) };
  const update = updateOwnEffect(db, effect).set({ state, updated_at: new Date(now), ...accountColumn });
  const open = state === "sent" ? update.where("state", "in", ["planned", "failed"]) : update;
  return (await open.executeTakeFirst()).numUpdatedRows > 0n;
}

/** Records that an effect succeeded, with the tool's result. */
export async function settleEffect(
  db: Kysely<Database>,
  effect: EffectKey,
  result: { url?: string },
  now: number,
): Promise<void> {
  const settled = { state: "settled", url: result.url ?? null, result: toJsonColumn(result) } as const;
  await updateOwnEffect(db, effect)
    .set({ ...settled, updated_at: new Date(now) })
    .execute();
}

/** Records that the service refused an effect, with its reason. This is final. */
export async function refuseEffect(
  db: Kysely<Database>,
  effect: EffectKey,
  problem: object,
  now: number,
): Promise<void> {
  await updateOwnEffect(db, effect)
    .set({ state: "failed", result: toJsonColumn(problem), updated_at: new Date(now) })
    .execute();
}

/**
 * Takes over an effect that is unknown because its node is gone, if it has a task that can still be queried.
 *
 * @returns false without such a task
 */
export async function resumeEffect(db: Kysely<Database>, { id, node }: EffectKey, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("effects")
    .set({ state: "planned", node, updated_at: new Date(now) })
    .where("id", "=", id)
    .where("state", "=", "unknown")
    .where("id", "in", db.selectFrom("call_tasks").select("id"))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function updateOwnEffect(db: Kysely<Database>, { id, node }: EffectKey) {
  return db
    .updateTable("effects")
    .where("id", "=", id)
    .where("node", node === null ? "is" : "=", node);
}

/** Lists what a generation did or may have done, oldest first. Writes that certainly failed are left out. */
export async function listReceipts(db: Kysely<Database>, generationId: string): Promise<Receipt[]> {
  const rows = await db
    .selectFrom("effects")
    .selectAll()
    .where("generation_id", "=", generationId)
    .where("state", "!=", "failed")
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    tool_call_id: row.tool_call_id,
    tool: row.tool,
    effect: row.state === "failed" ? "unknown" : row.state,
    summary: row.summary,
    ...(row.url ? { url: row.url } : {}),
  }));
}

/**
 * Marks effects of vanished nodes: those sent without an answer become unknown and are never sent again; those only
 * planned were never sent.
 * @returns how many are unknown now
 */
export async function markLostEffects(db: Kysely<Database>, now: number): Promise<number> {
  const date = new Date(now);
  const isNodeLost = sql<boolean>`(node is null or node not in (${sql.raw(LIVE_NODES_SQL)}))`;
  const lost = await db
    .updateTable("effects")
    .set({ state: "unknown", updated_at: date })
    .where("state", "=", "sent")
    .where(isNodeLost)
    .executeTakeFirst();
  await db
    .updateTable("effects")
    .set({ state: "failed", updated_at: date })
    .where("state", "=", "planned")
    .where(isNodeLost)
    .execute();
  return Number(lost.numUpdatedRows);
}

function toRow(effect: PlannedEffect, date: Date) {
  return {
    id: effect.id,
    generation_id: effect.generationId,
    installation_id: effect.installationId,
    tool_call_id: effect.toolCallId,
    tool: effect.tool,
    input: toJsonColumn(effect.input),
    state: "planned",
    summary: cleanText(effect.summary),
    url: null,
    node: effect.node,
    account: null,
    created_at: date,
    updated_at: date,
  } as const;
}
