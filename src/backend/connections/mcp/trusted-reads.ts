import { getMcpBinding, type McpDefinition } from "#connectors/mcp/definition";
import { diffTools } from "#connectors/mcp/tools/tool-diff";
import type { StoredMcp } from "../../store/mcp.ts";
import type { InspectedServer } from "./inspect.ts";

/**
 * Applies the user's choice to the tools that the server calls reads. Without a choice, those stay trusted that have not
 * changed, if the server is still at the same place.
 */
export function chooseTrustedReads(
  inspected: InspectedServer,
  stored: StoredMcp | undefined,
  choice: boolean | undefined,
): InspectedServer {
  const { definition } = inspected;
  const before = stored?.definition as McpDefinition | undefined;
  const isSamePlace = before !== undefined && getMcpBinding(before) === getMcpBinding(definition);
  const changed = new Set(diffTools(before?.tools ?? [], definition.tools).changed.map(({ name }) => name));
  const earlier = new Set(isSamePlace ? (before.trustedReads ?? []).filter((name) => !changed.has(name)) : []);
  const reads = definition.tools.filter(({ access }) => access === "read").map(({ name }) => name);
  const trustedReads = reads.filter((name) => choice ?? earlier.has(name));
  return { ...inspected, definition: { ...definition, trustedReads } };
}

/** Formats how the choice differs from the one before. */
export function formatTrustChange(
  { trustedReads: before = [] }: Pick<McpDefinition, "trustedReads">,
  { trustedReads: now = [] }: Pick<McpDefinition, "trustedReads">,
): string[] {
  const [more, fewer] = [now.filter((name) => !before.includes(name)), before.filter((name) => !now.includes(name))];
  return [
    ...(more.length > 0 ? [`These now run without asking: ${more.join(", ")}.`] : []),
    ...(fewer.length > 0 ? [`kay asks again before these run: ${fewer.join(", ")}.`] : []),
  ];
}
