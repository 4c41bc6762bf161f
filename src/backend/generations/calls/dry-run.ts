import type { DryRun } from "#agent/calls/dry-run";
import type { PlannedCall, Receipt } from "#protocol/ask";
import type { Planned } from "#protocol/interactions";
import { decideCall, toSentence } from "../../approvals/decide.ts";
import { listCalls } from "../../store/calls.ts";
import { listReceipts } from "../../store/effects.ts";
import type { StoredGeneration } from "../../store/generation-row.ts";
import type { DbConnection } from "../../store/schema.ts";
import type { CallContext } from "./call-context.ts";
import { readCallNotes } from "./call-notes.ts";
import { toCallQuestion, toPreview } from "./questions.ts";
import { getOutcome } from "./stored-outcomes.ts";

/**
 * Creates the dry run of a generation: reads that need no approval run, and every other call is planned. Undefined if
 * this is not a dry run.
 */
export function createDryRun(
  context: Pick<CallContext, "ports" | "row" | "request" | "provenance">,
): DryRun | undefined {
  const { row, ports, request } = context;
  if (!request.limits.dryRun) return undefined;
  return async (call, account) => {
    if (call.tool.own) return undefined;
    const { mode, why } = await decideCall(ports, {
      ...toCallQuestion(context, call, account),
      writes: request.mode === "stream" ? "confirm_before_execution" : "auto",
      peek: true,
    });
    if (call.access === "read" && mode === "auto") return undefined;
    return {
      tool_call_id: call.toolCallId,
      tool: call.toolName,
      access: call.access,
      input: call.parsed,
      summary: call.summary,
      ...(account ? { account: account.words } : {}),
      asks: mode !== "auto",
      why: toSentence(why),
      preview: {
        ...toPreview(context, call, account),
        ...(await readCallNotes(ports, row.installation_id, call, account)),
      },
    };
  };
}

/** Lists what a dry run would have done, in the order of its calls. */
export async function listPlannedCalls(db: DbConnection, generationId: string): Promise<PlannedCall[]> {
  return (await listPlanned(db, generationId)).map(({ preview: _, ...call }) => call);
}

/** Lists what a generation did, may have done or would do, and what allowed it. */
export async function listRunReceipts(
  db: DbConnection,
  { id, request, progress: { allowances } }: Pick<StoredGeneration, "id" | "request" | "progress">,
): Promise<Receipt[]> {
  const receipts = (await listReceipts(db, id)).map((receipt) => ({ ...receipt, ...allowances[receipt.tool_call_id] }));
  if (!request.limits.dryRun) return receipts;
  const planned = (await listPlanned(db, id)).map(
    ({ tool_call_id, tool, summary }): Receipt => ({ tool_call_id, tool, effect: "planned", summary }),
  );
  return [...receipts, ...planned];
}

async function listPlanned(db: DbConnection, generationId: string): Promise<Planned[]> {
  return (await listCalls(db, generationId)).flatMap((call) => {
    const outcome = getOutcome(call);
    return outcome && "output" in outcome && outcome.output.planned ? [outcome.output.planned] : [];
  });
}
