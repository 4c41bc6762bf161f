import type { InteractionResponse } from "#protocol/events";
import type { BackendPorts } from "../ports.ts";
import { appendEvents } from "../store/events.ts";
import { lockGeneration, wakeGeneration } from "../store/generations.ts";
import { closeInteraction, listExpiredInteractions, type StoredInteraction } from "../store/interactions.ts";
import { toResponseParts } from "./calls.ts";

/**
 * Close every request whose time is over, once, whichever node comes first.
 *
 * @returns the generations that waited for them
 */
export async function expireOverdue(
  ports: Pick<BackendPorts, "db" | "clock" | "observe">,
  now: number,
): Promise<string[]> {
  const ids = new Set<string>();
  for (const interaction of await listExpiredInteractions(ports.db, now)) {
    await expireInteraction(ports, interaction, now);
    if (!interaction.late) ids.add(interaction.generation_id);
  }
  return [...ids];
}

/** Close one as expired. False when something else ended it first. */
export async function expireInteraction(
  { db, observe }: Pick<BackendPorts, "db" | "observe">,
  { id, conversation_id, generation_id, late }: StoredInteraction,
  now: number,
): Promise<boolean> {
  const answered_at = new Date(now).toISOString();
  const response: InteractionResponse = { interaction_id: id, action: "expire", answered_at };
  const isFirst = await db.transaction().execute(async (tx) => {
    await lockGeneration(tx, generation_id);
    if (!(await closeInteraction(tx, id, "expired", response, now))) return false;
    const parts = toResponseParts(response).map((part) => ({ generationId: generation_id, part }));
    await appendEvents(tx, conversation_id, parts, now);
    if (!late) await wakeGeneration(tx, generation_id, now);
    return true;
  });
  if (isFirst) observe?.count("kay_interactions_total", { event: "expired" });
  return isFirst;
}
