import type { ModelMessage } from "ai";
import type { AskResponse, ConfirmRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { closeConfirmation } from "../interactions/confirmations.ts";
import type { BackendPorts } from "../ports.ts";
import type { StoredConfirmation } from "../store/confirmations.ts";
import { appendMessages, loadMessages } from "../store/conversations.ts";
import { setGenerationStatus } from "../store/generations.ts";
import { type Answer, type Asking, answerFor, failed, ids, type Plan } from "./ask.ts";
import type { HeldCall } from "./events.ts";
import { type GenerationResult, runGeneration } from "./generation.ts";

/**
 * `POST /ask/confirm` (guide). A yes covers exactly the calls that were shown: they are run, then the generation goes on. Later calls of
 * it: reads run; under `confirm` every further write ends in another confirmation, otherwise only a destructive one does.
 *
 * @throws Problem CONFIRMATION_NOT_FOUND, CONFIRMATION_USED, CONFIRMATION_EXPIRED
 */
export async function confirm(
  ports: BackendPorts,
  installationId: string,
  { confirmation_token: token, approved }: ConfirmRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const held = await closeConfirmation(ports, installationId, token, approved);
  const plan = held.plan as Plan;
  const asking: Asking = { ...held, installationId, confirm: plan.confirm, seen: plan.seen };
  if (!approved) return await cancelled(ports, asking);
  if (plan.text) return confirmed(asking, plan.text, []);
  const result = await carryOut(ports, asking, held, plan, signal);
  return await answerFor(ports, { ...asking, seen: await length(ports, asking) }, result, (text) =>
    result.failed.length > 0 ? failedAction(asking, text, result) : confirmed(asking, text, result.receipts),
  );
}

async function carryOut(
  ports: BackendPorts,
  asking: Asking,
  held: StoredConfirmation,
  plan: Plan,
  signal: AbortSignal,
): Promise<GenerationResult> {
  const { installationId, conversationId, generationId } = asking;
  const all = await loadMessages(ports.db, conversationId);
  // Something was said in between: the stored conversation says to which request the coming step belongs.
  if (all.length > plan.seen) await note(ports, asking, { role: "user", content: `(Confirmed: ${held.prompt})` });
  await setGenerationStatus(ports.db, generationId, "running", ports.clock.now());
  return await runGeneration(ports, {
    id: generationId,
    installationId,
    conversationId,
    history: all.slice(0, plan.seen),
    signal,
    holds: holdsAfter(plan),
    approved: plan.step,
  });
}

function holdsAfter({ confirm }: Plan): (call: HeldCall) => boolean {
  return ({ access }) => (confirm ? access !== "read" : access === "destructive");
}

async function cancelled(ports: BackendPorts, asking: Asking): Promise<Answer> {
  await note(ports, asking, { role: "assistant", content: CANCELLED });
  await setGenerationStatus(ports.db, asking.generationId, "cancelled", ports.clock.now());
  return { status: 200, body: { status: "completed", message: CANCELLED, ...ids(asking), receipts: [] } };
}

function confirmed(asking: Asking, text: string, receipts: AskResponse["receipts"]): Answer {
  const data = { prompt: asking.prompt, response: text };
  const message = text ? `${CONFIRMED}\n\n${text}` : CONFIRMED;
  return { status: 200, body: { status: "completed", message, data, ...ids(asking), receipts } };
}

/** A yes that did not work must not read like one that did. */
function failedAction(asking: Asking, text: string, result: GenerationResult): Answer {
  const code = result.failed.some(({ code }) => code === "OUTCOME_UNKNOWN") ? "OUTCOME_UNKNOWN" : "SERVICE_FAILED";
  const problem = new Problem(code, text, { details: { data: { prompt: asking.prompt, response: text } } });
  const answer = failed(asking, problem, result);
  return { ...answer, status: 502 };
}

async function note(ports: BackendPorts, { conversationId }: Asking, message: ModelMessage): Promise<void> {
  await appendMessages(ports.db, conversationId, [message], ports.clock.now());
}

async function length(ports: BackendPorts, { conversationId }: Asking): Promise<number> {
  return (await loadMessages(ports.db, conversationId)).length;
}

const CANCELLED = "Action cancelled by user";
const CONFIRMED = "Action confirmed and executed successfully";
