import type * as z from "zod/mini";
import type { ToolResult } from "#connectors/tool";
import { getInputSchema, toInputProblem } from "../calls/input.ts";
import type { AgentTool, RunContext } from "../tool.ts";

/** kay's own tools whose results hold no text of others. */
export const OWN_TOOL_NAMES: ReadonlySet<string> = new Set([
  "ask_user",
  "find_service",
  "connect_service",
  "search_tools",
]);

/** Defines a built-in tool of kay. It changes nothing at a service, so it needs no approval. */
export function defineOwnTool<Input extends Record<string, unknown>>(tool: {
  name: string;
  description: string;
  input: z.ZodMiniType<Input>;
  examples?: string[];
  summary(input: Input): string;
  run(input: Input, context: RunContext): Promise<ToolResult>;
}): AgentTool {
  const { name, description, examples = [] } = tool;
  return {
    name,
    service: "kay",
    title: "kay",
    own: true,
    description,
    access: "read",
    examples,
    schema: getInputSchema(tool.input),
    parse: (input) => {
      const result = tool.input.safeParse(input);
      if (result.success) return result.data;
      throw toInputProblem(name, input, result.error.issues);
    },
    summary: (input) =>
      tool
        .summary(input as Input)
        .replace(/\s+/g, " ")
        .trim(),
    run: (input, context) => tool.run(input as Input, context),
  };
}
