import {
  computeFingerprint,
  formatMcpPlace,
  getAccess,
  type McpDefinition,
  type McpTool,
} from "#connectors/mcp/definition";
import { listParameterTexts } from "#connectors/mcp/tools/schema-texts";
import type { AddServiceResponse, CustomServiceView } from "#protocol/custom-services";
import type { InspectedServer } from "./inspect.ts";

export type Difference = Pick<AddServiceResponse, "outcome" | "changes"> & {
  moved: boolean;
  forgotten: string[];
  before?: McpDefinition;
};

export function getAnswer(
  inspected: InspectedServer,
  { outcome, changes }: Difference,
  dryRun: boolean,
): AddServiceResponse {
  const { definition, left, lacksSignIn } = inspected;
  const later = lacksSignIn ? ["It lists its tools only after sign-in: connect it, then approve them."] : [];
  return {
    service: getView(inspected),
    outcome,
    changes: [...changes, ...left, ...later],
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
