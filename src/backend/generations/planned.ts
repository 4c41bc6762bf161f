import type { PlannedCall, Receipt } from "#protocol/ask";
import type { Planned } from "#protocol/events";
import type { DryRun } from "../agent/dry-run.ts";
import { decide } from "../interactions/decide.ts";
import { callsOf } from "../store/calls.ts";
import type { Connection } from "../store/connection.ts";
import { receiptsOf } from "../store/effects.ts";
import type { CallWorld } from "./call-world.ts";
import { previewOf } from "./gate.ts";
import { type GenerationOptions, optionsOf } from "./options.ts";
import { outcomeOf } from "./outcomes.ts";

/**
 * A dry run makes a call only if that reads and asks nobody: what would change something, and a read that the person wants to be asked about,
 * is planned. Undefined where it is no dry run.
 */
export function dryRunOf(world: Pick<CallWorld, "ports" | "row" | "options" | "messages">): DryRun | undefined {
  if (!world.options.bounds?.dryRun) return undefined;
  const { row, ports, options } = world;
  return async (call, account) => {
    if (call.tool.own) return undefined;
    const { mode, why } = await decide(ports, {
      installationId: row.installation_id,
      conversationId: row.conversation_id,
      tool: call.tool,
      input: call.parsed,
      writes: options.mode === "stream" ? "confirm_before_execution" : "auto",
      allow: options.bounds?.allow ?? [],
      peek: true,
      ...(account ? { account } : {}),
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
      why: `${why.charAt(0).toUpperCase()}${why.slice(1)}.`,
      preview: previewOf(world, call, account),
    };
  };
}

/** What a dry run would have done, in the order of its calls. */
export async function planOf(db: Connection, generationId: string): Promise<PlannedCall[]> {
  return (await plannedIn(db, generationId)).map(({ preview: _, ...call }) => call);
}

/** What a generation did, may have done, or would do; and by what that was allowed. */
export async function receiptsFor(db: Connection, row: { id: string; options: unknown }): Promise<Receipt[]> {
  const { bounds, allowed = {} }: GenerationOptions = optionsOf(row);
  const done = (await receiptsOf(db, row.id)).map((receipt) => ({ ...receipt, ...allowed[receipt.tool_call_id] }));
  if (!bounds?.dryRun) return done;
  const planned = (await plannedIn(db, row.id)).map(
    ({ tool_call_id, tool, summary }): Receipt => ({ tool_call_id, tool, effect: "planned", summary }),
  );
  return [...done, ...planned];
}

async function plannedIn(db: Connection, generationId: string): Promise<Planned[]> {
  return (await callsOf(db, generationId)).flatMap((call) => {
    const outcome = outcomeOf(call);
    return outcome && "output" in outcome && outcome.output.planned ? [outcome.output.planned] : [];
  });
}
