import { checkCall } from "#agent/execute";
import { listCalls } from "../store/calls.ts";
import { listInteractions } from "../store/interactions.ts";
import { buildAgentTools } from "../tools/toolbox.ts";
import { isDuringCall, notifyCancelled } from "./calls.ts";
import { cancelGeneration } from "./end.ts";
import { toCall } from "./stored-outcomes.ts";
import type { ClaimedGeneration } from "./work.ts";

/** It is over; handlers that waited for a person hear of it. */
export async function stopGeneration(world: ClaimedGeneration, reason: string): Promise<void> {
  const { ports, row } = world;
  const open = (await listInteractions(ports.db, row.id)).filter(
    ({ status, late, ordinal }) => status === "open" && !late && isDuringCall(ordinal),
  );
  const waiting = new Set(open.map(({ tool_call_id }) => tool_call_id));
  await cancelGeneration(world, reason);
  if (waiting.size === 0) return;
  const calls = (await listCalls(ports.db, row.id)).filter((call) => waiting.has(call.toolCallId));
  const owner = { installationId: row.installation_id, generationId: row.id };
  const tools = await buildAgentTools(ports, { ...owner, dryRun: world.options.bounds?.dryRun === true });
  for (const call of calls) {
    const checked = checkCall(toCall(call), tools);
    if (!("problem" in checked))
      await notifyCancelled(world, checked).catch((error: unknown) =>
        ports.log("warn", "tool.cancel_failed", { generation: row.id, error }),
      );
  }
}
