import { Problem } from "#protocol/errors";
import type { InteractionExtended } from "#protocol/interactions";
import type { BackendPorts } from "../ports.ts";
import { canAnswer, isFollowed } from "../store/clients.ts";
import { appendEvents } from "../store/events.ts";
import { delayWake } from "../store/generation-wakes.ts";
import { lockGeneration } from "../store/generations.ts";
import { extendInteraction, findInteraction, listExpiringSoon, type StoredInteraction } from "../store/interactions.ts";
import { runTransaction } from "../store/wake-ups.ts";
import { interactionClosedProblem } from "./pending.ts";

/** How long a request waits after the user was last at work on it, in ms. */
const EXTENSION_MS = 5 * 60_000;

/** A request waits no longer than this after it was made, in ms. */
const LONGEST_MS = 24 * 60 * 60_000;

/** How long before its deadline a request is extended because a client is attached, in ms. */
const AHEAD_MS = 60_000;

/**
 * Extends an open request by five minutes because the user is working on it, and notifies every client.
 * @throws Problem INTERACTION_NOT_FOUND, INTERACTION_CLOSED
 */
export async function extendRequest(
  { db, clock }: BackendPorts,
  place: { installationId: string; conversationId: string; interactionId: string },
): Promise<InteractionExtended> {
  const interaction = await findInteraction(db, place.interactionId);
  if (interaction?.installation_id !== place.installationId || interaction.conversation_id !== place.conversationId)
    throw new Problem("INTERACTION_NOT_FOUND", "No request has this ID.");
  if (interaction.status !== "open") throw interactionClosedProblem(interaction);
  const now = clock.now();
  const deadline = new Date(Math.min(now + EXTENSION_MS, interaction.created_at.getTime() + LONGEST_MS));
  if (deadline <= interaction.expires_at)
    return { interaction_id: interaction.id, expires_at: interaction.expires_at.toISOString() };
  const extended = await extendTo(db, interaction, deadline, now);
  if (extended) return extended;
  throw interactionClosedProblem((await findInteraction(db, interaction.id)) ?? interaction);
}

/** Keeps requests open that would expire soon, for as long as a client that can answer is attached. */
export async function extendAttended({ db }: Pick<BackendPorts, "db">, now: number): Promise<void> {
  for (const interaction of await listExpiringSoon(db, now + AHEAD_MS)) {
    const { conversation_id: id } = interaction;
    if (!((await canAnswer(db, id, now)) ?? (await isFollowed(db, id)))) continue;
    const ms = interaction.expires_at.getTime() - interaction.created_at.getTime();
    await extendTo(db, interaction, new Date(now + Math.min(ms, LONGEST_MS)), now);
  }
}

/** Moves the deadline and notifies every client. Returns undefined unless the request is still open. */
async function extendTo(
  db: BackendPorts["db"],
  { id, generation_id: generationId, conversation_id }: StoredInteraction,
  deadline: Date,
  now: number,
): Promise<InteractionExtended | undefined> {
  const extended: InteractionExtended = { interaction_id: id, expires_at: deadline.toISOString() };
  return await runTransaction(db, async (tx) => {
    await lockGeneration(tx, generationId);
    if (!(await extendInteraction(tx, id, deadline, now))) return undefined;
    await delayWake(tx, generationId, deadline, now);
    const part = { type: "data-interaction-extended" as const, id, data: extended };
    await appendEvents(tx, conversation_id, [{ generationId, part }], now);
    return extended;
  });
}
