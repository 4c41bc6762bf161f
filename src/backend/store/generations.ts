import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { Database, Generations } from "./schema.ts";

/** A new answer being made, `gen_…`. */
export async function createGeneration(
  db: Kysely<Database>,
  { installationId, conversationId, now }: { installationId: string; conversationId: string; now: number },
): Promise<string> {
  const id = `gen_${randomBytes(16).toString("hex")}`;
  await db
    .insertInto("generations")
    .values({
      id,
      conversation_id: conversationId,
      installation_id: installationId,
      status: "running",
      created_at: new Date(now),
    })
    .execute();
  return id;
}

/** Set where a generation stands; everything but running and awaiting is its end. */
export async function setGenerationStatus(
  db: Kysely<Database>,
  id: string,
  status: Generations["status"],
  now: number,
): Promise<void> {
  const over = status === "completed" || status === "cancelled" || status === "error";
  await db
    .updateTable("generations")
    .set({ status, finished_at: over ? new Date(now) : null })
    .where("id", "=", id)
    .execute();
}

/** At start-up: generations that a stopped process was making will not go on. */
export async function endLostGenerations(db: Kysely<Database>, now: number): Promise<void> {
  await db
    .updateTable("generations")
    .set({ status: "error", finished_at: new Date(now) })
    .where("status", "=", "running")
    .execute();
}
