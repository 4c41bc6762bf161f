import type { InteractionResponse } from "#protocol/events";
import type { BackendPorts } from "../ports.ts";
import { appendEvents } from "../store/events.ts";
import { lockGeneration, wakeGeneration } from "../store/generations.ts";
import { closeInteraction, type StoredInteraction } from "../store/interactions.ts";

/** Submit an open request once what it asks for has come about without an answer, if nobody was faster; its generation goes on. */
export function settleWhenDone(
  { ports }: { ports: Pick<BackendPorts, "db" | "clock"> },
  asked: StoredInteraction,
  done: AbortSignal,
): void {
  const submit = () => void submitted(ports, asked).catch(() => {});
  if (done.aborted) submit();
  else done.addEventListener("abort", submit, { once: true });
}

async function submitted({ db, clock }: Pick<BackendPorts, "db" | "clock">, asked: StoredInteraction): Promise<void> {
  const { id, generation_id: generationId, conversation_id } = asked;
  const now = clock.now();
  const response: InteractionResponse = {
    interaction_id: id,
    action: "submit",
    reason: "It was done without an answer here.",
    answered_at: new Date(now).toISOString(),
  };
  await db.transaction().execute(async (tx) => {
    await lockGeneration(tx, generationId);
    if (!(await closeInteraction(tx, id, "answered", response, now))) return;
    const part = { type: "data-interaction-response" as const, id, data: response };
    await appendEvents(tx, conversation_id, [{ generationId, part }], now);
    await wakeGeneration(tx, generationId, now);
  });
}
