import { clean } from "#protocol/clean";
import { renderMarkdown } from "../markdown/progressive.ts";
import type { Look } from "../style.ts";
import type { ToolItem } from "../view/view.ts";
import { toLine } from "./words.ts";

/** Maximum number of result lines; the rest is counted. */
const MAX_LINES = 200;

/** Values nested deeper than this are shown as JSON. */
const MAX_DEPTH = 6;

/** Formats everything about a call for a person: input, log and output. The result is clean. */
export function formatToolCall({ name, input, log, output, error }: ToolItem, look: Look): string {
  const parts = [
    `⏺ ${toLine(name)}`,
    ...formatSection("input", input, look),
    ...(log.length > 0 ? [`  log\n${indentLines(log.map(toLine)).join("\n")}`] : []),
    ...formatSection("output", output, look),
    ...(error ? [`  failed: ${toLine(error)}`] : []),
  ];
  return parts.join("\n");
}

function formatSection(label: string, value: unknown, look: Look): string[] {
  if (value === undefined) return [];
  const lines = layOutValue(value, { ...look, width: Math.max(20, look.width - INDENT.length) });
  const suffix = lines.length > MAX_LINES ? [`… ${lines.length - MAX_LINES} more lines`] : [];
  return [`  ${label}\n${indentLines([...lines.slice(0, MAX_LINES), ...suffix]).join("\n")}`];
}

/** Lays out a value as lines: names before their values, lists with dashes, and texts of several lines as Markdown. */
function layOutValue(value: unknown, look: Look, depth = 0): string[] {
  if (typeof value === "string") return layOutText(value, look);
  const entries = Array.isArray(value)
    ? value.map((item): [string, unknown] => ["-", item])
    : typeof value === "object" && value !== null
      ? Object.entries(value).map(([name, value]): [string, unknown] => [`${toLine(name)}:`, value])
      : [];
  if (entries.length === 0 || depth === MAX_DEPTH) return [toLine(JSON.stringify(value) ?? "")];
  const inner = { ...look, width: Math.max(20, look.width - 2) };
  return entries.flatMap(([label, value]) => {
    const lines = layOutValue(value, inner, depth + 1);
    const [first = "", ...rest] = lines;
    if (label === "-") return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
    return rest.length === 0 && !isNested(value) ? [`${label} ${first}`] : [label, ...lines.map((line) => `  ${line}`)];
  });
}

function layOutText(text: string, look: Look): string[] {
  if (!text.trimEnd().includes("\n")) return [clean(text, { lines: false })];
  return renderMarkdown(text, look).split("\n");
}

function isNested(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

const INDENT = "    ";

function indentLines(lines: readonly string[]): string[] {
  return lines.map((line) => INDENT + line);
}
