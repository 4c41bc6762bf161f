import {
  computeFingerprint,
  formatMcpPlace,
  getAccess,
  getMcpBinding,
  type McpDefinition,
  type McpTool,
} from "#connectors/mcp/definition";
import { listParameterTexts } from "#connectors/mcp/tools/schema-texts";
import { diffTools } from "#connectors/mcp/tools/tool-diff";
import type { AddServiceResponse, CustomServiceView } from "#protocol/custom-services";
import type { StoredMcp } from "../../store/mcp.ts";
import type { InspectedServer } from "./inspect.ts";

export type Difference = Pick<AddServiceResponse, "outcome" | "changes"> & {
  moved: boolean;
  forgotten: string[];
  previous?: McpDefinition;
};

export function getAnswer(
  inspected: InspectedServer,
  { outcome, changes }: Difference,
  dryRun: boolean,
): AddServiceResponse {
  const { definition, notices, lacksSignIn } = inspected;
  const signInNotes = lacksSignIn ? ["It lists its tools only after sign-in: connect it, then approve them."] : [];
  return {
    service: getView(inspected),
    outcome,
    changes: [...changes, ...notices, ...signInNotes],
    dry_run: dryRun,
    fingerprint: computeFingerprint(definition),
  };
}

function getToolView(definition: McpDefinition, tool: McpTool): CustomServiceView["tools"][number] {
  const { name, description } = tool;
  const access = getAccess(definition, tool);
  const parameters = listParameterTexts(tool.input);
  return { name, access, ...(access === tool.access ? {} : { claim: tool.access }), description, parameters };
}

function getView({ definition, server }: InspectedServer): CustomServiceView {
  const { name, title, place, auth, tools } = definition;
  return {
    name,
    title,
    base_url: formatMcpPlace(place),
    sign_in: auth.type,
    tools: tools.map((tool) => getToolView(definition, tool)),
    mcp: {
      ...(server ? { server: `${server.name} ${server.version}`.trim() } : {}),
      ...("command" in place
        ? {
            command: formatMcpPlace(place),
            ...(place.folder ? { folder: place.folder } : {}),
            ...(place.env ? { env: place.env } : {}),
          }
        : {}),
    },
  };
}

/**
 * Applies the user's choice to the tools that the server calls reads. Without a choice, those stay trusted that have not
 * changed, if the server is still at the same place.
 */
export function chooseTrustedReads(
  inspected: InspectedServer,
  row: StoredMcp | undefined,
  choice: boolean | undefined,
): InspectedServer {
  const { definition } = inspected;
  const before = row?.definition as McpDefinition | undefined;
  const isSamePlace = before !== undefined && getMcpBinding(before) === getMcpBinding(definition);
  const changed = new Set(diffTools(before?.tools ?? [], definition.tools).changed.map(({ name }) => name));
  const trustedBefore = new Set(isSamePlace ? (before.trustedReads ?? []).filter((name) => !changed.has(name)) : []);
  const reads = definition.tools.filter(({ access }) => access === "read").map(({ name }) => name);
  const trustedReads = reads.filter((name) => choice ?? trustedBefore.has(name));
  return { ...inspected, definition: { ...definition, trustedReads } };
}

/** Formats how the choice differs from the one before. */
export function formatTrustChange(
  { trustedReads: before = [] }: Pick<McpDefinition, "trustedReads">,
  { trustedReads: now = [] }: Pick<McpDefinition, "trustedReads">,
): string[] {
  const [added, removed] = [now.filter((name) => !before.includes(name)), before.filter((name) => !now.includes(name))];
  return [
    ...(added.length > 0 ? [`These now run without asking: ${added.join(", ")}.`] : []),
    ...(removed.length > 0 ? [`kay asks again before these run: ${removed.join(", ")}.`] : []),
  ];
}
