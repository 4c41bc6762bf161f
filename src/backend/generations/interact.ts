import { isDeepStrictEqual } from "node:util";
import type { Wait } from "#agent/events";
import type { InteractionOutcome, InteractionPrompt, Interactive, ToolInteraction } from "#connectors/interaction";
import { Problem } from "#protocol/errors";
import type { InteractionRequest, InteractionResponse, StreamPart } from "#protocol/events";
import { findLifetime } from "../approvals/lifetime.ts";
import type { BackendPorts } from "../ports.ts";
import { canAnswer } from "../store/clients.ts";
import { appendEvents } from "../store/events.ts";
import { wakeGeneration } from "../store/generation-wakes.ts";
import { lockGeneration } from "../store/generations.ts";
import {
  closeInteraction,
  createInteractionId,
  findInteractionAt,
  insertInteractionSql,
  type StoredInteraction,
} from "../store/interactions.ts";
import { runTransaction } from "../store/wake-ups.ts";
import type { Writer } from "./writer.ts";

/** How often one request may be asked again after a wrong answer: more than a person ever needs. */
const MOST_REPROMPTS = 998;

/** How often the same wrong answer may be repeated. A person changes the answer; a program may not. */
const MOST_REPEATS = 5;

/** Milliseconds in which an answer that a tool did not wait for still becomes a message. */
const LATE_TIMEOUT = 24 * 60 * 60_000;

/** Places that one request of a tool takes: itself, its reprompts, and the one that is left open. */
const PLACES = MOST_REPROMPTS + 2;

/** The call in whose name is asked, and where that is written down. */
export type Asker = {
  ports: Pick<BackendPorts, "db" | "clock" | "observe" | "node" | "approvalTimeout">;
  writer: Writer;
  installationId: string;
  conversationId: string;
  generationId: string;
  toolCallId: string;
  toolName: string;
  /** Whether this generation may ask at all: one whose request waits for the answer may not. */
  asks: boolean;
  /** How long its requests wait, in seconds, if the caller chose that. */
  approvalTimeout: number | undefined;
  /** Calls in whose name people were asked, if they are known. */
  asked?: Set<string>;
  /** Set if kay itself asks, without a call. */
  alone?: boolean;
};

/**
 * The request of this place in the call: as it was asked before, or asked now.
 *
 * @param ordinal its place among the requests of the call, the same whenever the call is run again
 * @param late whether the call does not wait for it
 * @throws Problem INTERACTION_UNAVAILABLE
 */
export async function ensureInteraction(
  asker: Asker,
  ordinal: number,
  prompt: InteractionPrompt,
  late = false,
): Promise<StoredInteraction> {
  const before = await findInteractionAt(asker.ports.db, asker.generationId, asker.toolCallId, ordinal);
  return before ?? (await openInteraction(asker, ordinal, prompt, late));
}

/** The same where it is known that it was not asked before. */
export async function openInteraction(
  asker: Asker,
  ordinal: number,
  prompt: InteractionPrompt,
  late = false,
): Promise<StoredInteraction> {
  const { ports, generationId, toolCallId } = asker;
  if (!asker.asks || !(await someoneAnswers(asker))) {
    throw new Problem("INTERACTION_UNAVAILABLE", "No connected client can answer requests in this conversation.");
  }
  const now = ports.clock.now();
  const lifetime =
    prompt.timeoutMs === undefined
      ? await findLifetime(ports, asker.installationId, asker.approvalTimeout)
      : { ms: prompt.timeoutMs, stays: false };
  const row = {
    id: createInteractionId(),
    installation_id: asker.installationId,
    conversation_id: asker.conversationId,
    generation_id: generationId,
    tool_call_id: toolCallId,
    ordinal,
    late,
    node: await ports.node.number(),
    stays: lifetime.stays,
    created_at: new Date(now),
    expires_at: new Date(now + lifetime.ms),
  };
  const request = getRequest(asker, row, prompt);
  asker.asked?.add(toolCallId);
  await asker.writer.commit(getParts(request, asker), [insertInteractionSql({ ...row, request })]);
  ports.observe?.count("kay_interactions_total", { event: "opened" });
  return { ...row, status: "open", request, response: null, answered_at: null, notified_at: null };
}

/** What an open request makes its call wait for. */
export function toWait({ request, expires_at }: StoredInteraction): Wait {
  return { kind: request.interaction_type, toolCallId: request.tool_call_id, expiresAt: expires_at.getTime() };
}

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
  // Places are taken when the tool asks, in the order it does so.
  const requestInteraction = async (request: ToolInteraction): Promise<unknown> => {
    let prompt: InteractionPrompt = request;
    const own = ordinal;
    ordinal += PLACES;
    let repeats = 0;
    let last: unknown;
    for (let round = 0; round <= MOST_REPROMPTS; round++) {
      const asked = await ensureInteraction(asker, own + round, prompt);
      if (asked.status === "cancelled") request.onCancel?.();
      if (asked.status === "open" && request.done) settleWhenDone(asker, asked, request.done);
      if (asked.status === "open" || asked.status === "cancelled") {
        wait(toWait(asked));
        return await new Promise<never>(() => {});
      }
      const outcome = await getOutcome(request, asked);
      if ("complete" in outcome) return outcome.complete;
      if ("pending" in outcome) {
        await leaveOpen(asker, own + PLACES - 1, prompt);
        return { ok: true, pending: true, queued: outcome.pending.queued ?? true, message: outcome.pending.message };
      }
      repeats = round > 0 && isDeepStrictEqual(asked.response?.input, last) ? repeats + 1 : 0;
      if (repeats >= MOST_REPEATS) break;
      last = asked.response?.input;
      prompt = { ...outcome.reprompt, initialValues: outcome.reprompt.initialValues ?? asked.response?.input };
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
async function getOutcome(request: ToolInteraction, asked: StoredInteraction): Promise<InteractionOutcome> {
  const { response } = asked;
  if (asked.status === "expired" || response === null || response.action === "expire") {
    if (request.onTimeout) return await request.onTimeout();
    throw new Problem("TIMED_OUT", "No answer before the deadline.", { hint: "" });
  }
  const { action, approval_scope: approvalScope, input, edited_args: editedArgs, reason } = response;
  const { prompt, input_schema: inputSchema } = asked.request;
  const question = { prompt, ...(inputSchema ? { inputSchema } : {}) };
  return await request.onResponse({ action, approvalScope, input, editedArgs, reason, asked: question });
}

/**
 * If clients reported their abilities, one of them must be able to answer. If none did, the caller of the stream counts
 * as able.
 */
async function someoneAnswers({ ports: { db, clock }, conversationId }: Asker): Promise<boolean> {
  return (await canAnswer(db, conversationId, clock.now())) ?? true;
}

function getRequest(
  { generationId, toolCallId, toolName }: Asker,
  { id, expires_at }: { id: string; expires_at: Date },
  prompt: InteractionPrompt,
): InteractionRequest {
  return {
    interaction_id: id,
    generation_id: generationId,
    tool_call_id: toolCallId,
    tool_name: toolName,
    interaction_type: prompt.type,
    prompt: prompt.prompt,
    preview: prompt.preview,
    editable: prompt.editable,
    approval_scopes: prompt.type === "approval" ? (prompt.approvalScopes ?? PLAIN_SCOPES) : undefined,
    input_schema: prompt.inputSchema,
    link: prompt.link,
    error: prompt.error,
    initial_values: prompt.initialValues,
    presentation: prompt.presentation,
    completed_view: prompt.completedView,
    expires_at: expires_at.toISOString(),
  };
}

function getParts(request: InteractionRequest, { alone }: Asker): StreamPart[] {
  const { interaction_id, tool_call_id: toolCallId, interaction_type } = request;
  const data: StreamPart = { type: "data-interaction-request", id: interaction_id, data: request };
  if (interaction_type !== "approval" || alone) return [data];
  return [{ type: "tool-approval-request", approvalId: interaction_id, toolCallId }, data];
}

const PLAIN_SCOPES: InteractionRequest["approval_scopes"] = [
  { scope: "once", words: "once" },
  { scope: "session", words: "this session" },
];

/**
 * Submits an open request when its condition is met without an answer, unless an answer came first. Its generation then
 * continues.
 */
function settleWhenDone(
  { ports }: { ports: Pick<BackendPorts, "db" | "clock"> },
  asked: StoredInteraction,
  done: AbortSignal,
): void {
  const submit = () => void closeAsDone(ports, asked).catch(() => {});
  if (done.aborted) submit();
  else done.addEventListener("abort", submit, { once: true });
}

async function closeAsDone({ db, clock }: Pick<BackendPorts, "db" | "clock">, asked: StoredInteraction): Promise<void> {
  const { id, generation_id: generationId, conversation_id } = asked;
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
