import { isDeepStrictEqual } from "node:util";
import type { McpTool } from "./definition.ts";

/** What a server's list of tools is against the one that was approved. */
export type ToolDiff = { added: McpTool[]; changed: McpTool[]; gone: McpTool[] };

export function diffTools(approved: McpTool[], offered: McpTool[]): ToolDiff {
  const before = new Map(approved.map((tool) => [tool.name, tool]));
  const now = new Set(offered.map(({ name }) => name));
  return {
    added: offered.filter(({ name }) => !before.has(name)),
    changed: offered.filter((tool) => before.has(tool.name) && !isSame(before.get(tool.name), tool)),
    gone: approved.filter(({ name }) => !now.has(name)),
  };
}

export function hasDifferences({ added, changed, gone }: ToolDiff): boolean {
  return added.length + changed.length + gone.length > 0;
}

/** The difference as sentences for a person, the most telling first. */
export function formatToolDiff(approved: McpTool[], difference: ToolDiff): string[] {
  const before = new Map(approved.map((tool) => [tool.name, tool]));
  return [
    ...difference.changed.flatMap((tool) => changeSentences(before.get(tool.name), tool)),
    ...difference.added.map((tool) => `New: ${tool.name} (${tool.access}).`),
    ...(difference.gone.length > 0 ? [`Gone: ${difference.gone.map(({ name }) => name).join(", ")}.`] : []),
  ];
}

function changeSentences(before: McpTool | undefined, tool: McpTool): string[] {
  if (!before) return [];
  const { name } = tool;
  const sentences = [
    ...(before.access === tool.access ? [] : [`${name} is ${tool.access} now; it was ${before.access}.`]),
    ...(before.remote === tool.remote ? [] : [`${name} is another tool of the server now.`]),
    ...(before.description === tool.description
      ? []
      : [`${name} is described in other words now: “${tool.description}”.`]),
    ...(isDeepStrictEqual(before.input, tool.input) ? [] : [inputSentence(before, tool)]),
    ...(isDeepStrictEqual(before.output, tool.output) ? [] : [`${name} answers in another form.`]),
    ...(before.repeatable === tool.repeatable
      ? []
      : [`${name} may ${tool.repeatable ? "be" : "no longer be"} called again when its answer is lost.`]),
  ];
  return sentences.length > 0 ? sentences : [`${name} changed.`];
}

function inputSentence(before: McpTool, tool: McpTool): string {
  const [old, now] = [fields(before), fields(tool)];
  const added = now.filter((field) => !old.includes(field));
  const gone = old.filter((field) => !now.includes(field));
  const parts = [
    ...(added.length > 0 ? [`takes ${added.join(", ")} besides`] : []),
    ...(gone.length > 0 ? [`takes no ${gone.join(", ")} any more`] : []),
  ];
  return `${tool.name} ${parts.join(" and ") || "takes its input in another form"}.`;
}

const fields = ({ input }: McpTool) => Object.keys((input.properties ?? {}) as object);

/** As they are stored: a key with nothing in it is no key, and keys have no order. */
function isSame(a: McpTool | undefined, b: McpTool): boolean {
  return isDeepStrictEqual(a && JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
}
