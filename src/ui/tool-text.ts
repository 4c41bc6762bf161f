import { clean } from "#protocol/clean";
import type { ToolItem } from "./view.ts";
import { line } from "./words.ts";

/** Lines of a result that are shown; the rest is counted. */
const MOST_LINES = 200;

/** All there is of a call: what it was given, what it said while it worked, and what it brought. Cleaned. */
export function toolText({ name, input, log, output, error }: ToolItem): string {
  const parts = [
    `⏺ ${line(name)}`,
    ...labelled("given", input),
    ...(log.length > 0 ? [`  log\n${indented(log.map((each) => line(each)).join("\n"))}`] : []),
    ...labelled("brought", output),
    ...(error ? [`  failed: ${line(error)}`] : []),
  ];
  return parts.join("\n");
}

function labelled(label: string, value: unknown): string[] {
  if (value === undefined) return [];
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const lines = clean(text).split("\n");
  const more = lines.length > MOST_LINES ? [`… ${lines.length - MOST_LINES} more lines`] : [];
  return [`  ${label}\n${indented([...lines.slice(0, MOST_LINES), ...more].join("\n"))}`];
}

function indented(text: string): string {
  return text.replace(/^/gm, "    ");
}
