import type { Kysely } from "kysely";
import type { Receipt } from "#protocol/ask";
import { cleanText, jsonColumn } from "./json.ts";
import type { Database, Effects } from "./schema.ts";

/** What is written down before a write is sent. `id` is its idempotency key. */
export type PlannedEffect = {
  id: string;
  generationId: string;
  installationId: string;
  toolCallId: string;
  tool: string;
  input: Record<string, unknown>;
  summary: string;
};

/** Write an effect down before anything is sent. */
export async function planEffect(db: Kysely<Database>, effect: PlannedEffect, now: number): Promise<void> {
  const at = new Date(now);
  await db
    .insertInto("effects")
    .values({
      id: effect.id,
      generation_id: effect.generationId,
      installation_id: effect.installationId,
      tool_call_id: effect.toolCallId,
      tool: effect.tool,
      input: jsonColumn(effect.input),
      state: "planned",
      summary: cleanText(effect.summary),
      url: null,
      created_at: at,
      updated_at: at,
    })
    .execute();
}

/** Write down how far an effect came. */
export async function setEffectState(
  db: Kysely<Database>,
  id: string,
  state: Effects["state"],
  now: number,
  url: string | null = null,
): Promise<void> {
  await db
    .updateTable("effects")
    .set({ state, url, updated_at: new Date(now) })
    .where("id", "=", id)
    .execute();
}

/** What a generation did or may have done, oldest first. Writes that failed for sure did nothing and are left out. */
export async function receiptsOf(db: Kysely<Database>, generationId: string): Promise<Receipt[]> {
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
 * At start-up: what a stopped process had sent without hearing the answer may have happened and is never sent again; what it had only
 * planned was never sent.
 *
 * @returns how many are unknown now
 */
export async function markLostEffects(db: Kysely<Database>, now: number): Promise<number> {
  const at = new Date(now);
  const lost = await db
    .updateTable("effects")
    .set({ state: "unknown", updated_at: at })
    .where("state", "=", "sent")
    .executeTakeFirst();
  await db.updateTable("effects").set({ state: "failed", updated_at: at }).where("state", "=", "planned").execute();
  return Number(lost.numUpdatedRows);
}
