import { isDeepStrictEqual } from "node:util";
import type { ServiceDescription, ToolDescription } from "#connectors/custom/description";
import { getBinding } from "#connectors/custom/service";

/** What a description changes of the one that is there. */
export type DescriptionDiff = {
  outcome: "added" | "replaced" | "unchanged";
  /** Sentences for a person. */
  changes: string[];
  /** Address or sign-in is another one: what was stored for the former is worth nothing here. */
  moved: boolean;
  /** Tools whose approvals were of something else. */
  forgotten: string[];
};

/** Compare a description with the one that is stored, if one is. */
export function diffDescriptions(
  stored: { description: unknown } | undefined,
  next: ServiceDescription,
): DescriptionDiff {
  if (!stored) return { outcome: "added", changes: [], moved: false, forgotten: [] };
  const before = stored.description as ServiceDescription;
  if (isDeepStrictEqual(before, next)) return { outcome: "unchanged", changes: [], moved: false, forgotten: [] };
  const moved = getBinding(before) !== getBinding(next);
  const tools = toolChanges(before.tools, next.tools);
  const forgotten = moved ? before.tools.map(({ name }) => name) : [...tools.changed, ...tools.gone];
  return { outcome: "replaced", changes: sentences(before, next, tools, moved), moved, forgotten };
}

type ToolChanges = { added: string[]; changed: string[]; gone: string[] };

function toolChanges(before: ToolDescription[], next: ToolDescription[]): ToolChanges {
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const names = new Set(next.map(({ name }) => name));
  return {
    added: next.filter(({ name }) => !old.has(name)).map(({ name }) => name),
    changed: next
      .filter((tool) => old.has(tool.name) && !isDeepStrictEqual(old.get(tool.name), tool))
      .map(({ name }) => name),
    gone: before.filter(({ name }) => !names.has(name)).map(({ name }) => name),
  };
}

function sentences(before: ServiceDescription, next: ServiceDescription, tools: ToolChanges, moved: boolean): string[] {
  const { added, changed, gone } = tools;
  return [
    ...(before.base_url === next.base_url ? [] : [`It moves from ${before.base_url} to ${next.base_url}.`]),
    ...(moved ? ["Its sign-in is forgotten, and so is everything that was allowed for longer; connect it anew."] : []),
    ...(before.title === next.title ? [] : [`Its title becomes ${next.title}.`]),
    ...(added.length > 0 ? [`New: ${added.join(", ")}.`] : []),
    ...(changed.length > 0 ? [`Changed: ${changed.join(", ")}.`] : []),
    ...(gone.length > 0 ? [`Gone: ${gone.join(", ")}.`] : []),
  ];
}
