import { jsonSchema, type ToolSet, tool } from "ai";
import { toWireName } from "#protocol/tool-names";
import type { AgentTool } from "../tool.ts";
import { toWireSchema } from "./wire-schema.ts";

/** Returns the tools as providers get them: without what says nothing to a model. */
export function toWireTools(tools: AgentTool[]): ToolSet {
  return Object.fromEntries(tools.map(toWireTool));
}

type WireTool = { name: string; entry: [wireName: string, tool: ToolSet[string]] };

/** Tools are built anew for every request, while their schemas stay. */
const wireTools = new WeakMap<AgentTool["schema"], WireTool>();

function toWireTool({ name, description, schema, access, examples, title }: AgentTool): WireTool["entry"] {
  const known = wireTools.get(schema);
  const [, same] = known?.name === name ? known.entry : [];
  const of = same?.providerOptions?.kay;
  if (known && same?.description === description && of?.access === access && of?.examples === examples)
    if (of.title === title) return known.entry;
  const wire = tool({
    description,
    inputSchema: jsonSchema(toWireSchema(schema)),
    // Only the offline planner reads this.
    providerOptions: { kay: { access, examples, title } },
  });
  const entry: WireTool["entry"] = [toWireName(name), wire];
  wireTools.set(schema, { name, entry });
  return entry;
}

/** Returns the number of characters that a tool takes on the wire. */
export function countWireCharacters({ name, description, schema }: AgentTool): number {
  return FRAME_LENGTH + name.length + description.length + JSON.stringify(toWireSchema(schema)).length;
}

/** Characters around a tool: `{"type":"function","function":{"name":…}}`. */
const FRAME_LENGTH = 80;
