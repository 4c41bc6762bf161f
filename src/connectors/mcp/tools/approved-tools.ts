import { Problem } from "#protocol/errors";
import type { McpClient } from "../client.ts";
import type { McpServerRef } from "../client-options.ts";
import type { McpDefinition, McpTool } from "../definition.ts";
import { type ToolList, toToolList } from "./read-tools.ts";
import { diffTools, formatToolDiff, hasDifferences } from "./tool-diff.ts";

/** A connection with its tools. `stale`: the server reported that they changed. */
export type OpenClient = { client: McpClient; list: ToolList; stale: boolean };

/** Lists the tools of a connection again, and logs how they differ now from the approved ones. */
export async function refreshTools(
  open: OpenClient,
  server: McpServerRef,
  { log, signal }: { log?(words: string): void; signal?: AbortSignal },
): Promise<void> {
  open.stale = false;
  const oldList = open.list;
  open.list = toToolList(server.definition.name, await open.client.tools(signal));
  await server.onList?.(open.list);
  if (!hasDifferences(diffTools(oldList.tools, open.list.tools))) return;
  const difference = diffTools(server.definition.tools, open.list.tools);
  if (!hasDifferences(difference)) return;
  const sentences = formatToolDiff(server.definition.tools, difference);
  log?.(
    `${server.definition.title} changed its tools. ${sentences.slice(0, 3).join(" ")} ${buildApproveHint(server.definition.name)}`,
  );
}

/** Checks that a tool in the server's current list is still the approved one. */
export function requireApproved({ name, title }: McpDefinition, tool: McpTool, { tools }: ToolList): void {
  const currentTool = tools.find((candidate) => candidate.name === tool.name);
  if (!currentTool)
    throw new Problem("NOT_FOUND", `${title} no longer has ${tool.name}.`, { hint: buildApproveHint(name) });
  if (hasDifferences(diffTools([tool], [currentTool]))) throw changedToolProblem({ name, title }, tool, currentTool);
}

/** Creates the error for a changed tool. `now` is the tool that the server lists. */
function changedToolProblem(
  { name, title }: Pick<McpDefinition, "name" | "title">,
  tool: McpTool,
  currentTool: McpTool,
): Problem {
  const [first = ""] = formatToolDiff([tool], diffTools([tool], [currentTool]));
  return new Problem("TOOL_CHANGED", `${title} changed ${tool.name} since it was approved. ${first}`, {
    hint: buildApproveHint(name),
    details: { service: name, tool: tool.name },
  });
}

function buildApproveHint(name: string): string {
  return `Review it with \`kay services approve ${name}\`.`;
}
