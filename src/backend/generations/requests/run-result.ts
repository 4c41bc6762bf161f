import { checkCall } from "#agent/calls/execute";
import type { HeldCall, OpenStep } from "#agent/events";
import { listMissingIntegrations } from "#agent/results";
import type { AskResponse } from "#protocol/ask";
import { isErrorCode, Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import { listCalls } from "../../store/calls.ts";
import { findLastGenerationMessage } from "../../store/conversations.ts";
import { listEvents } from "../../store/events.ts";
import type { StoredGeneration } from "../../store/generation-row.ts";
import { findGeneration } from "../../store/generations.ts";
import type { StoredEvent } from "../../store/schema-work.ts";
import { buildAgentTools } from "../../tools/toolbox.ts";
import { listPlannedCalls, listRunReceipts } from "../calls/dry-run.ts";
import { getOutcome } from "../calls/stored-outcomes.ts";
import { getText, toCallProblem } from "../recorder.ts";
import { isHeld } from "../run.ts";
import type { LoopResult, RunResult } from "../work.ts";

/**
 * Loads the outcome of a generation from its rows, equal to what the node that ran it knows. Undefined while it is
 * running.
 * @throws Problem CANCELLED when it was deleted with its conversation
 */
export async function loadRunResult(ports: BackendPorts, id: string): Promise<RunResult | undefined> {
  const row = await findGeneration(ports.db, id);
  if (row === undefined) throw new Problem("CANCELLED", "The conversation was deleted before it was finished.");
  const isOpenPlan = row.finished_at === null && isHeld(row) && row.progress.approval === "none";
  if (row.finished_at === null && !isOpenPlan) return undefined;
  const events = await listEvents(ports.db, id);
  const end = isOpenPlan ? await readHeldEnd(ports, row) : await readFinishedEnd(ports, row, events);
  return { ...end, row, failed: listFailures(events), receipts: await listRunReceipts(ports.db, row) };
}

/** Reads the result of a generation that waits for a confirmation: its plan. */
async function readHeldEnd(ports: BackendPorts, row: StoredGeneration): Promise<LoopResult> {
  const { message, calls } = row.step as OpenStep;
  const tools = await buildAgentTools(ports, { installationId: row.installation_id, generationId: row.id });
  const heldCalls = calls.flatMap((call): HeldCall[] => {
    const checked = checkCall(call, tools);
    return "problem" in checked ? [] : [{ ...checked, service: checked.tool.service }];
  });
  return { kind: "held", message, calls: heldCalls, text: getText(message) };
}

async function readFinishedEnd(ports: BackendPorts, row: StoredGeneration, events: StoredEvent[]): Promise<LoopResult> {
  const parts = events.map(({ part }) => part);
  if (row.status === "completed") {
    const text = getText(await findLastGenerationMessage(ports.db, row.conversation_id, row.id));
    const output = parts.findLast((part) => part.type === "data-output")?.data;
    return { kind: "answered", text, ...(output ? { output: { value: output.value } } : {}) };
  }
  const lastPart = parts.findLast((part) => part.type === "error");
  if (row.status !== "error" || lastPart === undefined) return { kind: "cancelled" };
  const code = lastPart.code !== undefined && isErrorCode(lastPart.code) ? lastPart.code : "INTERNAL";
  const missing = code === "AUTH_REQUIRED" ? await getMissing(ports, row) : [];
  if (missing.length > 0) return { kind: "auth", integrations: missing };
  return {
    kind: "error",
    problem: new Problem(code, lastPart.errorText, { hint: lastPart.hint, details: lastPart.details }),
  };
}

/** Lists the services that calls of the last step lacked. */
async function getMissing({ db }: BackendPorts, row: StoredGeneration): Promise<string[]> {
  const calls = (await listCalls(db, row.id)).filter(({ step }) => step === row.steps);
  return listMissingIntegrations(calls.map(getOutcome).filter((outcome) => outcome !== undefined));
}

/** Returns the calls that failed since the held step was approved, or since the beginning. */
function listFailures(events: StoredEvent[]): Problem[] {
  const start = events.findLastIndex(
    ({ part }) => part.type === "data-status" && part.data.status === "awaiting_approval",
  );
  return events
    .slice(start + 1)
    .flatMap(({ part }) => (part.type === "tool-output-error" ? [toCallProblem(part.code, part.errorText)] : []));
}

/** Loads the answer of a generation as `AskResponse`, or undefined while it is running. */
export async function loadAnswer(ports: Pick<BackendPorts, "db">, id: string): Promise<AskResponse | undefined> {
  const row = await findGeneration(ports.db, id);
  return row && row.finished_at !== null ? await getAnswer(ports, row) : undefined;
}

/** Returns the answer of an ended generation: the text of its last step, or why there is none. */
async function getAnswer({ db }: Pick<BackendPorts, "db">, row: StoredGeneration): Promise<AskResponse> {
  const parts = (await listEvents(db, row.id)).map(({ part }) => part);
  const start = parts.findLastIndex(({ type }) => type === "start-step");
  const text = parts.slice(start + 1).flatMap((part) => {
    if (part.type === "text-delta") return [part.delta];
    return part.type === "text-end" ? ["\n\n"] : [];
  });
  const ids = { session_id: row.conversation_id, generation_id: row.id, receipts: await listRunReceipts(db, row) };
  const message = text.join("").trim();
  const lastPart = parts.findLast((part) => part.type === "error" || part.type === "abort");
  if (lastPart?.type === "error")
    return { status: "error", message: lastPart.errorText, code: lastPart.code, ...lastPart.details, ...ids };
  if (lastPart?.type === "abort")
    return { status: "error", message: lastPart.reason ?? "It was canceled.", code: "CANCELLED", ...ids };
  const { prompt, limits } = row.request;
  const output = parts.findLast((part) => part.type === "data-output")?.data;
  const planned = limits.dryRun ? { dry_run: true, plan: await listPlannedCalls(db, row.id) } : {};
  const data = { prompt, response: message, ...(output ? { output: output.value } : {}), ...planned };
  return { status: "completed", message, data, ...ids };
}
