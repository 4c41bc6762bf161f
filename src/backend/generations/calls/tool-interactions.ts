import { isDeepStrictEqual } from "node:util";
import type { Wait } from "#agent/events";
import type { InteractionOutcome, InteractionPrompt, Interactive, ToolInteraction } from "#connectors/interaction";
import { Problem } from "#protocol/errors";
import type { InteractionResponse } from "#protocol/interactions";
import type { BackendPorts } from "../../ports.ts";
import { appendEvents } from "../../store/events.ts";
import { wakeGeneration } from "../../store/generation-wakes.ts";
import { lockGeneration } from "../../store/generations.ts";
import { closeInteraction, type StoredInteraction } from "../../store/interactions.ts";
import { runTransaction } from "../../store/wake-ups.ts";
import { type Asker, ensureInteraction, toWait } from "./interact.ts";

/** How often one request may be repeated after an invalid answer: more often than a user needs. */
const MOST_REPROMPTS = 998;

/** How often the same invalid answer may be repeated. A user changes the answer; a program may not. */
const MOST_REPEATS = 5;

/** How long an answer that a tool did not wait for still becomes a message, in ms. */
const LATE_TIMEOUT = 24 * 60 * 60_000;

/** Ordinals that one request of a tool uses: itself, its reprompts, and the one that is left open. */
const PLACES = MOST_REPROMPTS + 2;

/**
 * Creates the interface by which a tool asks users. `first` is the place of its first request; places before it belong
 * to kay.
 */
export function createInteractive(
  asker: Asker,
  first: number,
  log: (text: string) => void,
): Interactive & { waiting: Promise<Wait> } {
  let ordinal = first;
  const { promise: waiting, resolve: wait } = Promise.withResolvers<Wait>();
  // Ordinals are assigned in the order in which the tool asks.
  const requestInteraction = async (request: ToolInteraction): Promise<unknown> => {
    let prompt: InteractionPrompt = request;
    const firstOrdinal = ordinal;
    ordinal += PLACES;
    let repeats = 0;
    let lastInput: unknown;
    for (let round = 0; round <= MOST_REPROMPTS; round++) {
      const interaction = await ensureInteraction(asker, firstOrdinal + round, prompt);
      if (interaction.status === "cancelled") request.onCancel?.();
      if (interaction.status === "open" && request.done) settleWhenDone(asker, interaction, request.done);
      if (interaction.status === "open" || interaction.status === "cancelled") {
        wait(toWait(interaction));
        return await new Promise<never>(() => {});
      }
      const outcome = await getOutcome(request, interaction);
      if ("complete" in outcome) return outcome.complete;
      if ("pending" in outcome) {
        await leaveOpen(asker, firstOrdinal + PLACES - 1, prompt);
        return { ok: true, pending: true, queued: outcome.pending.queued ?? true, message: outcome.pending.message };
      }
      repeats = round > 0 && isDeepStrictEqual(interaction.response?.input, lastInput) ? repeats + 1 : 0;
      if (repeats >= MOST_REPEATS) break;
      lastInput = interaction.response?.input;
      prompt = { ...outcome.reprompt, initialValues: outcome.reprompt.initialValues ?? interaction.response?.input };
    }
    throw new Problem("INVALID_REQUEST", `Giving up after ${repeats + 1} invalid answers.`, { hint: "" });
  };
  return { interaction: { available: asker.asks }, requestInteraction, log, waiting };
}

/** Lets the tool continue without the answer. The user is asked again, and the answer becomes a message of the user. */
async function leaveOpen(asker: Asker, ordinal: number, prompt: InteractionPrompt): Promise<void> {
  await ensureInteraction(asker, ordinal, { ...prompt, timeoutMs: LATE_TIMEOUT }, true).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== "INTERACTION_UNAVAILABLE") throw error;
  });
}

/** Returns the tool's reaction to the end of its request. */
async function getOutcome(request: ToolInteraction, interaction: StoredInteraction): Promise<InteractionOutcome> {
  const { response } = interaction;
  if (interaction.status === "expired" || response === null || response.action === "expire") {
    if (request.onTimeout) return await request.onTimeout();
    throw new Problem("TIMED_OUT", "No answer before the deadline.", { hint: "" });
  }
  const { action, approval_scope: approvalScope, input, edited_args: editedArgs, reason } = response;
  const { prompt, input_schema: inputSchema } = interaction.request;
  const question = { prompt, ...(inputSchema ? { inputSchema } : {}) };
  return await request.onResponse({ action, approvalScope, input, editedArgs, reason, asked: question });
}

/**
 * Submits an open request when its condition is met without an answer, unless an answer came first. Its generation then
 * continues.
 */
function settleWhenDone(
  { ports }: { ports: Pick<BackendPorts, "db" | "clock"> },
  interaction: StoredInteraction,
  doneSignal: AbortSignal,
): void {
  const submit = () => void closeAsDone(ports, interaction).catch(() => {});
  if (doneSignal.aborted) submit();
  else doneSignal.addEventListener("abort", submit, { once: true });
}

async function closeAsDone(
  { db, clock }: Pick<BackendPorts, "db" | "clock">,
  interaction: StoredInteraction,
): Promise<void> {
  const { id, generation_id: generationId, conversation_id } = interaction;
  const now = clock.now();
  const response: InteractionResponse = {
    interaction_id: id,
    action: "submit",
    reason: "It was done without an answer here.",
    answered_at: new Date(now).toISOString(),
  };
  await runTransaction(db, async (tx) => {
    await lockGeneration(tx, generationId);
    if (!(await closeInteraction(tx, id, "answered", response, now))) return;
    const part = { type: "data-interaction-response" as const, id, data: response };
    await appendEvents(tx, conversation_id, [{ generationId, part }], now);
    await wakeGeneration(tx, generationId, now);
  });
}
