import type { ModelMessage } from "ai";
import type { Wait } from "#agent/events";
import { Problem } from "#protocol/errors";
import { hasApproved } from "../../store/interactions.ts";
import { getNextRound } from "../progress.ts";
import type { ClaimedGeneration } from "../work.ts";
import { toAsker } from "./call-context.ts";
import { type Asker, ensureInteraction, toWait } from "./interact.ts";

/**
 * Asks followers whether to continue with the newer half of a conversation that is too long for the model, keeping at
 * least the user's request. A conversation is asked once: after that approval it is shortened again when it must be.
 * @returns the wait, whether it was shortened, or undefined when nothing can be left out or no client can answer
 */
export async function askToShorten(
  generation: ClaimedGeneration,
  messages: ModelMessage[],
): Promise<Wait | "shortened" | undefined> {
  const count = takeNewest(messages, Math.floor(messages.length / 2)).length;
  if (generation.request.mode !== "stream" || count >= messages.length) return undefined;
  const conversation = generation.row.conversation_id;
  // The open step is in the claimed row, so only another claim can continue from it.
  if (generation.row.step === null && (await hasApproved(generation.ports.db, { conversation, toolName: SHORTEN }))) {
    await generation.advance({ type: "shortening-asked", keep: count });
    await generation.advance({ type: "shortened" });
    return "shortened";
  }
  const words = count === 1 ? "the newest message" : `the newest ${count} messages`;
  const interaction = await ensureInteraction(createShortener(generation, getNextRound(generation.progress())), 0, {
    type: "approval",
    prompt: `The conversation is too long for the model. Continue with ${words}?`,
    approvalScopes: [{ scope: "once", words: "once" }],
  }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "INTERACTION_UNAVAILABLE") return undefined;
    throw error;
  });
  if (interaction === undefined) return undefined;
  await generation.advance({ type: "shortening-asked", keep: count });
  return toWait(interaction);
}

/** Returns the user's answer: wait, continue or stop. */
export async function getShortenAnswer(generation: ClaimedGeneration): Promise<Wait | "on" | "no"> {
  const { history } = generation.progress();
  if (history.kind !== "asking") return "on";
  const interaction = await ensureInteraction(createShortener(generation, history.round), 0, { type: "approval" });
  if (interaction.status === "open") return toWait(interaction);
  if (interaction.response?.action !== "approve") return "no";
  await generation.advance({ type: "shortened" });
  return "on";
}

/** Returns the newest messages, starting at a user's request: models refuse a result without its call. */
export function takeNewest(all: ModelMessage[], count: number): ModelMessage[] {
  const start = all.findIndex(({ role }, index) => role === "user" && index >= all.length - count);
  return all.slice(start < 0 ? all.findLastIndex(({ role }) => role === "user") : start);
}

const SHORTEN = "kay.shorten";

/** kay itself asks, without a call. */
function createShortener(work: ClaimedGeneration, round: number): Asker {
  return { ...toAsker(work, { toolCallId: `shorten_${round}`, toolName: SHORTEN }), alone: true };
}
