import { Problem } from "#protocol/errors";
import type { InteractionExtended } from "#protocol/events";
import type { BackendPorts } from "../ports.ts";
import { appendEvents } from "../store/events.ts";
import { delayWake, lockGeneration } from "../store/generations.ts";
import { extendInteraction, findInteraction } from "../store/interactions.ts";
import { interactionClosedProblem } from "./pending.ts";

/** How long a request waits after the user was last at work on it, in ms. */
const EXTENSION_MS = 5 * 60_000;

/** A request waits no longer than this after it was made, in ms. */
const LONGEST_MS = 24 * 60 * 60_000;

/**
 * Gives the user who is at work on an open request five more minutes, and tells every client.
 * @throws Problem INTERACTION_NOT_FOUND, INTERACTION_CLOSED
 */
export async function extendRequest(
  { db, clock }: BackendPorts,
  place: { installationId: string; conversationId: string; interactionId: string },
): Promise<InteractionExtended> {
  const found = await findInteraction(db, place.interactionId);
  if (found?.installation_id !== place.installationId || found.conversation_id !== place.conversationId)
    throw new Problem("INTERACTION_NOT_FOUND", "No request has this ID.");
  if (found.status !== "open") throw interactionClosedProblem(found);
  const now = clock.now();
  const until = new Date(Math.min(now + EXTENSION_MS, found.created_at.getTime() + LONGEST_MS));
  if (until <= found.expires_at) return { interaction_id: found.id, expires_at: found.expires_at.toISOString() };
  const extended: InteractionExtended = { interaction_id: found.id, expires_at: until.toISOString() };
  const isOpen = await db.transaction().execute(async (tx) => {
    await lockGeneration(tx, found.generation_id);
    if (!(await extendInteraction(tx, found.id, until, now))) return false;
    await delayWake(tx, found.generation_id, until, now);
    const part = { type: "data-interaction-extended" as const, id: found.id, data: extended };
    await appendEvents(tx, found.conversation_id, [{ generationId: found.generation_id, part }], now);
    return true;
  });
  if (isOpen) return extended;
  throw interactionClosedProblem((await findInteraction(db, found.id)) ?? found);
}
