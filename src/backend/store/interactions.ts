import { randomBytes } from "node:crypto";
import { type Kysely, type Selectable, sql } from "kysely";
import type { InteractionResponse } from "#protocol/events";
import type { Connection } from "./connection.ts";
import { jsonColumn } from "./json.ts";
import type { Database } from "./schema.ts";
import type { Interactions } from "./schema-work.ts";

/** A request to a person, as it is stored. */
export type StoredInteraction = Selectable<Interactions>;

/** `int_…`, not to be guessed: it answers for somebody. */
export function interactionId(): string {
  return `int_${randomBytes(16).toString("hex")}`;
}

export async function insertInteraction(
  tx: Connection,
  row: Pick<
    StoredInteraction,
    | "id"
    | "installation_id"
    | "conversation_id"
    | "generation_id"
    | "tool_call_id"
    | "ordinal"
    | "late"
    | "request"
    | "created_at"
    | "expires_at"
  >,
): Promise<void> {
  await tx
    .insertInto("interactions")
    .values({ ...row, request: jsonColumn(row.request), status: "open" })
    .execute();
}

/** Those of a generation in the order they were asked. */
export async function interactionsOf(db: Connection, generationId: string): Promise<StoredInteraction[]> {
  return await db
    .selectFrom("interactions")
    .selectAll()
    .where("generation_id", "=", generationId)
    .orderBy("created_at")
    .orderBy("ordinal")
    .execute();
}

/** The open requests of a generation that its calls wait for. */
export async function openOf(
  db: Connection,
  generationId: string,
): Promise<{ toolCallId: string; kind: "approval" | "input"; expiresAt: number }[]> {
  const rows = await db
    .selectFrom("interactions")
    .select(["tool_call_id", "expires_at"])
    .select(sql<"approval" | "input">`request ->> 'interaction_type'`.as("kind"))
    .where("generation_id", "=", generationId)
    .where("status", "=", "open")
    .where("late", "=", false)
    .execute();
  return rows.map(({ tool_call_id, kind, expires_at }) => ({
    toolCallId: tool_call_id,
    kind,
    expiresAt: expires_at.getTime(),
  }));
}

/** The request at this place of a call. */
export async function interactionOf(
  db: Connection,
  generationId: string,
  toolCallId: string,
  ordinal: number,
): Promise<StoredInteraction | undefined> {
  return await db
    .selectFrom("interactions")
    .selectAll()
    .where("generation_id", "=", generationId)
    .where("tool_call_id", "=", toolCallId)
    .where("ordinal", "=", ordinal)
    .executeTakeFirst();
}

export async function findInteraction(db: Connection, id: string): Promise<StoredInteraction | undefined> {
  return await db.selectFrom("interactions").selectAll().where("id", "=", id).executeTakeFirst();
}

/**
 * End an interaction. The first end wins, whichever node or process brings it; an answer counts only before `expires_at`.
 *
 * @returns whether this one won
 */
export async function closeInteraction(
  tx: Connection,
  id: string,
  status: "answered" | "expired" | "cancelled",
  response: InteractionResponse,
  now: number,
): Promise<boolean> {
  const at = new Date(now);
  let query = tx
    .updateTable("interactions")
    .set({ status, response: jsonColumn(response), answered_at: at })
    .where("id", "=", id)
    .where("status", "=", "open");
  if (status === "answered") query = query.where("expires_at", ">", at);
  const { numUpdatedRows } = await query.executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Open ones that have expired. */
export async function expiredInteractions(db: Kysely<Database>, now: number): Promise<StoredInteraction[]> {
  return await db
    .selectFrom("interactions")
    .selectAll()
    .where("status", "=", "open")
    .where("expires_at", "<=", new Date(now))
    .limit(500)
    .execute();
}

/** Open ones of an installation, oldest first. */
export async function openInteractions(db: Kysely<Database>, installationId: string): Promise<StoredInteraction[]> {
  return await db
    .selectFrom("interactions")
    .selectAll()
    .where("installation_id", "=", installationId)
    .where("status", "=", "open")
    .orderBy("created_at")
    .execute();
}
