import { hash } from "node:crypto";
import type { ToolResult } from "#connectors/tool";
import type { Receipt } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { RunContext } from "../tool.ts";
import { fromStoredProblem, type StoredProblem, toStoredProblem } from "./suspended-calls.ts";

/** A running write. `id` is its idempotency key at the service. */
export type Effect = {
  id: string;
  /** Must be awaited before the first byte of a write leaves. `account` names whose connection sends it. */
  sent(account?: string): Promise<void>;
  /** Records that the request had no effect and will be sent again. A crash before that leaves nothing unknown. */
  unsent(): Promise<void>;
  /** Records that one write succeeded. A later failure then leaves a partial result. */
  wrote(): void;
};

type Write = { tool: string; input: Record<string, unknown>; summary: string };

/** The recorded state of this effect: new, started but unfinished, or finished with its result. */
export type RecordedEffect =
  | { state: "new" | "planned" | "unknown" }
  | { state: "settled"; result: ToolResult }
  | { state: "refused"; result: StoredProblem };

/** Stores effects. Each state is stored before its step is taken. */
export type EffectLog = {
  /** The namespace of effect IDs: a generation, or a call made without a model. */
  scope: string;
  plan(effect: Write & { id: string; toolCallId: string }): Promise<RecordedEffect>;
  /** Returns false when another process is running this call; nothing may be sent then. */
  set(id: string, state: "sent" | "failed" | "unknown", account?: string): Promise<boolean>;
  settle(id: string, result: ToolResult): Promise<void>;
  /** Records that the service refused the write. The call is not sent again. */
  refuse(id: string, result: StoredProblem): Promise<void>;
  /** Takes over an unknown effect whose task can still be asked for. Returns false if it has none. */
  resume(id: string): Promise<boolean>;
  /** The handle of a call's task; see `TaskKeeper`. */
  findTask(id: string): Promise<string | undefined>;
  keepTask(id: string, handle: string): Promise<void>;
};

/**
 * Runs a write as an effect: recorded as planned, as sent before it leaves, and then as settled, failed or unknown. A
 * crash after sending leaves `sent`, which counts as `unknown`, and the write is never sent again. A repeated call has
 * the same ID and gets the recorded result.
 *
 * @throws what `run` throws; Problem OUTCOME_UNKNOWN when a write may have left and its result is not known
 */
export async function recordEffect(
  log: EffectLog,
  write: Write,
  { toolCallId, report }: Pick<RunContext, "toolCallId" | "report">,
  run: (effect: Effect) => Promise<ToolResult>,
): Promise<ToolResult> {
  const id = buildEffectId(log.scope, toolCallId);
  const progress = { sent: false, wrote: false };
  const addReceipt = (effect: Receipt["effect"], url?: string): void =>
    report({ tool_call_id: toolCallId, tool: write.tool, effect, summary: write.summary, ...(url ? { url } : {}) });
  const recorded = await log.plan({ id, toolCallId, ...write });
  if (recorded.state === "settled") {
    addReceipt("settled", recorded.result.url);
    return recorded.result;
  }
  if (recorded.state === "unknown" && !(await log.resume(id))) {
    addReceipt("unknown");
    throw outcomeUnknownProblem(undefined, write);
  }
  if (recorded.state === "refused") throw fromStoredProblem(recorded.result);
  if (recorded.state === "new") addReceipt("planned");
  const effect: Effect = {
    id,
    sent: async (account) => {
      if (progress.sent) return;
      if (!(await log.set(id, "sent", account))) throw new Problem("CANCELLED", TAKEN_OVER);
      progress.sent = true;
      addReceipt("sent");
    },
    unsent: async () => {
      if (progress.sent && !progress.wrote && (await log.set(id, "failed"))) progress.sent = false;
    },
    wrote: () => {
      progress.wrote = true;
    },
  };
  try {
    const result = await run(effect);
    // A tool that found nothing to do ("is already Done") sent nothing, so it has no effect and no receipt.
    if (progress.sent) await log.settle(id, result);
    else await log.set(id, "failed");
    if (progress.sent) addReceipt("settled", result.url);
    return result;
  } catch (error) {
    const unknown = isUnknown(error, progress);
    if (!unknown && progress.sent && isRefusal(error)) await log.refuse(id, toStoredProblem(error));
    else await log.set(id, unknown ? "unknown" : "failed");
    if (unknown) addReceipt("unknown");
    throw unknown ? outcomeUnknownProblem(error, write) : error;
  }
}

const TAKEN_OVER = "Another backend process is already making this call. Nothing was sent from this one.";

/**
 * Returns a name-based UUID (RFC 9562 version 8), so a call has the same idempotency key in every run and on every
 * node.
 */
export function buildEffectId(scope: string, toolCallId: string): string {
  const hex = hash("sha256", `${scope}\n${toolCallId}`, "hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Returns whether the service may have changed something although the tool failed. */
function isUnknown(error: unknown, { sent, wrote }: { sent: boolean; wrote: boolean }): boolean {
  if (wrote) return true;
  return sent && (!(error instanceof Problem) || error.code === "OUTCOME_UNKNOWN");
}

/** Returns whether the service refused the write. Calls without a connection and canceled calls may be sent again. */
function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && error.code !== "AUTH_REQUIRED" && error.code !== "CANCELLED";
}

function outcomeUnknownProblem(error: unknown, { summary }: Write): Problem {
  if (error instanceof Problem && error.code === "OUTCOME_UNKNOWN") return error;
  const reason = error instanceof Problem ? ` ${error.message}` : "";
  return new Problem("OUTCOME_UNKNOWN", `“${summary}” may have been partly completed.${reason}`, { cause: error });
}
