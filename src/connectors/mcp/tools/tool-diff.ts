import { isDeepStrictEqual } from "node:util";
import type { McpTool } from "../definition.ts";
import { listParameterTexts } from "./schema-texts.ts";

/** The difference between a server's tools and the approved ones. */
export type ToolDiff = { added: McpTool[]; changed: McpTool[]; removed: McpTool[] };

export function diffTools(approved: McpTool[], offered: McpTool[]): ToolDiff {
  const before = new Map(approved.map((tool) => [tool.name, tool]));
  const now = new Set(offered.map(({ name }) => name));
  return {
    added: offered.filter(({ name }) => !before.has(name)),
    changed: offered.filter((tool) => before.has(tool.name) && !isSame(before.get(tool.name), tool)),
    removed: approved.filter(({ name }) => !now.has(name)),
  };
}

export function hasDifferences({ added, changed, removed }: ToolDiff): boolean {
  return added.length + changed.length + removed.length > 0;
}

/** Formats the difference as sentences, the most important first. */
export function formatToolDiff(approved: McpTool[], difference: ToolDiff): string[] {
  const before = new Map(approved.map((tool) => [tool.name, tool]));
  return [
    ...difference.changed.flatMap((tool) => formatChanges(before.get(tool.name), tool)),
    ...difference.added.map((tool) => `New: ${tool.name} (${tool.access}).`),
    ...(difference.removed.length > 0 ? [`Gone: ${difference.removed.map(({ name }) => name).join(", ")}.`] : []),
  ];
}

function formatChanges(before: McpTool | undefined, tool: McpTool): string[] {
  if (!before) return [];
  const { name } = tool;
  const sentences = [
    ...(before.access === tool.access ? [] : [`${name} is now ${tool.access}; it was ${before.access}.`]),
    ...(before.remote === tool.remote ? [] : [`${name} is now a different tool of the server.`]),
    ...(before.description === tool.description ? [] : [`${name} has a new description: “${tool.description}”.`]),
    ...(isDeepStrictEqual(before.input, tool.input) ? [] : [formatInputChange(before, tool)]),
    ...(isDeepStrictEqual(before.output, tool.output) ? [] : [`${name} has a new output schema.`]),
    ...(before.repeatable === tool.repeatable
      ? []
      : [`${name} may ${tool.repeatable ? "now" : "no longer"} be called again when its response is lost.`]),
    ...(before.closed && !tool.closed ? [`${name} may now reach other servers.`] : []),
  ];
  return sentences.length > 0 ? sentences : [`${name} changed.`];
}

function formatInputChange(before: McpTool, tool: McpTool): string {
  const [old, now] = [listFields(before), listFields(tool)];
  const added = now.filter((field) => !old.includes(field));
  const removed = old.filter((field) => !now.includes(field));
  const parts = [
    ...(added.length > 0 ? [`takes ${added.join(", ")} besides`] : []),
    ...(removed.length > 0 ? [`no longer takes ${removed.join(", ")}`] : []),
  ];
  const known = new Set(listParameterTexts(before.input).map(({ name, text }) => `${name} ${text}`));
  const texts = listParameterTexts(tool.input).filter(({ name, text }) => !known.has(`${name} ${text}`));
  const says = texts.map(({ name, text }) => `“${name}” is now “${text}”`).join("; ");
  return `${tool.name} ${parts.join(" and ") || "has a new input schema"}${says ? `: ${says}` : ""}.`;
}

const listFields = ({ input }: McpTool) => Object.keys((input.properties ?? {}) as object);

/** Compares tools as stored: undefined fields and the order of keys do not matter. */
function isSame(a: McpTool | undefined, b: McpTool): boolean {
  // A server's claim that was not approved has no effect, so it is not a difference.
  const { closed, ...rest } = b;
  const now = a?.closed ? b : rest;
  return isDeepStrictEqual(a && JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(now)));
}
