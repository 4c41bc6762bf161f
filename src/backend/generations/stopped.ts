import { checkCall } from "../agent/execute.ts";
import { agentTools } from "../agent/toolbox.ts";
import { callsOf } from "../store/calls.ts";
import { interactionsOf } from "../store/interactions.ts";
import { isToolsOwn, tellCancelled } from "./calls.ts";
import { cancel } from "./end.ts";
import { callOf } from "./outcomes.ts";
import type { Work } from "./work.ts";

/** It is over; handlers that waited for a person hear of it. */
export async function stopped(world: Work, reason: string): Promise<void> {
  const { ports, row } = world;
  const open = (await interactionsOf(ports.db, row.id)).filter(
    ({ status, late, ordinal }) => status === "open" && !late && isToolsOwn(ordinal),
  );
  const waiting = new Set(open.map(({ tool_call_id }) => tool_call_id));
  await cancel(world, reason);
  if (waiting.size === 0) return;
  const calls = (await callsOf(ports.db, row.id)).filter((call) => waiting.has(call.toolCallId));
  const owner = { installationId: row.installation_id, generationId: row.id };
  const tools = await agentTools(ports, { ...owner, dryRun: world.options.bounds?.dryRun === true });
  for (const call of calls) {
    const checked = checkCall(callOf(call), tools);
    if (!("problem" in checked))
      await tellCancelled(world, checked).catch((error: unknown) =>
        ports.log("warn", "tool.cancel_failed", { generation: row.id, error }),
      );
  }
}
