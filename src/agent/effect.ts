import { createHash } from "node:crypto";
import type { ToolResult } from "#connectors/service";
import type { Receipt } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { fromStoredProblem, type StoredProblem, toStoredProblem } from "./suspended-calls.ts";
import type { RunContext } from "./tool.ts";

/** A write under way. `id` is its idempotency key at the service. */
export type Effect = {
  id: string;
  /** To be awaited before the first byte of a write leaves. */
  sent(): Promise<void>;
  /** What was sent did nothing, and waits for something to be sent again: should this process end, nothing is unknown. */
  unsent(): Promise<void>;
  /** One write went through: from now on a failure leaves something behind. */
  wrote(): void;
};

type Write = { tool: string; input: Record<string, unknown>; summary: string };

/** What was written down of this effect before: nothing, how far it came without an end, or what it came to. */
export type RecordedEffect =
  | { state: "new" | "planned" | "unknown" }
  | { state: "settled"; result: ToolResult }
  | { state: "refused"; result: StoredProblem };

/** Where effects are written down, each step before it is taken. */
export type EffectLog = {
  /** Ids of effects are unique below it: a generation, or a call that no model made. */
  scope: string;
  plan(effect: Write & { id: string; toolCallId: string }): Promise<RecordedEffect>;
  /** False when somebody else does the same call now, so that nothing may leave from here. */
  set(id: string, state: "sent" | "failed" | "unknown"): Promise<boolean>;
  settle(id: string, result: ToolResult): Promise<void>;
  /** It was sent and the service said no: that is what it came to, and it is not sent again. */
  refuse(id: string, result: StoredProblem): Promise<void>;
};

/**
 * Run a write as an effect: written down as planned, as sent before it leaves, and as settled, failed or unknown after. Between sent and
 * settled a crash leaves `sent`, which then is `unknown`; it is never sent again. A call that is run once more after a crash has the same id: what
 * was settled or refused is answered from what was written down, what may have been sent is unknown.
 *
 * @throws what `run` throws; anything but a Problem once a write has left is OUTCOME_UNKNOWN
 */
export async function recordEffect(
  log: EffectLog,
  write: Write,
  { toolCallId, report }: Pick<RunContext, "toolCallId" | "report">,
  run: (effect: Effect) => Promise<ToolResult>,
): Promise<ToolResult> {
  const id = effectId(log.scope, toolCallId);
  const progress = { sent: false, wrote: false };
  const receipt = (effect: Receipt["effect"], url?: string): void =>
    report({ tool_call_id: toolCallId, tool: write.tool, effect, summary: write.summary, ...(url ? { url } : {}) });
  const before = await log.plan({ id, toolCallId, ...write });
  if (before.state === "settled") {
    receipt("settled", before.result.url);
    return before.result;
  }
  if (before.state === "unknown") {
    receipt("unknown");
    throw lostOutcome(undefined, write);
  }
  if (before.state === "refused") throw fromStoredProblem(before.result);
  if (before.state === "new") receipt("planned");
  const effect: Effect = {
    id,
    sent: async () => {
      if (progress.sent) return;
      if (!(await log.set(id, "sent"))) throw new Problem("CANCELLED", TAKEN_OVER);
      progress.sent = true;
      receipt("sent");
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
    // A tool that found nothing to do ("is already Done") sent nothing: that is no effect, and leaves no receipt.
    if (progress.sent) await log.settle(id, result);
    else await log.set(id, "failed");
    if (progress.sent) receipt("settled", result.url);
    return result;
  } catch (error) {
    const unknown = isUnknown(error, progress);
    if (!unknown && progress.sent && isRefusal(error)) await log.refuse(id, toStoredProblem(error));
    else await log.set(id, unknown ? "unknown" : "failed");
    if (unknown) receipt("unknown");
    throw unknown ? lostOutcome(error, write) : error;
  }
}

const TAKEN_OVER = "Another process of the backend makes this call now; it was not sent from here.";

/** The same call has the same idempotency key whenever and wherever it is run: a name-based UUID (RFC 9562 version 8). */
function effectId(scope: string, toolCallId: string): string {
  const hex = createHash("sha256").update(`${scope}\n${toolCallId}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Whether the service may have changed something although the tool failed. */
function isUnknown(error: unknown, { sent, wrote }: { sent: boolean; wrote: boolean }): boolean {
  if (wrote) return true;
  return sent && (!(error instanceof Problem) || error.code === "OUTCOME_UNKNOWN");
}

/** The service's own no. What lacks a connection is sent again once that is there, and what was cancelled may be. */
function isRefusal(error: unknown): error is Problem {
  return error instanceof Problem && error.code !== "AUTH_REQUIRED" && error.code !== "CANCELLED";
}

function lostOutcome(error: unknown, { summary }: Write): Problem {
  if (error instanceof Problem && error.code === "OUTCOME_UNKNOWN") return error;
  const why = error instanceof Problem ? ` ${error.message}` : "";
  return new Problem("OUTCOME_UNKNOWN", `“${summary}” may have been done in part.${why}`, { cause: error });
}
