import { jsonSchema, type ToolSet, tool } from "ai";
import { toWireName } from "#protocol/tool-names";
import type { AgentTool } from "../tool.ts";
import { toWireSchema } from "./wire-schema.ts";

/** Returns the tools as providers get them: without what says nothing to a model. */
export function toWireTools(tools: AgentTool[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, schema, access, examples, title }) => [
      toWireName(name),
      tool({
        description,
        inputSchema: jsonSchema(toWireSchema(schema)),
        // Only the offline planner reads this.
        providerOptions: { kay: { access, examples, title } },
      }),
    ]),
  );
}

/** Returns the number of characters that a tool takes on the wire. */
export function countWireCharacters({ name, description, schema }: AgentTool): number {
  return FRAME_LENGTH + name.length + description.length + JSON.stringify(toWireSchema(schema)).length;
}

/** Characters around a tool: `{"type":"function","function":{"name":…}}`. */
const FRAME_LENGTH = 80;
