import { hash } from "node:crypto";
import { type JSONSchema7, jsonSchema, type ToolSet, tool } from "ai";
import { isRecord } from "#protocol/json";
import { toWireName } from "#protocol/tool-names";
import type { AgentTool } from "../tool.ts";

/** Returns the tools as providers get them: without anything that is meaningless to a model. */
export function toWireTools(tools: AgentTool[]): ToolSet {
  return Object.fromEntries(tools.map(toWireTool));
}

type WireTool = { name: string; entry: [wireName: string, tool: ToolSet[string]] };

/** Tools are built anew for every request, while their schemas stay. */
const wireTools = new WeakMap<AgentTool["schema"], WireTool>();

function toWireTool({ name, description, schema, access, examples, title }: AgentTool): WireTool["entry"] {
  const cached = wireTools.get(schema);
  const [, cachedTool] = cached?.name === name ? cached.entry : [];
  const metadata = cachedTool?.providerOptions?.kay;
  if (
    cached &&
    cachedTool?.description === description &&
    metadata?.access === access &&
    metadata?.examples === examples
  )
    if (metadata.title === title) return cached.entry;
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

type Json = Record<string, unknown>;

/** Tools are put together anew for every request, while their schemas stay. */
const wireSchemas = new WeakMap<JSONSchema7, JSONSchema7>();

/**
 * Returns a schema as providers get it: without parts that mean nothing to a model, and without parts that make a
 * provider refuse the whole request. Schemas of MCP servers and custom services are untrusted.
 */
export function toWireSchema(schema: JSONSchema7): JSONSchema7 {
  const cached = wireSchemas.get(schema) ?? (buildWireSchema(schema as Json) as JSONSchema7);
  wireSchemas.set(schema, cached);
  return cached;
}

function buildWireSchema(schema: Json): Json {
  const wire = slim(schema, { ...(schema.definitions as Json), ...(schema.$defs as Json) }) as Json;
  const { properties, required } = wire;
  if (!isRecord(properties)) return wire;
  const fields = Object.entries(properties).map(([name, field]) => [toWireField(name), field]);
  const requiredFields = Array.isArray(required) ? { required: required.map((name) => toWireField(String(name))) } : {};
  return { ...wire, properties: Object.fromEntries(fields), ...requiredFields };
}

/** Returns the name of a field as providers get it. Anthropic takes these characters, and no more than 64. */
export function toWireField(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  const mark = hash("sha256", name, "hex").slice(0, 6);
  return `${name.replace(/[^\w.-]+/g, "_").slice(0, 50)}_${mark}`;
}

/** `defs` are the schemas that references may name; one that names another is dropped. */
function slim(schema: unknown, defs: Json): unknown {
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  if (Array.isArray(schema)) return schema.map((part) => slim(part, defs));
  if (!isRecord(schema)) return schema;
  const entries = Object.entries(schema).flatMap(([name, value]): [string, unknown][] => {
    if (saysNothing(name, value) || (name === "enum" && !fitsType(schema.type, value))) return [];
    if (name === "$ref" && !Object.hasOwn(defs, String(value).split("/")[2] ?? "")) return [];
    if (VALUES.has(name)) return [[name, value]];
    if (NAMED_SCHEMAS.has(name) && isRecord(value)) return [[name, slimFields(value, defs)]];
    return [[name, typeof value === "boolean" && name !== "items" ? value : slim(value, defs)]];
  });
  const needsItems = [schema.type].flat().includes("array") && schema.items === undefined;
  return Object.fromEntries(needsItems ? [...entries, ["items", {}]] : entries);
}

/** Slims the schemas of fields. Leaves out fields that accept no value. */
function slimFields(fields: Json, defs: Json): Json {
  const entries = Object.entries(fields).filter(([, field]) => field !== false);
  return Object.fromEntries(entries.map(([name, field]) => [name, slim(field, defs)]));
}

/** Whether a keyword means nothing to a model: the dialect, and bounds that every safe integer meets. */
function saysNothing(name: string, value: unknown): boolean {
  return (
    name === "$schema" ||
    ((name === "minimum" || name === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER)
  );
}

function fitsType(type: unknown, values: unknown): boolean {
  const types = new Set([type].flat());
  if (type === undefined || !Array.isArray(values)) return true;
  return values.every((value) => {
    const typeName = value === null ? "null" : typeof value;
    return (
      types.has(typeName) ||
      (typeName === "number" && types.has("integer")) ||
      (typeName === "object" && types.has("array"))
    );
  });
}

/** Keywords whose value has a schema for each name. */
const NAMED_SCHEMAS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

/** Keywords whose value is data, not a schema. */
const VALUES = new Set(["enum", "const", "default", "examples", "required"]);
