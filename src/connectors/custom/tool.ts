import * as z from "zod/mini";
import { Problem } from "#protocol/errors";
import type { ServiceRequest } from "../service-http.ts";
import { defineTool, type Tool, withDescription } from "../tool.ts";
import type { Property, ToolDescription } from "./description.ts";
import { toToolResult } from "./result.ts";
import { fillJson, fillLine, fillPath, fillText, formatValue, listSlots, type Values } from "./template.ts";

/** Converts a description to a tool that sends one request below the address `api`, built from its templates. */
export function createCustomTool(tool: ToolDescription, { title, api }: { title: string; api: string }): Tool {
  return defineTool<Values>({
    name: tool.name,
    description: tool.description,
    access: tool.access,
    egress: tool.access === "read" && Object.keys(tool.input?.properties ?? {}).length > 0,
    input: toInputSchema(tool.input),
    examples: tool.examples,
    summary: (input) => (tool.summary ? fillLine(tool.summary, input) : buildDefaultSummary(tool, title, input)),
    async run(input, { http }) {
      const answer = await http.request(getRequest(tool, api, input));
      return toToolResult({ title, reads: tool.access === "read" }, tool.result, answer, input);
    },
  });
}

/** Returns the summary of a tool whose description has none: its name and all arguments. */
function buildDefaultSummary(tool: ToolDescription, title: string, input: Values): string {
  const verb = (tool.name.split(".")[1] ?? "").replaceAll("_", " ");
  const filled = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  const formatted = filled.map(([name, value]) => `${name} “${formatValue(value)}”`).join(", ");
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} in ${title}${formatted ? `: ${formatted}` : ""}`;
}

function getRequest(tool: ToolDescription, base: string, input: Values): ServiceRequest<unknown> {
  const { method, access } = tool;
  const body = tool.body === undefined ? undefined : fillJson(tool.body, input);
  return {
    method,
    path: getPath(tool, base, input),
    query: getQuery(tool, input),
    headers: getHeaders(tool, input),
    ...(body === undefined ? {} : { body }),
    answer: z.unknown(),
    ...(access === "read" && method === "POST" ? { reads: true } : {}),
  };
}

/** Fills the path. No value may change its structure. */
function getPath(tool: ToolDescription, base: string, input: Values): string {
  const path = fillPath(tool.path, input);
  if (path !== undefined && URL.parse(base + path)?.href === base + path) return path;
  const [field] = listSlots(tool.path);
  throw new Problem("INVALID_REQUEST", `The input of ${tool.name} cannot be used in its path.`, {
    hint: "",
    details: field ? { field } : {},
  });
}

function getQuery(tool: ToolDescription, input: Values): Record<string, string | number | boolean | undefined> {
  const entries = Object.entries(tool.query ?? {});
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === "string" ? fillText(value, input) : value]),
  );
}

/** @throws Problem INVALID_REQUEST for a value with a line break or another character that headers do not allow */
function getHeaders(tool: ToolDescription, input: Values): Record<string, string> {
  const filled = Object.entries(tool.headers ?? {}).flatMap(([name, template]) => {
    const value = fillText(template, input);
    if (value === undefined) return [];
    if (/^[\x20-\x7e]*$/.test(value)) return [[name.toLowerCase(), value]];
    const [field = name] = listSlots(template);
    throw new Problem("INVALID_REQUEST", `“${field}” has characters that are not allowed in the header ${name}.`, {
      hint: "",
      details: { field },
    });
  });
  return Object.fromEntries(filled);
}

/** Converts a custom tool's input, a JSON Schema of a flat object, to a schema. */
function toInputSchema(input: ToolDescription["input"]): z.ZodMiniType<Record<string, unknown>> {
  const { properties = {}, required = [] } = input ?? {};
  const fields = Object.entries(properties).map(([name, property]) => {
    const schema = toFieldSchema(property);
    return [name, required.includes(name) ? schema : addDescription(z.optional(schema), property)] as const;
  });
  return z.object(Object.fromEntries(fields));
}

function toFieldSchema(property: Property): z.ZodMiniType {
  const { type, items, maxItems } = property;
  const createListSchema = () =>
    z.array(toScalarSchema(items?.type ?? "string", { ...items })).check(z.maxLength(maxItems ?? MAX_ITEMS));
  return addDescription(type === "array" ? createListSchema() : toScalarSchema(type, property), property);
}

type Rules = Partial<Pick<Property, "enum" | "minimum" | "maximum" | "minLength" | "maxLength">>;

function toScalarSchema(type: string, rules: Rules): z.ZodMiniType {
  if (type === "boolean") return z.boolean();
  if (type === "integer" || type === "number") {
    const { minimum, maximum } = rules;
    return (type === "integer" ? z.int() : z.number()).check(
      ...(minimum === undefined ? [] : [z.minimum(minimum)]),
      ...(maximum === undefined ? [] : [z.maximum(maximum)]),
    );
  }
  if (rules.enum) return z.enum(rules.enum);
  const { minLength = 0, maxLength = MAX_TEXT_LENGTH } = rules;
  return z.string().check(...(minLength > 0 ? [z.minLength(minLength)] : []), z.maxLength(maxLength));
}

/** Passes description and format on to models and the planner. The service itself validates the format. */
function addDescription<T extends z.ZodMiniType>(schema: T, { description, format }: Property): T {
  if (description !== undefined) withDescription(schema, description);
  if (format !== undefined) z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), format });
  return schema;
}

const MAX_TEXT_LENGTH = 100_000;
const MAX_ITEMS = 200;
