import { checkCall } from "../agent/execute.ts";
import { agentTools } from "../agent/toolbox.ts";
import type { BackendPorts } from "../ports.ts";
import { callsOf } from "../store/calls.ts";
import type { StoredGeneration } from "../store/generations.ts";
import { interactionsOf } from "../store/interactions.ts";
import { isToolsOwn, tellCancelled } from "./calls.ts";
import { cancel } from "./end.ts";
import type { GenerationOptions } from "./options.ts";
import { callOf } from "./outcomes.ts";
import type { Writer } from "./writer.ts";

type World = { ports: BackendPorts; row: StoredGeneration; options: GenerationOptions; writer: Writer };

/** It is over; handlers that waited for a person hear of it. */
export async function stopped(world: World, reason: string): Promise<void> {
  const { ports, row } = world;
  const open = (await interactionsOf(ports.db, row.id)).filter(
    ({ status, late, ordinal }) => status === "open" && !late && isToolsOwn(ordinal),
  );
  const waiting = new Set(open.map(({ tool_call_id }) => tool_call_id));
  const calls =
    waiting.size === 0 ? [] : (await callsOf(ports.db, row.id)).filter((call) => waiting.has(call.toolCallId));
  await cancel(world, reason);
  const tools = await agentTools(ports, { installationId: row.installation_id, generationId: row.id });
  for (const call of calls) {
    const checked = checkCall(callOf(call), tools);
    if (!("problem" in checked))
      await tellCancelled(world, checked).catch((error: unknown) =>
        ports.log("warn", "tool.cancel_failed", { generation: row.id, error }),
      );
  }
}
