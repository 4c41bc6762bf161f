import { type JSONSchema7, jsonSchema, type ToolSet, tool } from "ai";
import { toWireName } from "#protocol/tool-names";
import type { AgentTool } from "../tool.ts";

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

/** Tools are put together anew for every request, while their schemas stay. */
const wireSchemas = new WeakMap<JSONSchema7, JSONSchema7>();

function toWireSchema(schema: JSONSchema7): JSONSchema7 {
  const known = wireSchemas.get(schema) ?? (slim(schema) as JSONSchema7);
  wireSchemas.set(schema, known);
  return known;
}

/** Removes the dialect, and the bounds that every safe integer has. */
function slim(schema: unknown, isSchema = true): unknown {
  if (Array.isArray(schema)) return schema.map((each) => slim(each, isSchema));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(([name, value]) => !isSchema || !saysNothing(name, value));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      // Below these, names are those of fields, and values those of the user.
      if (isSchema && VALUES.has(name)) return [name, value];
      return [name, slim(value, !(isSchema && NAMED_SCHEMAS.has(name)))];
    }),
  );
}

function saysNothing(name: string, value: unknown): boolean {
  return (
    name === "$schema" ||
    ((name === "minimum" || name === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)
  );
}

const NAMED_SCHEMAS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

const VALUES = new Set(["enum", "const", "default", "examples", "required"]);
