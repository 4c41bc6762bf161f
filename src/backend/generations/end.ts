import type { ModelMessage } from "ai";
import type { OpenStep, Outcome } from "#agent/events";
import { getIntegrations, toResultMessage } from "#agent/results";
import type { Problem } from "#protocol/errors";
import type { GenerationStatus, StreamPart } from "#protocol/events";
import type { InteractionResponse } from "#protocol/interactions";
import type { BackendPorts } from "../ports.ts";
import { listCalls, type StoredCall } from "../store/calls.ts";
import { appendMessages } from "../store/conversations.ts";
import { listEvents } from "../store/events.ts";
import type { StoredGeneration } from "../store/generation-row.ts";
import type { GenerationProgress } from "../store/generation-state.ts";
import { notifyGeneration } from "../store/generation-wakes.ts";
import { changeGeneration, findGeneration, type GenerationChange } from "../store/generations.ts";
import { closeInteraction, listInteractions } from "../store/interactions.ts";
import type { DbConnection } from "../store/schema.ts";
import { toResponseParts } from "./calls/call-ports.ts";
import { getOutcome, getRanOutcome, toCall } from "./calls/stored-outcomes.ts";
import { closeStep, readLoggedStep } from "./realign.ts";
import { findUsage } from "./usage.ts";
import type { ClaimedGeneration, ClaimedRow } from "./work.ts";

type EndingGeneration = Pick<ClaimedGeneration, "ports" | "row" | "writer" | "progress">;

/**
 * Ends a generation with an answer, and with the requested value, if any.
 * @returns whether another generation of the conversation is open
 */
export async function completeGeneration(
  { ports, row, writer, progress }: EndingGeneration,
  finishReason: string,
  output?: { value: unknown },
): Promise<boolean> {
  const value: StreamPart[] = output ? [{ type: "data-output", data: output }] : [];
  const parts: StreamPart[] = [
    ...value,
    ...(await listUsageParts(ports, row, progress())),
    toStatusPart(row, "completed"),
    { type: "finish", finishReason },
  ];
  const hasOther = await writer.commitEnd(parts, { generation: toEnd("completed", ports.clock.now()) });
  recordGenerationEnd(ports, row, "completed");
  return hasOther;
}

/** Ends a generation without an answer. The model learns about it if the conversation continues. */
export async function failGeneration(
  { ports, row, writer, progress }: EndingGeneration,
  problem: Problem,
): Promise<void> {
  const { code, message: errorText, hint } = problem;
  const details = getErrorDetails(problem);
  const parts: StreamPart[] = [
    ...(await closeOpenParts({ ports, row, writer })),
    ...(await listUsageParts(ports, row, progress())),
    toStatusPart(row, "error"),
    { type: "error", errorText, code, ...(hint ? { hint } : {}), ...details },
  ];
  await writer.commit(parts, async (tx) => {
    await tellModel(
      tx,
      row,
      `(This request ended with an error and was not finished: ${errorText})`,
      ports.clock.now(),
    );
    await endRow(tx, row, "error", ports.clock.now());
  });
  recordGenerationEnd(ports, row, "error", code);
}

/**
 * Stops a generation: open requests are declined and recorded as such, and the model learns what was done, what was
 * not, and why.
 */
export async function cancelGeneration(
  { ports, row: claimedRow, writer }: EndingGeneration,
  reason: string,
): Promise<void> {
  const generation = await findGeneration(ports.db, claimedRow.id);
  const row = generation ?? claimedRow;
  const now = ports.clock.now();
  const open = (await listInteractions(ports.db, row.id)).filter(({ status }) => status === "open");
  // The agent server reports its own calls.
  const isRemote = generation !== undefined && generation.progress.remote !== null;
  const calls = isRemote ? [] : (await listCalls(ports.db, row.id)).filter(({ step }) => step === row.steps + 1);
  const unfinishedCalls = calls.filter((call) => getOutcome(call) === undefined);
  const responses = open.map(
    ({ request }): InteractionResponse => ({
      interaction_id: request.interaction_id,
      action: request.interaction_type === "approval" ? "deny" : "cancel",
      reason,
      answered_at: new Date(now).toISOString(),
    }),
  );
  const awaitedServices = row.auth?.integrations;
  const reportedIds = calls.map(({ toolCallId }) => toolCallId);
  const parts: StreamPart[] = [
    ...(await closeOpenParts({ ports, row, writer }, reportedIds)),
    ...responses.flatMap(toResponseParts),
    ...(awaitedServices?.length ? [toAuthResultParts(false, awaitedServices, { reason })] : []),
    ...unfinishedCalls.map((call): StreamPart => endPart(call, reason)),
    toStatusPart(row, "cancelled"),
    { type: "abort", reason },
  ];
  const step = row.step as OpenStep | null;
  await writer.commit(parts, async (tx) => {
    for (const response of responses) await closeInteraction(tx, response.interaction_id, "cancelled", response, now);
    if (step && calls.length > 0) {
      const outcomes = calls.map(
        (call): Outcome =>
          getOutcome(call) ?? getRanOutcome(call) ?? { call: toCall(call), denied: `Not done: ${reason}` },
      );
      const messages: ModelMessage[] = [step.message, toResultMessage(outcomes)];
      await appendMessages(tx, row.conversation_id, { messages, generationId: row.id, now });
    }
    await tellModel(tx, row, `(This request was stopped and not finished: ${reason} Do nothing more for it.)`, now);
    await endRow(tx, row, "cancelled", now);
  });
  if (responses.length > 0) ports.observe?.count("kay_interactions_total", { event: "cancelled" }, responses.length);
  recordGenerationEnd(ports, row, "cancelled");
}

async function listUsageParts(
  ports: BackendPorts,
  row: ClaimedRow,
  { used }: Pick<GenerationProgress, "used">,
): Promise<StreamPart[]> {
  const usage = used && (await findUsage(ports, row, used));
  return usage ? [{ type: "data-usage", data: usage }] : [];
}

/** Returns the details that belong to the error. */
function getErrorDetails(problem: Problem): { details?: Record<string, unknown> } {
  const { problems, text, finish_reason } = problem.details;
  const integrations = getIntegrations(problem);
  if (integrations.length > 0) return { details: { integrations } };
  if (finish_reason) return { details: { finish_reason, text } };
  return problems ? { details: { problems, text } } : {};
}

/** Reports the end of a call: as done if it has run, even if its result was not reviewed. */
function endPart(call: StoredCall, reason: string): StreamPart {
  const { toolCallId } = call;
  const outcome = getRanOutcome(call);
  if (outcome && "output" in outcome) return { type: "tool-output-available", toolCallId, output: outcome.output };
  return { type: "tool-output-denied", toolCallId, reason };
}

export function toStatusPart(
  row: Pick<StoredGeneration, "id" | "conversation_id">,
  status: GenerationStatus,
): StreamPart {
  return { type: "data-status", data: { generation_id: row.id, session_id: row.conversation_id, status } };
}

export function toAuthResultParts(
  success: boolean,
  integrations: string[],
  { reason, client }: { reason?: string; client?: string } = {},
): StreamPart {
  const clientField = client === undefined ? {} : { client };
  return { type: "data-auth-result", data: { success, integrations, ...(reason ? { reason } : {}), ...clientField } };
}

/** Closes texts and calls of a step that ends in the middle, so that no reader waits for more of them. */
async function closeOpenParts(
  { ports, row, writer }: Omit<EndingGeneration, "progress">,
  reportedIds: string[] = [],
): Promise<StreamPart[]> {
  await writer.commit([]);
  const parts = (await listEvents(ports.db, row.id)).map(({ part }) => part);
  return closeStep(readLoggedStep(parts), reportedIds);
}

async function endRow(tx: DbConnection, row: ClaimedRow, status: GenerationStatus, now: number): Promise<void> {
  await changeGeneration(tx, row.id, toEnd(status, now));
}

function toEnd(status: GenerationStatus, now: number): GenerationChange {
  return { status, finished_at: new Date(now), node: null, wake_at: null, step: null, auth: null };
}

async function tellModel(tx: DbConnection, row: ClaimedRow, content: string, now: number): Promise<void> {
  const messages: ModelMessage[] = [{ role: "assistant", content }];
  await appendMessages(tx, row.conversation_id, { messages, generationId: row.id, now });
}

/** Releases a generation that has nothing to do at the moment. Any event can claim it again. */
export async function releaseRun({ row, writer }: Pick<ClaimedGeneration, "row" | "writer">): Promise<void> {
  await writer.commit([], (tx) => changeGeneration(tx, row.id, { node: null }));
}

/** Hands a generation over when this node ends: to another node, or to this one when it is back. */
export async function handOverRun({ row, writer }: Pick<ClaimedGeneration, "row" | "writer">): Promise<void> {
  await writer.commit([], async (tx) => {
    await changeGeneration(tx, row.id, { node: null });
    notifyGeneration(tx, row.id);
  });
}

/** Reports the end of a generation to the operator. `code` is the code of its error. */
export function recordGenerationEnd(
  { observe, clock }: Pick<BackendPorts, "observe" | "clock">,
  row: Pick<StoredGeneration, "created_at">,
  status: "completed" | "error" | "cancelled",
  code?: string,
): void {
  const seconds = Math.max(0, clock.now() - row.created_at.getTime()) / 1_000;
  observe?.measure("kay_generation_seconds", { status }, seconds);
  if (code !== undefined) observe?.count("kay_generation_errors_total", { code });
}
