import { NO_PROGRAMS_TEXT } from "#connectors/mcp/client-options";
import type { InspectionResult, McpClientPool } from "#connectors/mcp/client-pool";
import { getMcpBinding, type McpAuth, type McpDefinition } from "#connectors/mcp/definition";
import { cleanLine } from "#protocol/clean";
import type { McpRequest } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import { PROVIDERS } from "#protocol/providers";
import type { BackendPorts } from "../../ports.ts";
import { findDescription } from "../../store/custom-services.ts";
import { findMcp, type StoredMcp } from "../../store/mcp.ts";
import { checkAddressAllowed, chooseFetch } from "../services/custom-service.ts";
import { getUsableGrant } from "../tokens/access.ts";
import { supportsConsent } from "./prepare.ts";
import { deriveServerName, type ParsedMcpRequest, parseMcpRequest } from "./request.ts";
import { toMcpService } from "./service.ts";

/** A server that was looked at and may be added. `left` are sentences about what kay does not take of it. */
export type InspectedServer = {
  definition: McpDefinition;
  server?: InspectionResult["server"];
  left: string[];
  /** It lists no tools without a sign-in. */
  lacksSignIn: boolean;
  /** Secret of its user's client, as it was given now. */
  clientSecret?: string;
};

/** The ports of a backend that has links. @throws Problem ADDRESS_REFUSED */
export function requireMcpClients(ports: BackendPorts): BackendPorts & { links: McpClientPool } {
  const { links } = ports;
  if (!links) throw new Problem("ADDRESS_REFUSED", "This backend has no MCP servers.");
  return { ...ports, links };
}

/**
 * Connects to the server that a user wants to add, and lists its tools.
 * @param owner whose sign-in is used if the server exists already
 * @param signal ends the inspection: a program may take minutes to start
 * @throws Problem INVALID_REQUEST, ADDRESS_REFUSED, SERVICE_FAILED
 */
export async function inspectRequested(
  given: BackendPorts,
  owner: string | undefined,
  request: McpRequest,
  signal?: AbortSignal,
): Promise<InspectedServer> {
  const ports = requireMcpClients(given);
  const asked = parseMcpRequest(request);
  await requireAllowed(ports, asked);
  if (asked.name) await requireFree(ports, owner, asked.name);
  const looked = await look({ ...ports, signal }, owner, asked);
  if (!asked.name) await requireFree(ports, owner, looked.definition.name);
  return asked.clientSecret === undefined ? looked : { ...looked, clientSecret: asked.clientSecret };
}

/** The same for a server that is there, as it is now. @throws Problem SERVICE_FAILED, AUTH_REQUIRED */
export async function inspectStored(
  given: BackendPorts,
  row: StoredMcp,
  signal?: AbortSignal,
): Promise<InspectedServer> {
  const ports = requireMcpClients(given);
  const definition = row.definition as McpDefinition;
  const secret = definition.auth.type === "none" ? undefined : await storedSecret(ports, row);
  const looked = await ports.links.look({ definition, fetch: chooseFetch(ports), ...secretPart(secret) }, signal);
  return { ...findByName(definition, looked), lacksSignIn: false };
}

async function requireAllowed(ports: BackendPorts, { place }: ParsedMcpRequest): Promise<void> {
  if ("url" in place) return await checkAddressAllowed(ports, place.url);
  if (!ports.programs)
    throw new Problem("ADDRESS_REFUSED", NO_PROGRAMS_TEXT, {
      hint: "Add a server on the network, or use kay's own backend: `kay config unset api-url`.",
    });
}

async function requireFree(ports: BackendPorts, owner: string | undefined, name: string): Promise<void> {
  const taken =
    ports.services.some(({ service }) => service.name === name) || Object.hasOwn(PROVIDERS, name) || name === "kay";
  const described = owner !== undefined && (await findDescription(ports.db, owner, name));
  if (!taken && !described) return;
  throw new Problem("INVALID_REQUEST", `The name ${name} is taken by a service that is there.`, {
    hint: "Give another with `--name <name>`.",
    details: { field: "name" },
  });
}

type Ports = BackendPorts & { links: McpClientPool };
type Looking = Ports & { signal: AbortSignal | undefined };

/** Without a secret first: what it lists to anybody needs no sign-in. */
async function look(
  { signal, ...ports }: Looking,
  owner: string | undefined,
  asked: ParsedMcpRequest,
): Promise<InspectedServer> {
  const { place } = asked;
  const draft = (auth: McpAuth): McpDefinition => {
    const name = asked.name ?? deriveServerName(undefined, place);
    return { name, title: asked.name ? getTitle(name) : getDefaultName(place), place, auth, tools: [] };
  };
  if (!asked.auth) {
    try {
      const looked = await ports.links.look({ definition: draft({ type: "none" }), fetch: chooseFetch(ports) }, signal);
      const name = asked.name ?? deriveServerName(looked.server.name, place);
      return { ...findByName({ ...draft({ type: "none" }), name, title: getTitle(name) }, looked), lacksSignIn: false };
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "AUTH_REQUIRED") throw error;
    }
  }
  const drafted = draft(asked.auth ?? (await wantedSignIn(ports, place)));
  const definition = { ...drafted, title: getTitle(drafted.name) };
  const row = owner === undefined ? undefined : await findMcp(ports.db, owner, definition.name);
  const same = row && getMcpBinding(row.definition as McpDefinition) === getMcpBinding(definition);
  const secret = same ? await storedSecret(ports, row).catch(() => undefined) : undefined;
  if (secret === undefined) return { definition, left: [], lacksSignIn: true };
  const looked = await ports.links.look({ definition, fetch: chooseFetch(ports), ...secretPart(secret) }, signal);
  return { ...findByName(definition, looked), lacksSignIn: false };
}

/** A consent where the server says how one signs in and kay can be a client there; else a token that is pasted. */
async function wantedSignIn(ports: Ports, place: McpDefinition["place"]): Promise<McpAuth> {
  const consents = "url" in place && (await supportsConsent(ports, place.url));
  return consents ? { type: "oauth2" } : { type: "bearer" };
}

/** Its tools under the name that it has here. */
function findByName(
  definition: McpDefinition,
  { server, list }: InspectionResult,
): Omit<InspectedServer, "lacksSignIn"> {
  const prefix = `${definition.name}.`;
  const tools = list.tools.map((tool) => ({ ...tool, name: prefix + tool.name.slice(tool.name.indexOf(".") + 1) }));
  return { definition: { ...definition, tools }, server, left: list.left };
}

async function storedSecret(ports: Ports, row: StoredMcp): Promise<string> {
  return (await getUsableGrant(ports, row.installation_id, toMcpService(ports, row))).tokens.access;
}

function secretPart(secret: string | undefined) {
  return secret === undefined ? {} : { secret: { token: async () => secret, rejected: async () => secret } };
}

/** Names a server without a name by its address or command. */
function getDefaultName(place: McpDefinition["place"]): string {
  return cleanLine("url" in place ? new URL(place.url).host : (place.command[0] ?? ""), 80);
}

/** What people read: kay's own form of the name, since a server could call itself anything. */
function getTitle(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ");
}
