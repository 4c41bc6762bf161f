import type { ModelMessage } from "ai";
import * as z from "zod/mini";
import { withDescription } from "#connectors/tool";
import type { PastCall } from "../calls/repetition.ts";
import { searchTools, selectTools } from "../steps/select-tools.ts";
import type { AgentTool } from "../tool.ts";
import { defineOwnTool } from "./own.ts";

const NAME = "search_tools";

/** Not offered to a model, because its instructions have the result. */
const FIND_SERVICE = "find_service";

/** Highest number of tools of services that are offered at once. */
const MAX_OFFERED_TOOLS = 64;

const SearchInput = z.object({
  query: withDescription(z.string().check(z.minLength(1)), "The task, and the service to do it with."),
});

/**
 * Creates the tool that searches the tools not offered to the model. The tools found are offered from the next step on.
 */
export function createSearchTool(all: AgentTool[]): AgentTool {
  return defineOwnTool({
    name: NAME,
    description:
      "Find tools that you were not given, of any service, by what they do. You can call them from the next step on.",
    input: SearchInput,
    summary: ({ query }) => `Search for tools: ${query}`,
    run: async ({ query }) => {
      const matches = searchTools(all, query).map(({ name, description }) => ({ name, description }));
      const lines = matches.map(({ name, description }) => `- ${name}: ${description}`);
      return { data: { tools: matches }, text: lines.join("\n") || "No matching tools." };
    },
  });
}

/**
 * Selects the tools of one step: those of connected services, those that match the user's words, and kay's own. The
 * search tool is included if any tool is left out.
 */
export function selectOfferedTools(
  all: AgentTool[],
  { messages, past, connected }: { messages: ModelMessage[]; past: PastCall[]; connected: string[] },
): AgentTool[] {
  const ownTools = all.filter((tool) => tool.own);
  const serviceTools = all.filter((tool) => !tool.own);
  // Only the user's text counts, because results of tools mention unrelated services.
  const text = messages.flatMap(({ role, content }) => (role === "user" ? [toText(content)] : [])).join("\n");
  const selected = selectTools(serviceTools, {
    connected,
    text,
    found: past.flatMap(listFoundTools),
    maxTools: MAX_OFFERED_TOOLS,
  });
  const isWhole = selected.length === serviceTools.length;
  return [...selected, ...ownTools.filter(({ name }) => name !== FIND_SERVICE && !(isWhole && name === NAME))];
}

function toText(content: ModelMessage["content"]): string {
  return typeof content === "string"
    ? content
    : content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function listFoundTools({ outcome }: PastCall): string[] {
  if (outcome === undefined || !("output" in outcome) || outcome.call.toolName !== NAME) return [];
  const { tools } = (outcome.output.data ?? {}) as { tools?: { name?: unknown }[] };
  return (tools ?? []).flatMap(({ name }) => (typeof name === "string" ? [name] : []));
}
