import type { ModelMessage } from "ai";
import * as z from "zod/mini";
import { withDescription } from "#connectors/service";
import type { PastCall } from "../repetition.ts";
import { searchTools, selectTools } from "../select-tools.ts";
import type { AgentTool } from "../tool.ts";
import { defineOwnTool } from "./own.ts";

const NAME = "search_tools";

/** Tools that a model gets at once, where nothing is known of how many it takes. */
const MOST = 128;

/** Finds tools that the model was not given, since there are many; what it finds it has in the following steps. */
export function createSearchTool(all: AgentTool[]): AgentTool {
  return defineOwnTool({
    name: NAME,
    description: "Find more tools by what they do. You can call those that are found from the next step on.",
    input: z.object({
      query: withDescription(z.string().check(z.minLength(1)), "What is to be done, and with which service."),
    }),
    summary: ({ query }) => `Look for tools: ${query}`,
    run: async ({ query }) => {
      const found = searchTools(all, query).map(({ name, description }) => ({ name, description }));
      const lines = found.map(({ name, description }) => `- ${name}: ${description}`);
      return { data: { tools: found }, text: lines.join("\n") || "No tool does that." };
    },
  });
}

/** The tools of one step: all where they are few enough; else those that the conversation is about, and the search for others. */
export function selectOfferedTools(
  all: AgentTool[],
  { messages, past, connected }: { messages: ModelMessage[]; past: PastCall[]; connected: string[] },
): AgentTool[] {
  const own = all.filter((tool) => tool.own);
  const others = all.filter((tool) => !tool.own);
  const text = messages
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
    .join("\n");
  const selected = selectTools(others, { connected, text, found: past.flatMap(foundBy), most: MOST });
  const without = own.filter(({ name }) => name !== NAME);
  return selected.length === others.length ? [...others, ...without] : [...selected, ...own];
}

function foundBy({ outcome }: PastCall): string[] {
  if (outcome === undefined || !("output" in outcome) || outcome.call.toolName !== NAME) return [];
  const { tools } = (outcome.output.data ?? {}) as { tools?: { name?: unknown }[] };
  return (tools ?? []).flatMap(({ name }) => (typeof name === "string" ? [name] : []));
}
