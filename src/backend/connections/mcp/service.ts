import type { McpClientPool } from "#connectors/mcp/client-pool";
import { formatMcpPlace, getMcpBinding, type McpDefinition, type McpTool } from "#connectors/mcp/definition";
import { createAnonymousIdentity, createMcpService } from "#connectors/mcp/service";
import type { ToolList } from "#connectors/mcp/tools/read-tools";
import { diffTools, formatToolDiff, hasDifferences } from "#connectors/mcp/tools/tool-diff";
import type { ServiceConfiguration } from "#connectors/service";
import { Problem } from "#protocol/errors";
import { getBaseName } from "#protocol/tool-names";
import type { BackendPorts } from "../../ports.ts";
import { putOffered, type StoredMcp } from "../../store/mcp.ts";
import type { DbConnection } from "../../store/schema.ts";
import { chooseFetch, type OutboundPolicy } from "../services/custom-service.ts";
import { openClientSecret } from "../tokens/sealing.ts";

type Ports = OutboundPolicy &
  Pick<BackendPorts, "keys"> &
  Partial<Pick<BackendPorts, "clientSecret">> & { db: DbConnection; links: McpClientPool };

/** Returns a stored MCP server as a service that can be connected. */
export function toMcpService(ports: Ports, row: StoredMcp): ServiceConfiguration {
  const definition = row.definition as McpDefinition;
  const offered = (row.offered ?? undefined) as McpTool[] | undefined;
  const fetch = chooseFetch(ports);
  const binding = getMcpBinding(definition);
  const rememberList = (list: ToolList) => remember(ports, row, list);
  const service = createMcpService(definition, {
    pool: ports.links,
    fetch,
    key: getLinkKey(row.installation_id, definition),
    onList: rememberList,
    ...(offered ? { offered } : {}),
  });
  return {
    service,
    endpoints: service.endpoints,
    client: { id: definition.name },
    ...getDiscovery(ports, row),
    described: {
      fetch,
      binding,
      lacksSecret: false,
      identify: async (secret) => {
        await rememberList(await inspect(ports, definition, secret));
        return createAnonymousIdentity(definition);
      },
      mcp: {
        ...("command" in definition.place
          ? {
              command: formatMcpPlace(definition.place),
              ...(definition.place.env ? { env: definition.place.env } : {}),
            }
          : {}),
        changes: offered ? formatToolDiff(definition.tools, diffTools(definition.tools, offered)) : [],
      },
    },
  };
}

/**
 * Returns where to discover the sign-in of a server with a consent, and its client if that was registered by hand. The
 * client's secret comes from its user or the operator.
 */
function getDiscovery(ports: Ports, row: StoredMcp): Pick<ServiceConfiguration, "discovers"> {
  const { place, auth } = row.definition as McpDefinition;
  if (auth.type !== "oauth2" || !("url" in place)) return {};
  const { client_id: id } = auth;
  if (id === undefined) return { discovers: { server: place.url } };
  const secret = openOwnSecret(ports, row) ?? ports.clientSecret?.(getBaseName(row.name));
  return {
    discovers: {
      server: place.url,
      client: secret === undefined ? { id } : { id, secret },
      ...(row.client_issuer === null ? {} : { issuer: row.client_issuer }),
    },
  };
}

/** Opens the secret of a client that the user registered. Undefined for none, or one sealed with a key that is gone. */
export function openOwnSecret({ keys }: Pick<Ports, "keys">, row: StoredMcp): string | undefined {
  if (!row.sealed_client) return undefined;
  const binding = getMcpBinding(row.definition as McpDefinition);
  try {
    return openClientSecret(
      keys,
      { installationId: row.installation_id, service: row.name, binding },
      row.sealed_client,
    );
  } catch (error) {
    // Encrypted with a key that is gone, so the user must enter it again.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Returns the key of one user's connection to one server. */
export function getLinkKey(installationId: string, definition: Pick<McpDefinition, "name" | "place" | "auth">): string {
  return `${installationId}/${definition.name}/${getMcpBinding(definition)}`;
}

/**
 * Lists the tools that a server offers with a secret. @throws Problem as an inspection, AUTH_REQUIRED for a refused
 * secret
 */
async function inspect(ports: Ports, definition: McpDefinition, secret: string): Promise<ToolList> {
  const secretPart =
    definition.auth.type === "none" ? {} : { secret: { token: async () => secret, renewToken: rejectSecret } };
  return (await ports.links.look({ definition, fetch: chooseFetch(ports), ...secretPart })).list;

  async function rejectSecret(): Promise<string> {
    const { authRequiredProblem } = await import("#connectors/http/errors");
    throw authRequiredProblem(definition);
  }
}

/** Stores how tools differ from the approved ones, so that they are reported and held back everywhere. */
async function remember({ db }: Ports, row: StoredMcp, { tools }: ToolList): Promise<void> {
  const { tools: approved } = row.definition as McpDefinition;
  const differs = hasDifferences(diffTools(approved, tools));
  const offered = (row.offered ?? undefined) as McpTool[] | undefined;
  if (!differs && !offered) return;
  if (differs && offered && !hasDifferences(diffTools(offered, tools))) return;
  await putOffered(db, row, differs ? tools : null);
}
