import { randomBytes } from "node:crypto";
import type { Receipt } from "#protocol/ask";
import { findClosestName, suggestName } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import type { ToolCallResponse, ToolView } from "#protocol/tools";
import { type AgentTool, UNATTENDED_CONTEXT } from "../tool.ts";
import { rejectUnknownFields } from "./input.ts";

/** Converts a tool to the view that the API and `kay tools` show. */
export function toToolView(tool: AgentTool): ToolView {
  const { name, service, title, description, access, schema, examples, mentions } = tool;
  const { $schema: _dialect, ...input_schema } = schema as Record<string, unknown>;
  const view = { name, service, title, description, access, input_schema, examples };
  return mentions ? { ...view, mentions } : view;
}

/**
 * Returns the tool with this name.
 *
 * @throws Problem NOT_FOUND with the closest name
 */
export function findTool(tools: AgentTool[], name: string): AgentTool {
  const match = tools.find((tool) => tool.name === name);
  if (match) return match;
  const names = tools.map((tool) => tool.name);
  const near = findClosestName(name, names);
  const guess = near ? ` ${suggestName(name, names)}` : "";
  throw new Problem("NOT_FOUND", `Unknown tool ${JSON.stringify(name.slice(0, 60))}.${guess}`, {
    hint: "Run `kay tools list` to list all tools.",
    details: near ? { nearest: near } : {},
  });
}

/** Runs one tool without a model, for `POST /tools/:name/call` and `kay tools call`. `id` identifies the call. */
export async function callToolDirectly(
  tool: AgentTool,
  input: Record<string, unknown>,
  { id, signal }: { id: string; signal: AbortSignal },
): Promise<ToolCallResponse> {
  rejectUnknownFields(tool, input);
  const parsed = tool.parse(input);
  const receipts = new Map<string, Receipt>();
  const report = (receipt: Receipt) => void receipts.set(receipt.tool_call_id, receipt);
  const listFinalReceipts = () =>
    [...receipts.values()].filter(({ effect }) => effect === "settled" || effect === "unknown");
  try {
    const { data, text, url } = await tool.run(parsed, { toolCallId: id, signal, report, ...UNATTENDED_CONTEXT });
    return {
      tool: tool.name,
      output: { data: data ?? null, text, ...(url ? { url } : {}) },
      receipts: listFinalReceipts(),
    };
  } catch (error) {
    if (!(error instanceof Problem) || listFinalReceipts().length === 0) throw error;
    const { code, message, hint, details, cause } = error;
    throw new Problem(code, message, { hint, details: { ...details, receipts: listFinalReceipts() }, cause });
  }
}

/** Creates the ID of a call made without a model. The effects of the call are stored under it. */
export function createDirectCallId(): string {
  return `call_${randomBytes(16).toString("hex")}`;
}
