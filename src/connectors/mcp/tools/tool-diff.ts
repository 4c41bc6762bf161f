import { isDeepStrictEqual } from "node:util";
import type { McpTool } from "../definition.ts";
import { listParameterTexts } from "./schema-texts.ts";

/** The difference between a server's tools and the approved ones. */
export type ToolDiff = { added: McpTool[]; changed: McpTool[]; removed: McpTool[] };

export function diffTools(approved: McpTool[], offered: McpTool[]): ToolDiff {
  const oldTools = new Map(approved.map((tool) => [tool.name, tool]));
  const offeredNames = new Set(offered.map(({ name }) => name));
  return {
    added: offered.filter(({ name }) => !oldTools.has(name)),
    changed: offered.filter((tool) => oldTools.has(tool.name) && !isSame(oldTools.get(tool.name), tool)),
    removed: approved.filter(({ name }) => !offeredNames.has(name)),
  };
}

export function hasDifferences({ added, changed, removed }: ToolDiff): boolean {
  return added.length + changed.length + removed.length > 0;
}

/** Formats the difference as sentences, the most important first. */
export function formatToolDiff(approved: McpTool[], difference: ToolDiff): string[] {
  const oldTools = new Map(approved.map((tool) => [tool.name, tool]));
  return [
    ...difference.changed.flatMap((tool) => formatChanges(oldTools.get(tool.name), tool)),
    ...difference.added.map((tool) => `New: ${tool.name} (${tool.access}).`),
    ...(difference.removed.length > 0 ? [`Gone: ${difference.removed.map(({ name }) => name).join(", ")}.`] : []),
  ];
}

function formatChanges(oldTool: McpTool | undefined, tool: McpTool): string[] {
  if (!oldTool) return [];
  const { name } = tool;
  const sentences = [
    ...(oldTool.access === tool.access ? [] : [`${name} is now ${tool.access}; it was ${oldTool.access}.`]),
    ...(oldTool.remote === tool.remote ? [] : [`${name} is now a different tool of the server.`]),
    ...(oldTool.description === tool.description ? [] : [`${name} has a new description: “${tool.description}”.`]),
    ...(isDeepStrictEqual(oldTool.input, tool.input) ? [] : [formatInputChange(oldTool, tool)]),
    ...(isDeepStrictEqual(oldTool.output, tool.output) ? [] : [`${name} has a new output schema.`]),
    ...(oldTool.repeatable === tool.repeatable
      ? []
      : [`${name} may ${tool.repeatable ? "now" : "no longer"} be called again when its response is lost.`]),
    ...(oldTool.closed && !tool.closed ? [`${name} may now reach other servers.`] : []),
  ];
  return sentences.length > 0 ? sentences : [`${name} changed.`];
}

function formatInputChange(oldTool: McpTool, tool: McpTool): string {
  const [old, now] = [listFields(oldTool), listFields(tool)];
  const addedFields = now.filter((field) => !old.includes(field));
  const removedFields = old.filter((field) => !now.includes(field));
  const parts = [
    ...(addedFields.length > 0 ? [`takes ${addedFields.join(", ")} besides`] : []),
    ...(removedFields.length > 0 ? [`no longer takes ${removedFields.join(", ")}`] : []),
  ];
  const oldTexts = new Set(listParameterTexts(oldTool.input).map(({ name, text }) => `${name} ${text}`));
  const texts = listParameterTexts(tool.input).filter(({ name, text }) => !oldTexts.has(`${name} ${text}`));
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
