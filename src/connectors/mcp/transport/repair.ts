import { specTypeSchemas } from "@modelcontextprotocol/client";
import { cleanLine } from "#protocol/clean";
import { dropNulls, isRecord, type JsonRecord } from "./message.ts";

/**
 * Key in the `_meta` of a tool or content block that kay cannot use. Its value says why, as the end of a sentence. The
 * item stays in its list, so that it can be named and the others are used.
 */
export const PROBLEM_KEY = "kay/problem";

/** Key in the `_meta` of a call's result that is a task of the newer protocol. Its value is the task. */
export const TASK_KEY = "kay/task";

/** Maximum number of requests whose answers are awaited. */
const MAX_OPEN_REQUESTS = 1_000;

/** Repairs the messages of one connection. */
export type MessageRepair = {
  /** Remembers the methods of requests, since an answer does not name its method. */
  noteRequests(message: unknown): void;
  /**
   * Repairs a received message, or each one of a batch. `null` counts as absent, and a tool or block that is not as MCP
   * requires is marked instead of spoiling the whole answer.
   */
  repairMessages(message: unknown): unknown;
};

export function createMessageRepair(): MessageRepair {
  const methods = new Map<unknown, string>();
  const repairOne = (given: unknown): unknown => {
    const message = dropNulls(given);
    if (!isRecord(message)) return message;
    const { id, method, params, error, result } = message;
    const jsonrpc = "2.0";
    const idPart = id === undefined ? {} : { id };
    if (method !== undefined) return { jsonrpc, ...idPart, method, ...(isRecord(params) ? { params } : {}) };
    const asked = methods.get(String(id)) ?? "";
    methods.delete(String(id));
    if (error !== undefined) return { jsonrpc, ...idPart, error: repairError(error) };
    const body = isRecord(result) ? result : {};
    return { jsonrpc, ...idPart, result: REPAIRS[asked]?.(body) ?? body };
  };
  return {
    noteRequests: (given) => {
      for (const message of [given].flat())
        if (isRecord(message) && message.id !== undefined && typeof message.method === "string") {
          if (methods.size >= MAX_OPEN_REQUESTS) methods.clear();
          methods.set(String(message.id), message.method);
        }
    },
    repairMessages: (message) => (Array.isArray(message) ? message.map(repairOne) : repairOne(message)),
  };
}

/** Internal error (JSON-RPC 2.0, section 5.1), for an error without a code. */
const INTERNAL_ERROR_CODE = -32_603;

/** An error is answered even if it has no code, or is only a text: without an answer, a request would wait for its end. */
function repairError(given: unknown): JsonRecord {
  const error = isRecord(given) ? given : { message: given };
  const { code, message, data } = error;
  return {
    code: Number.isSafeInteger(code) ? code : INTERNAL_ERROR_CODE,
    message: toText(message),
    ...(data === undefined ? {} : { data }),
  };
}

const REPAIRS: Record<string, (result: JsonRecord) => JsonRecord> = {
  initialize: (result) => {
    const { serverInfo, capabilities } = result;
    const { name, version, ...info } = isRecord(serverInfo) ? serverInfo : {};
    return {
      ...result,
      serverInfo: { ...pick(info, ["title"]), name: toText(name), version: toText(version) },
      capabilities: repairCapabilities(capabilities),
    };
  },
  "tools/list": (result) => ({ ...result, tools: toList(result.tools).map(repairTool) }),
  // The library knows no result that is a task of the newer protocol.
  "tools/call": (result) =>
    result.resultType === "task"
      ? { resultType: "complete", content: [], _meta: { [TASK_KEY]: result } }
      : repairCallResult(result),
  "tasks/result": repairCallResult,
  "tasks/get": (task) => (isRecord(task.result) ? { ...task, result: repairCallResult(task.result) } : task),
};

function repairCallResult(result: JsonRecord): JsonRecord {
  const { content, structuredContent } = result;
  const isPlain = structuredContent === undefined || isRecord(structuredContent);
  return {
    ...result,
    content: toList(content).map(repairBlock),
    ...(isPlain ? {} : { structuredContent: { result: structuredContent } }),
  };
}

/** A server that announces no tools but has some is asked for them anyway; one that has none answers with an error. */
function repairCapabilities(given: unknown): JsonRecord {
  const capabilities = isRecord(given) ? given : {};
  const valid = Object.entries(capabilities).filter(([, value]) => isRecord(value));
  return { ...Object.fromEntries(valid), tools: isRecord(capabilities.tools) ? capabilities.tools : {} };
}

/** Keeps what kay uses of a tool, so that a mistake in the rest does not matter. */
function repairTool(given: unknown): JsonRecord {
  if (!isRecord(given)) return markTool("", "it is not an object");
  const tool = pick(given, ["name", "title", "description", "annotations", "execution"]);
  const repaired = { ...tool, inputSchema: repairInputSchema(given.inputSchema), ...pickOutputSchema(given) };
  const field = findWrongField("Tool", repaired);
  return field === undefined ? repaired : markTool(toText(given.name), `its “${field}” is not as MCP requires`);
}

function markTool(name: string, problem: string): JsonRecord {
  return { name, inputSchema: { type: "object" }, _meta: { [PROBLEM_KEY]: problem } };
}

/** A tool without a schema takes no input; a schema without a type is one of an object. */
function repairInputSchema(schema: unknown): unknown {
  if (schema === undefined) return { type: "object" };
  return isRecord(schema) && schema.type === undefined ? { ...schema, type: "object" } : schema;
}

/** The older protocol allows objects only, and kay uses the schema only to check what it shows anyway. */
function pickOutputSchema({ outputSchema: schema }: JsonRecord): JsonRecord {
  if (!isRecord(schema) || schema.type !== "object") return {};
  return findWrongField("Tool", { name: "", inputSchema: schema }) === undefined ? { outputSchema: schema } : {};
}

/** Drops what kay does not use of a block, so that a mistake in it does not matter. */
function repairBlock(given: unknown): JsonRecord {
  if (typeof given === "string") return { type: "text", text: given };
  const { annotations: _, _meta, icons, ...block } = isRecord(given) ? given : {};
  const kind = cleanLine(toText(block.type), 60);
  const schema = BLOCKS.get(kind);
  if (!schema) return markBlock(kind ? `Content of the unknown kind “${kind}”` : "Content without a kind");
  const field = findWrongField(schema, block);
  return field === undefined ? block : markBlock(`Content of the kind “${kind}” with a wrong “${field}”`);
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
function findWrongField(type: SpecType, value: unknown): string | undefined {
  const result = specTypeSchemas[type]["~standard"].validate(value);
  if (result instanceof Promise || !result.issues) return undefined;
  const path = result.issues[0]?.path ?? [];
  return cleanLine(path.map((part) => String(typeof part === "object" ? part.key : part)).join("."), 80) || "type";
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function pick(from: JsonRecord, keys: string[]): JsonRecord {
  return Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]])));
}
