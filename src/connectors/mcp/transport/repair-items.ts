import { specTypeSchemas } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { isRecord, type JsonRecord, tryParseJson } from "#protocol/json";

/**
 * Key in the `_meta` of a tool or content block that kay cannot use. Its value says why, as the end of a sentence. The
 * item stays in its list, so that it can be named and the others are used.
 */
export const PROBLEM_KEY = "kay/problem";

/** Keeps what kay uses of a tool, so that a mistake in the rest does not matter. */
export function repairTool(tool: unknown): JsonRecord {
  if (!isRecord(tool)) return markTool("", "it is not an object");
  const { name, title, description, annotations, execution } = tool;
  const hints = Object.entries(isRecord(annotations) ? annotations : {}).filter(([key, value]) =>
    key === "title" ? typeof value === "string" : typeof value === "boolean",
  );
  const repaired = {
    ...(typeof name === "string" || typeof name === "number" ? { name: String(name) } : {}),
    ...(typeof title === "string" ? { title } : {}),
    ...(description === undefined ? {} : { description: [description].flat().map(toText).join(" ") }),
    ...(hints.length > 0 ? { annotations: Object.fromEntries(hints) } : {}),
    ...(isRecord(execution) ? { execution } : {}),
    inputSchema: repairInputSchema(tool.inputSchema ?? tool.input_schema ?? tool.parameters),
    ...pickOutputSchema(tool),
  };
  const field = findWrongField("Tool", repaired);
  return field === undefined ? repaired : markTool(toText(tool.name), `its “${field}” is not as MCP requires`);
}

/** Lists tools from a list, or from an object with the tools by name. */
export function listTools(tools: unknown): unknown[] {
  if (!isRecord(tools) || tools.name !== undefined) return toList(tools);
  return Object.entries(tools).map(([name, tool]) => (isRecord(tool) ? { name, ...tool } : tool));
}

function markTool(name: string, problem: string): JsonRecord {
  return { name, inputSchema: { type: "object" }, _meta: { [PROBLEM_KEY]: problem } };
}

/** Completes an input schema. Without one, a tool takes no input; without a type, it describes an object. */
function repairInputSchema(value: unknown): unknown {
  const schema = typeof value === "string" ? tryParseJson(value) : value;
  if (schema === undefined) return { type: "object" };
  if (!isRecord(schema)) return schema;
  const { type = "object", properties, required, ...rest } = schema;
  const isObject = [type].flat().some((type) => String(type).toLowerCase() === "object");
  return {
    ...rest,
    type: isObject ? "object" : type,
    ...(isRecord(properties) ? { properties } : {}),
    ...(Array.isArray(required) ? { required: required.filter((name) => typeof name === "string") } : {}),
  };
}

/** The older protocol allows objects only, and kay uses the schema only to check what it shows anyway. */
function pickOutputSchema({ outputSchema: schema }: JsonRecord): JsonRecord {
  if (!isRecord(schema) || schema.type !== "object") return {};
  return findWrongField("Tool", { name: "", inputSchema: schema }) === undefined ? { outputSchema: schema } : {};
}

/** Drops what kay does not use of a block, so that a mistake in it does not matter, and takes the text of any other. */
export function repairBlock(value: unknown): JsonRecord {
  if (!isRecord(value)) return { type: "text", text: typeof value === "string" ? value : JSON.stringify(value) };
  const { annotations: _, _meta, icons, ...block } = value;
  const kind = cleanLine(toText(block.type), 60);
  const schema = BLOCKS.get(kind);
  const namedBlock = kind === "resource_link" && block.name === undefined ? { ...block, name: block.uri } : block;
  const field = schema && findWrongField(schema, namedBlock);
  if (schema && field === undefined) return namedBlock;
  const text = findText(block);
  if (text !== undefined) return { type: "text", text };
  if (schema) return markBlock(`Content of the kind “${kind}” with a wrong “${field}”`);
  return markBlock(kind ? `Content of the unknown kind “${kind}”` : "Content without a kind");
}

/** Returns the text of a block of a wrong or unknown kind, or its data. */
function findText({ text, json, resource, ...block }: JsonRecord): string | undefined {
  const ownValue = block[toText(block.type)];
  const inner = [resource, ownValue].filter(isRecord).map((item) => item.text ?? item.url);
  const content =
    text ?? json ?? [...inner, ownValue, block.content, block.url].find((text) => typeof text === "string");
  return content === undefined || typeof content === "string" ? content : JSON.stringify(content);
}

const BLOCKS = new Map<string, SpecType>([
  ["text", "TextContent"],
  ["image", "ImageContent"],
  ["audio", "AudioContent"],
  ["resource", "EmbeddedResource"],
  ["resource_link", "ResourceLink"],
]);

function markBlock(problem: string): JsonRecord {
  return { type: "text", text: "", _meta: { [PROBLEM_KEY]: problem } };
}

type SpecType = keyof typeof specTypeSchemas;

/** Returns the path of the first field that is not as MCP requires, or undefined if all are. */
export function findWrongField(type: SpecType, value: unknown): string | undefined {
  const result = specTypeSchemas[type]["~standard"].validate(value);
  if (result instanceof Promise || !result.issues) return undefined;
  const path = result.issues[0]?.path ?? [];
  return cleanLine(path.map((part) => String(typeof part === "object" ? part.key : part)).join("."), 80) || "type";
}

export function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

export function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function pick(from: JsonRecord, keys: string[]): JsonRecord {
  return Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])));
}
