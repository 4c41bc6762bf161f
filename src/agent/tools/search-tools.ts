import type { ModelMessage } from "ai";
import * as z from "zod/mini";
import { withDescription } from "#connectors/service";
import type { PastCall } from "../repetition.ts";
import { searchTools, selectTools } from "../select-tools.ts";
import type { AgentTool } from "../tool.ts";
import { defineOwnTool } from "./own.ts";

const NAME = "search_tools";

/** Number of tools offered at once when the model's own limit is unknown. */
const MAX_OFFERED_TOOLS = 128;

/**
 * Creates the tool that searches the tools not offered to the model. The tools found are offered from the next step on.
 */
export function createSearchTool(all: AgentTool[]): AgentTool {
  return defineOwnTool({
    name: NAME,
    description: "Find more tools by what they do. You can call the tools found from the next step on.",
    input: z.object({
      query: withDescription(z.string().check(z.minLength(1)), "The task, and the service to do it with."),
    }),
    summary: ({ query }) => `Search for tools: ${query}`,
    run: async ({ query }) => {
      const found = searchTools(all, query).map(({ name, description }) => ({ name, description }));
      const lines = found.map(({ name, description }) => `- ${name}: ${description}`);
      return { data: { tools: found }, text: lines.join("\n") || "No matching tools." };
    },
  });
}

/**
 * Selects the tools of one step: all if they fit; otherwise the ones that match the conversation, plus the search tool.
 */
export function selectOfferedTools(
  all: AgentTool[],
  { messages, past, connected }: { messages: ModelMessage[]; past: PastCall[]; connected: string[] },
): AgentTool[] {
  const own = all.filter((tool) => tool.own);
  const others = all.filter((tool) => !tool.own);
  const text = messages
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
    .join("\n");
  const selected = selectTools(others, {
    connected,
    text,
    found: past.flatMap(listFoundTools),
    most: MAX_OFFERED_TOOLS,
  });
  const without = own.filter(({ name }) => name !== NAME);
  return selected.length === others.length ? [...others, ...without] : [...selected, ...own];
}

function listFoundTools({ outcome }: PastCall): string[] {
  if (outcome === undefined || !("output" in outcome) || outcome.call.toolName !== NAME) return [];
  const { tools } = (outcome.output.data ?? {}) as { tools?: { name?: unknown }[] };
  return (tools ?? []).flatMap(({ name }) => (typeof name === "string" ? [name] : []));
}
