import type { InteractionRequest, InteractionResponse, StreamPart } from "#protocol/events";
import type { ToolItem, View } from "./view.ts";

/** What a part changes about the call it speaks of. Parts that speak of none change nothing. */
export function toolChanged(view: View, part: StreamPart, at?: number): View {
  switch (part.type) {
    case "tool-input-start":
      return begun(view, part.toolCallId, { name: part.toolName, state: "starting" });
    case "tool-input-available": {
      const { toolName: name, input, title } = part;
      return begun(view, part.toolCallId, { name, input, ...(title ? { title } : {}), ...working(at) });
    }
    case "tool-input-error":
      return begun(view, part.toolCallId, { name: part.toolName, state: "failed", error: part.errorText });
    case "tool-approval-request":
      return changed(view, part.toolCallId, (tool) => ({ ...stopped(tool, at), state: "paused" }));
    case "tool-output-available":
      return changed(view, part.toolCallId, (tool) => ({ ...stopped(tool, at), ...ended(tool, part.output) }));
    case "tool-output-error":
      return changed(view, part.toolCallId, (tool) => ({
        ...stopped(tool, at),
        state: "failed",
        error: part.errorText,
      }));
    case "tool-output-denied":
      return changed(view, part.toolCallId, (tool) => ({ ...stopped(tool, at), state: "denied" }));
    case "data-tool-log":
      return logged(view, part.data.tool_call_id, part.data.entries);
    case "data-interaction-request":
      return paused(view, part.data, at);
    case "data-interaction-response":
      return resumed(view, part.data, at);
    default:
      return view;
  }
}

function begun(view: View, call: string, values: Partial<ToolItem> & Pick<ToolItem, "name">): View {
  if (indexOf(view, call) >= 0) return changed(view, call, (tool) => ({ ...tool, ...values }));
  const { generation_id } = view;
  return {
    ...view,
    items: [...view.items, { kind: "tool", call, generation_id, state: "starting", log: [], ...values }],
  };
}

/** Logs come whole or by lines added; a repeated line at the same place is the same line. */
function logged(view: View, call: string, entries: { text: string }[]): View {
  const lines = entries.map(({ text }) => text);
  return changed(view, call, (tool) => {
    const isWhole = tool.log.length > 0 && tool.log.every((line, index) => lines[index] === line);
    return { ...tool, log: isWhole ? lines : [...tool.log, ...lines] };
  });
}

function paused(view: View, { tool_call_id, tool_name }: InteractionRequest, at?: number): View {
  const known = indexOf(view, tool_call_id) < 0 ? begun(view, tool_call_id, { name: tool_name }) : view;
  return changed(known, tool_call_id, (tool) => ({ ...stopped(tool, at), state: "paused" }));
}

/** The card knows which call it was for. */
function resumed(view: View, { interaction_id, action }: InteractionResponse, at?: number): View {
  const card = view.items.findLast((item) => item.kind === "card" && item.id === interaction_id);
  if (card?.kind !== "card" || card.type === "auth") return view;
  return changed(view, card.request.tool_call_id, (tool) => {
    if (tool.state !== "paused") return tool;
    return action === "deny" ? { ...tool, state: "denied" } : { ...tool, ...working(at) };
  });
}

function working(at?: number): { state: "working"; since?: number } {
  return { state: "working", ...(at === undefined ? {} : { since: at }) };
}

/** A call that was denied has a result too: that it was. */
function ended({ state }: ToolItem, output: unknown): Pick<ToolItem, "state" | "output"> {
  return { state: state === "denied" ? "denied" : "done", output };
}

/** The clock of a call stands still while it waits, and when it is over. */
function stopped({ since, ...tool }: ToolItem, at?: number): ToolItem {
  if (since === undefined || at === undefined) return tool;
  return { ...tool, workedMs: (tool.workedMs ?? 0) + Math.max(0, at - since) };
}

function changed(view: View, call: string, change: (tool: ToolItem) => ToolItem): View {
  const index = indexOf(view, call);
  const tool = view.items[index];
  return tool?.kind === "tool" ? { ...view, items: view.items.with(index, change(tool)) } : view;
}

function indexOf(view: View, call: string): number {
  return view.items.findLastIndex((item) => item.kind === "tool" && item.call === call);
}
