import { clean } from "#protocol/clean";
import { toLine } from "./text/words.ts";
import type { ToolItem } from "./view/view.ts";

/** Lines of a result that are shown; the rest is counted. */
const MOST_LINES = 200;

/** All there is of a call: what it was given, what it said while it worked, and what it brought. Cleaned. */
export function formatToolCall({ name, input, log, output, error }: ToolItem): string {
  const parts = [
    `⏺ ${toLine(name)}`,
    ...labell("given", input),
    ...(log.length > 0 ? [`  log\n${indent(log.map((each) => toLine(each)).join("\n"))}`] : []),
    ...labell("brought", output),
    ...(error ? [`  failed: ${toLine(error)}`] : []),
  ];
  return parts.join("\n");
}

function labell(label: string, value: unknown): string[] {
  if (value === undefined) return [];
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const lines = clean(text).split("\n");
  const more = lines.length > MOST_LINES ? [`… ${lines.length - MOST_LINES} more lines`] : [];
  return [`  ${label}\n${indent([...lines.slice(0, MOST_LINES), ...more].join("\n"))}`];
}

function indent(text: string): string {
  return text.replace(/^/gm, "    ");
}
