import type { StreamPart } from "#protocol/events";
import type { InteractionRequest, InteractionResponse } from "#protocol/interactions";
import type { ToolItem, View } from "./view.ts";

/** Applies a part to the call that it refers to, if any. */
export function updateTool(view: View, part: StreamPart, now?: number): View {
  switch (part.type) {
    case "tool-input-start":
      return startTool(view, part.toolCallId, { name: part.toolName, state: "starting" });
    case "tool-input-available": {
      const { toolName: name, input, title } = part;
      return startTool(view, part.toolCallId, { name, input, ...(title ? { title } : {}), ...toWorking(now) });
    }
    case "tool-input-error":
      return startTool(view, part.toolCallId, { name: part.toolName, state: "failed", error: part.errorText });
    case "tool-approval-request":
      return changeTool(view, part.toolCallId, (tool) => ({ ...stopClock(tool, now), state: "paused" }));
    case "tool-output-available":
      return changeTool(view, part.toolCallId, (tool) => ({ ...stopClock(tool, now), ...toEnd(tool, part.output) }));
    case "tool-output-error":
      return changeTool(view, part.toolCallId, (tool) => ({
        ...stopClock(tool, now),
        state: "failed",
        error: part.errorText,
        ...(part.code ? { code: part.code } : {}),
        ...(part.access ? { access: part.access } : {}),
      }));
    case "tool-output-denied":
      return changeTool(view, part.toolCallId, (tool) => ({
        ...stopClock(tool, now),
        state: tool.state === "expired" ? "expired" : "denied",
      }));
    case "data-tool-log":
      return addLog(view, part.data.tool_call_id, part.data.entries);
    case "data-interaction-request":
      return pauseTool(view, part.data, now);
    case "data-interaction-response":
      return resumeTool(view, part.data, now);
    // The user's time to connect services does not count as the call's.
    case "data-auth-needed":
      return changeWorkingTools(view, (tool) => stopClock(tool, now));
    case "data-auth-result":
      return changeWorkingTools(view, (tool) => ({ ...tool, ...toWorking(now) }));
    default:
      return view;
  }
}

function startTool(view: View, call: string, values: Partial<ToolItem> & Pick<ToolItem, "name">): View {
  if (findToolIndex(view, call) >= 0) return changeTool(view, call, (tool) => ({ ...tool, ...values }));
  const { generation_id } = view;
  return {
    ...view,
    items: [...view.items, { kind: "tool", call, generation_id, state: "starting", log: [], ...values }],
  };
}

/** Adds log lines. Logs arrive whole or as added lines; a whole log repeats the earlier lines. */
function addLog(view: View, call: string, entries: { text: string }[]): View {
  const lines = entries.map(({ text }) => text);
  return changeTool(view, call, (tool) => {
    const isWhole = tool.log.length > 0 && tool.log.every((line, index) => lines[index] === line);
    return { ...tool, log: isWhole ? lines : [...tool.log, ...lines] };
  });
}

function pauseTool(view: View, { tool_call_id, tool_name }: InteractionRequest, now?: number): View {
  const next = findToolIndex(view, tool_call_id) < 0 ? startTool(view, tool_call_id, { name: tool_name }) : view;
  return changeTool(next, tool_call_id, (tool) => ({ ...stopClock(tool, now), state: "paused" }));
}

/** Resumes the call that the answered card belongs to. */
function resumeTool(view: View, { interaction_id, action }: InteractionResponse, now?: number): View {
  const card = view.items.findLast((item) => item.kind === "card" && item.id === interaction_id);
  if (card?.kind !== "card" || card.type === "auth") return view;
  return changeTool(view, card.request.tool_call_id, (tool) => {
    if (tool.state !== "paused") return tool;
    if (action === "deny") return { ...tool, state: "denied" };
    return action === "expire" && card.type === "approval"
      ? { ...tool, state: "expired" }
      : { ...tool, ...toWorking(now) };
  });
}

function toWorking(now?: number): { state: "working"; since?: number } {
  return { state: "working", ...(now === undefined ? {} : { since: now }) };
}

/** A denied or expired call also has an output, which says that it was not run. */
function toEnd({ state }: ToolItem, output: unknown): Pick<ToolItem, "state" | "output"> {
  return { state: state === "denied" || state === "expired" ? state : "done", output };
}

/** Stops the clock of a call while it waits and when it ends. */
function stopClock({ since, ...tool }: ToolItem, now?: number): ToolItem {
  if (since === undefined || now === undefined) return tool;
  return { ...tool, workedMs: (tool.workedMs ?? 0) + Math.max(0, now - since) };
}

function changeTool(view: View, call: string, change: (tool: ToolItem) => ToolItem): View {
  const index = findToolIndex(view, call);
  const tool = view.items[index];
  return tool?.kind === "tool" ? { ...view, items: view.items.with(index, change(tool)) } : view;
}

function changeWorkingTools(view: View, change: (tool: ToolItem) => ToolItem): View {
  const { generation_id } = view;
  const isMeant = (item: View["items"][number]): item is ToolItem =>
    item.kind === "tool" && item.state === "working" && item.generation_id === generation_id;
  return { ...view, items: view.items.map((item) => (isMeant(item) ? change(item) : item)) };
}

function findToolIndex(view: View, call: string): number {
  return view.items.findLastIndex((item) => item.kind === "tool" && item.call === call);
}
