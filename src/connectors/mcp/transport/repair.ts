import { isRecord, type JsonRecord, toRecord } from "#protocol/json";
import { hideSecrets } from "#protocol/redact";
import { dropNulls } from "./message.ts";
import { findWrongField, listTools, pick, repairBlock, repairTool, toList, toText } from "./repair-items.ts";

/** Key in the `_meta` of a call's result that is a task of the newer protocol. Its value is the task. */
export const TASK_KEY = "kay/task";

/** Maximum number of pages of a list; kay uses fewer tools than these have. A later page counts as the last one. */
const MAX_PAGES = 121;

/** Maximum number of requests whose answers are awaited. */
const MAX_OPEN_REQUESTS = 1_000;

/** Repairs the messages of one connection. */
export type MessageRepair = {
  /** Remembers the methods of requests, since an answer does not name its method. */
  noteRequests(message: unknown): void;
  /** Remembers secrets that requests carry. */
  noteSecrets(secrets: string[]): void;
  /** Hides the noted secrets in what was received. */
  hideSecrets(text: string): string;
  /**
   * Repairs a received message, or each one of a batch. `null` counts as absent, and a tool or block that is not as MCP
   * requires is marked instead of spoiling the whole answer. An answer without an ID is that of the request which it
   * came for, or of the only one that is open.
   *
   * @param request the message whose HTTP response has the answer
   */
  repairMessages(message: unknown, request?: unknown): unknown;
};

export function createMessageRepair(): MessageRepair {
  const methods = new Map<unknown, string>();
  const pageCounts = new Map<string, number>();
  const secrets = new Set<string>();
  const findId = (ids: unknown): unknown => {
    if (isRecord(ids)) return ids.id;
    return ids === undefined && methods.size === 1 ? [...methods.keys()][0] : undefined;
  };
  const repairOne = (input: unknown, request: unknown): unknown => {
    const message = dropNulls(input);
    if (!isRecord(message)) return message;
    const { method, params, error, result } = message;
    const isAnswer = method === undefined && (error !== undefined || Object.hasOwn(message, "result"));
    const id = message.id ?? (isAnswer ? findId(request) : undefined);
    const jsonrpc = "2.0";
    const idPart = id === undefined ? {} : { id };
    if (method !== undefined) return { jsonrpc, ...idPart, method, ...(isRecord(params) ? { params } : {}) };
    const answeredMethod = methods.get(String(id)) ?? "";
    methods.delete(String(id));
    if (error !== undefined) return { jsonrpc, ...idPart, error: repairError(error) };
    const body = isRecord(result)
      ? result
      : BARE_FIELDS[answeredMethod] === undefined
        ? {}
        : { [BARE_FIELDS[answeredMethod]]: result };
    const { _meta, nextCursor, ...repaired } = REPAIRS[answeredMethod]?.(body) ?? body;
    const isLastPage = (pageCounts.get(answeredMethod) ?? 0) >= MAX_PAGES;
    const nextPage = nextCursor === undefined || isLastPage ? {} : { nextCursor };
    return { jsonrpc, ...idPart, result: { ...repaired, ...nextPage, ...(isRecord(_meta) ? { _meta } : {}) } };
  };
  return {
    noteRequests: (input) => {
      for (const message of [input].flat())
        if (isRecord(message) && message.id !== undefined && typeof message.method === "string") {
          if (methods.size >= MAX_OPEN_REQUESTS) methods.clear();
          methods.set(String(message.id), message.method);
          const { cursor } = toRecord(message.params);
          pageCounts.set(message.method, cursor === undefined ? 1 : (pageCounts.get(message.method) ?? 0) + 1);
        }
    },
    noteSecrets: (newSecrets) => {
      for (const secret of newSecrets) secrets.add(secret);
    },
    hideSecrets: (text) => hideSecrets(text, [...secrets]),
    repairMessages: (message, request) =>
      Array.isArray(message) ? message.map((item) => repairOne(item, request)) : repairOne(message, request),
  };
}

/** The version of a server that names none. */
const OLDEST_VERSION = "2024-11-05";

/** Internal error (JSON-RPC 2.0, section 5.1), for an error without a code. */
const INTERNAL_ERROR_CODE = -32_603;

/**
 * An error is answered even if it has no code, or is only a text: without an answer, a request would wait for its end.
 */
function repairError(input: unknown): JsonRecord {
  const error = isRecord(input) ? input : { message: input };
  const { code, message, data } = error;
  return {
    code: Number.isSafeInteger(code) ? code : INTERNAL_ERROR_CODE,
    message: toText(message),
    ...(data === undefined ? {} : { data }),
  };
}

/** The field of a result that some servers answer with alone. */
const BARE_FIELDS: Record<string, string> = { "tools/call": "content", "tools/list": "tools" };

const REPAIRS: Record<string, (result: JsonRecord) => JsonRecord> = {
  initialize: (result) => {
    const { serverInfo, capabilities } = result;
    const { name, version, ...info } = isRecord(serverInfo) ? serverInfo : {};
    return {
      ...result,
      protocolVersion: result.protocolVersion ?? OLDEST_VERSION,
      serverInfo: { ...pick(info, ["title"]), name: toText(name), version: toText(version) },
      capabilities: repairCapabilities(capabilities),
    };
  },
  "tools/list": ({ nextCursor, tools, ...result }) => ({
    ...result,
    ...(/^(?:string|number)$/.test(typeof nextCursor) ? { nextCursor: String(nextCursor) } : {}),
    tools: listTools(tools).map(repairTool),
  }),
  "tools/call": (result) => {
    // The library knows no result that is a task of the newer protocol.
    if (result.resultType === "task") return { resultType: "complete", content: [], _meta: { [TASK_KEY]: result } };
    // A task of protocol 2025-11-25 has no content either, and is not data.
    return findWrongField("CreateTaskResult", result) === undefined ? result : repairCallResult(result);
  },
  "tasks/result": repairCallResult,
  "tasks/get": (task) => (isRecord(task.result) ? { ...task, result: repairCallResult(task.result) } : task),
};

/** A result without content is data, as before 2024-11-05 (`toolResult`) and as some servers answer. */
function repairCallResult(result: JsonRecord): JsonRecord {
  const { content, structuredContent, toolResult, isError, resultType, _meta, ...others } = result;
  const common = { ...(_meta === undefined ? {} : { _meta }), ...(resultType === undefined ? {} : { resultType }) };
  // A question to the user has other fields.
  if (resultType === "input_required") return { ...common, ...others, content: [] };
  const isBare = content === undefined && structuredContent === undefined && Object.keys(others).length > 0;
  const data = structuredContent ?? toolResult ?? (isBare ? others : undefined);
  return {
    ...common,
    content: toList(content).map(repairBlock),
    ...(data === undefined ? {} : { structuredContent: isRecord(data) ? data : { result: data } }),
    ...(isError === true || isError === "true" ? { isError: true } : {}),
  };
}

/** A server that announces no tools but has some is asked for them anyway; one that has none answers with an error. */
function repairCapabilities(input: unknown): JsonRecord {
  const capabilities = isRecord(input) ? input : {};
  const valid = Object.entries(capabilities).filter(([, value]) => isRecord(value));
  return { ...Object.fromEntries(valid), tools: isRecord(capabilities.tools) ? capabilities.tools : {} };
}
