import stringWidth from "string-width";
import { wrapLines } from "../markdown/wrap.ts";
import { truncateCells } from "../screen/cells.ts";
import type { ToolItem } from "../view/view.ts";
import { toLine } from "./words.ts";

/**
 * Formats a call in one line: `⏺ jira.search  project = KAY  0.4s  4 issues`. If the line is too long, the input is cut
 * first.
 */
export function formatToolRow(tool: ToolItem, width: number): string {
  const head = `${["failed", "denied", "expired"].includes(tool.state) ? "✗" : "⏺"} ${toLine(tool.name)}`;
  const tail = [formatDuration(tool), formatToolResult(tool)].filter(Boolean).map((text) => `  ${text}`);
  const input = formatToolInput(tool);
  const room = width - stringWidth(head + tail.join("")) - 2;
  const middle = input && room >= 8 ? `  ${truncateCells(input, room)}` : "";
  return truncateCells(`${head}${middle}${tail.join("")}`, width);
}

/** Formats a call that has ended. An error that does not fit follows the line, since its end often says what to change. */
export function formatEndedTool(tool: ToolItem, width: number): string {
  const row = formatToolRow(tool, width);
  const result = formatToolResult(tool);
  if (tool.state !== "failed" || row.endsWith(result)) return row;
  return `${formatToolRow({ ...tool, error: "" }, width)}\n${wrapLines(`  ${result}`, width)}`;
}

/**
 * Formats the input of a call as `name = value`, sorted by name, since the log does not keep the order. Lists of objects,
 * such as form fields, show only their length.
 */
export function formatToolInput({ title, input }: ToolItem): string {
  const entries = isObject(input) ? Object.entries(input).sort(([field], [other]) => (field < other ? -1 : 1)) : [];
  const cells = entries.map(([name, value]) => `${name} = ${formatInputValue(value)}`);
  return toLine(cells.join(", ") || (title ?? "")).trim();
}

function formatInputValue(value: unknown): string {
  if (Array.isArray(value) && value.some(isObject)) return String(value.length);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Whether a call has ended. */
export function isToolFinished({ state }: ToolItem): boolean {
  return ["done", "failed", "denied", "expired"].includes(state);
}

function formatDuration(tool: ToolItem): string {
  const { workedMs } = tool;
  return isToolFinished(tool) && workedMs !== undefined ? `${(workedMs / 1000).toFixed(1)}s` : "";
}

/** Formats the result of a call: how many things it found, why it failed, or its last log line while it runs. */
export function formatToolResult({ state, output, error, log }: ToolItem): string {
  if (state === "denied" || state === "expired") return state;
  if (state === "failed") return toLine(error ?? "failed").trim();
  if (state === "done") return isObject(output) && "planned" in output ? "not sent" : countResults(output);
  return toLine(log.at(-1) ?? "").trim() || (state === "paused" ? "waiting for an answer" : "…");
}

/** Returns a count such as `4 issues` if the output is a list or contains exactly one. */
function countResults(output: unknown): string {
  const data = isObject(output) && "data" in output ? output.data : output;
  if (Array.isArray(data)) return formatCount(data.length, "results");
  const lists = isObject(data) ? Object.entries(data).filter(([, value]) => Array.isArray(value)) : [];
  const [entry] = lists;
  return entry && lists.length === 1 ? formatCount((entry[1] as unknown[]).length, toLine(entry[0])) : "";
}

function formatCount(count: number, names: string): string {
  return `${count} ${count === 1 ? names.replace(/s$/, "") : names}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
