import { randomUUID } from "node:crypto";
import type { Receipt } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import type { ToolResult } from "../services/service.ts";
import type { RunContext } from "./tool.ts";

/** A write under way. `id` is its idempotency key at the service. */
export type Effect = {
  id: string;
  /** To be awaited before the first byte of a write leaves. */
  sent(): Promise<void>;
  /** One write went through: from now on a failure leaves something behind. */
  wrote(): void;
};

type Write = { tool: string; input: Record<string, unknown>; summary: string };

/** Where effects are written down, each step before it is taken. */
export type EffectLog = {
  plan(effect: Write & { id: string; toolCallId: string }): Promise<void>;
  set(id: string, state: "sent" | "settled" | "failed" | "unknown", url?: string): Promise<void>;
};

/**
 * Run a write as an effect: written down as planned, as sent before it leaves, and as settled, failed or unknown after. Between sent and
 * settled a crash leaves `sent`, which the next start turns into `unknown`; it is never sent again.
 *
 * @throws what `run` throws; anything but a Problem once a write has left is OUTCOME_UNKNOWN
 */
export async function recordEffect(
  log: EffectLog,
  write: Write,
  { toolCallId, report }: Pick<RunContext, "toolCallId" | "report">,
  run: (effect: Effect) => Promise<ToolResult>,
): Promise<ToolResult> {
  const id = randomUUID();
  const progress = { sent: false, wrote: false };
  const receipt = (effect: Receipt["effect"], url?: string): void =>
    report({ tool_call_id: toolCallId, tool: write.tool, effect, summary: write.summary, ...(url ? { url } : {}) });
  await log.plan({ id, toolCallId, ...write });
  receipt("planned");
  const effect: Effect = {
    id,
    sent: async () => {
      if (progress.sent) return;
      await log.set(id, "sent");
      progress.sent = true;
      receipt("sent");
    },
    wrote: () => {
      progress.wrote = true;
    },
  };
  try {
    const result = await run(effect);
    // A tool that found nothing to do ("is already Done") sent nothing: that is no effect, and leaves no receipt.
    await log.set(id, progress.sent ? "settled" : "failed", result.url);
    if (progress.sent) receipt("settled", result.url);
    return result;
  } catch (error) {
    const unknown = isUnknown(error, progress);
    await log.set(id, unknown ? "unknown" : "failed");
    if (unknown) receipt("unknown");
    throw unknown ? lostOutcome(error, write) : error;
  }
}

/** Whether the service may have changed something although the tool failed. */
function isUnknown(error: unknown, { sent, wrote }: { sent: boolean; wrote: boolean }): boolean {
  if (wrote) return true;
  return sent && (!(error instanceof Problem) || error.code === "OUTCOME_UNKNOWN");
}

function lostOutcome(error: unknown, { summary }: Write): Problem {
  if (error instanceof Problem && error.code === "OUTCOME_UNKNOWN") return error;
  const why = error instanceof Problem ? ` ${error.message}` : "";
  return new Problem("OUTCOME_UNKNOWN", `“${summary}” may have been done in part.${why}`, { cause: error });
}
