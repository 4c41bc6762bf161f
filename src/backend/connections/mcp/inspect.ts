import { NO_PROGRAMS_TEXT } from "#connectors/mcp/client-options";
import type { InspectionResult, McpClientPool } from "#connectors/mcp/client-pool";
import { getMcpBinding, type McpAuth, type McpDefinition } from "#connectors/mcp/definition";
import { cleanLine } from "#protocol/clean";
import type { McpRequest } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import { findKnownService } from "#protocol/known-services";
import { PROVIDERS } from "#protocol/providers";
import { getBaseName } from "#protocol/tool-names";
import type { BackendPorts } from "../../ports.ts";
import { findDescription } from "../../store/custom-services.ts";
import { findMcp, type StoredMcp } from "../../store/mcp.ts";
import { getRedirectUri } from "../consent/authorize.ts";
import { checkAddressAllowed, chooseFetch } from "../services/custom-service.ts";
import { getUsableGrant } from "../tokens/access.ts";
import { checkConsent } from "./prepare.ts";
import { deriveServerName, type ParsedMcpRequest, parseMcpRequest } from "./request.ts";
import { openOwnSecret, toMcpService } from "./service.ts";

/** An inspected server that may be added. `left` has sentences about what kay leaves out: tools, or its consent. */
export type InspectedServer = {
  definition: McpDefinition;
  server?: InspectionResult["server"];
  notices: string[];
  /** It lists no tools without a sign-in. */
  lacksSignIn: boolean;
  /** The secret of the user's client, if the user gave one now. */
  clientSecret?: string;
};

/** Returns the ports of a backend that has MCP clients. @throws Problem ADDRESS_REFUSED */
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
  parts: BackendPorts,
  owner: string | undefined,
  request: McpRequest,
  signal?: AbortSignal,
): Promise<InspectedServer> {
  const ports = requireMcpClients(parts);
  const parsed = await parseRequest(ports, owner, request);
  await requireAllowed(ports, parsed);
  if (parsed.name) await requireFree(ports, owner, parsed.name);
  const inspected = await inspectNew({ ...ports, signal }, owner, parsed);
  const { name, auth } = inspected.definition;
  if (!parsed.name) await requireFree(ports, owner, name);
  if (auth.type === "none" && getBaseName(name) !== name) throw noAccountsProblem(getBaseName(name));
  return parsed.clientSecret === undefined ? inspected : { ...inspected, clientSecret: parsed.clientSecret };
}

/**
 * Reads a request. One that only names an account (`linear@work`) is for one more account of the server `linear`, with the
 * address and the client that it has, or the address that kay knows.
 */
async function parseRequest(ports: Ports, owner: string | undefined, request: McpRequest): Promise<ParsedMcpRequest> {
  const { name = "", url, command } = request;
  const base = getBaseName(name);
  if (url !== undefined || command !== undefined || base === name) return parseMcpRequest(request);
  const row = owner === undefined ? undefined : await findMcp(ports.db, owner, base);
  if (!row) return parseMcpRequest({ ...request, url: findKnownService(base)?.url });
  const { place, auth } = row.definition as McpDefinition;
  if (!("url" in place)) throw noAccountsProblem(base);
  const parsed = parseMcpRequest({ ...request, url: place.url });
  if (parsed.auth || auth.type === "none") return parsed;
  const clientSecret = openOwnSecret(ports, row);
  return { ...parsed, auth, ...(clientSecret === undefined ? {} : { clientSecret }) };
}

/** Creates the error for a further account of a server without sign-in. */
function noAccountsProblem(base: string): Problem {
  return new Problem("INVALID_REQUEST", `${base} needs no sign-in, so it has no accounts.`, {
    hint: "To add it twice, use another name with `kay services add --name <name> --mcp`.",
    details: { field: "mcp" },
  });
}

/** Inspects a stored server as it is now. @throws Problem SERVICE_FAILED, AUTH_REQUIRED */
export async function inspectStored(
  parts: BackendPorts,
  row: StoredMcp,
  signal?: AbortSignal,
): Promise<InspectedServer> {
  const ports = requireMcpClients(parts);
  const definition = row.definition as McpDefinition;
  const secret = definition.auth.type === "none" ? undefined : await readStoredSecret(ports, row);
  const inspected = await ports.links.look({ definition, fetch: chooseFetch(ports), ...toSecretPart(secret) }, signal);
  return { ...toInspectedServer(definition, inspected), lacksSignIn: false };
}

async function requireAllowed(ports: BackendPorts, { place }: ParsedMcpRequest): Promise<void> {
  if ("url" in place) return await checkAddressAllowed(ports, place.url);
  if (!ports.programs)
    throw new Problem("ADDRESS_REFUSED", NO_PROGRAMS_TEXT, {
      hint: "Add a server on the network, or use the local backend: `kay config unset api-url`.",
    });
}

async function requireFree(ports: BackendPorts, owner: string | undefined, name: string): Promise<void> {
  const base = getBaseName(name);
  const isTaken =
    ports.services.some(({ service }) => service.name === base) || Object.hasOwn(PROVIDERS, base) || base === "kay";
  const described = owner !== undefined && (await findDescription(ports.db, owner, base));
  if (!isTaken && !described) return;
  throw new Problem("INVALID_REQUEST", `The name ${name} is already taken by a service.`, {
    hint: "Choose another with `--name <name>`.",
    details: { field: "name" },
  });
}

type Ports = BackendPorts & { links: McpClientPool };
type InspectPorts = Ports & { signal: AbortSignal | undefined };

/** Tries without a secret first: a list that anyone may read needs no sign-in. */
async function inspectNew(
  { signal, ...ports }: InspectPorts,
  owner: string | undefined,
  parsed: ParsedMcpRequest,
): Promise<InspectedServer> {
  const { place } = parsed;
  const createDraft = (auth: McpAuth): McpDefinition => {
    const name = parsed.name ?? deriveServerName(undefined, place);
    return { name, title: parsed.name ? getTitle(name) : getDefaultName(place), place, auth, tools: [] };
  };
  if (!parsed.auth) {
    try {
      const inspected = await ports.links.look(
        { definition: createDraft({ type: "none" }), fetch: chooseFetch(ports) },
        signal,
      );
      const name = parsed.name ?? deriveServerName(inspected.server.name, place);
      return {
        ...toInspectedServer({ ...createDraft({ type: "none" }), name, title: getTitle(name) }, inspected),
        lacksSignIn: false,
      };
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "AUTH_REQUIRED") throw error;
    }
  }
  const { auth, notices } = parsed.auth ? { auth: parsed.auth, notices: [] } : await chooseSignIn(ports, place);
  const draft = createDraft(auth);
  const definition = { ...draft, title: getTitle(draft.name) };
  const row = owner === undefined ? undefined : await findMcp(ports.db, owner, definition.name);
  const isSameServer = row && getMcpBinding(row.definition as McpDefinition) === getMcpBinding(definition);
  const secret = isSameServer ? await readStoredSecret(ports, row).catch(() => undefined) : undefined;
  if (secret === undefined) return { definition, notices, lacksSignIn: true };
  const inspected = await ports.links.look({ definition, fetch: chooseFetch(ports), ...toSecretPart(secret) }, signal);
  return { ...toInspectedServer(definition, inspected), lacksSignIn: false };
}

/** Requires a consent if the server says how to sign in and kay can be a client there; otherwise a pasted token. */
async function chooseSignIn(
  ports: Ports,
  place: McpDefinition["place"],
): Promise<{ auth: McpAuth; notices: string[] }> {
  if (!("url" in place)) return { auth: { type: "bearer" }, notices: [] };
  const { consents, why } = await checkConsent(ports, place.url, getRedirectUri(ports));
  return { auth: { type: consents ? "oauth2" : "bearer" }, notices: why === undefined ? [] : [why] };
}

/** Puts the tools under the server's name in this installation. */
function toInspectedServer(
  definition: McpDefinition,
  { server, list }: InspectionResult,
): Omit<InspectedServer, "lacksSignIn"> {
  const prefix = `${definition.name}.`;
  const tools = list.tools.map((tool) => ({ ...tool, name: prefix + tool.name.slice(tool.name.indexOf(".") + 1) }));
  return { definition: { ...definition, tools }, server, notices: list.left };
}

async function readStoredSecret(ports: Ports, row: StoredMcp): Promise<string> {
  return (await getUsableGrant(ports, row.installation_id, toMcpService(ports, row))).tokens.access;
}

function toSecretPart(secret: string | undefined) {
  return secret === undefined ? {} : { secret: { token: async () => secret, renewToken: async () => secret } };
}

/** Names a server without a name by its address or command. */
function getDefaultName(place: McpDefinition["place"]): string {
  return cleanLine("url" in place ? new URL(place.url).host : (place.command[0] ?? ""), 80);
}

/** The title that users see: derived from kay's name for it, because a server could call itself anything. */
function getTitle(name: string): string {
  const [base = "", label] = name.split("@");
  const title = base.charAt(0).toUpperCase() + base.slice(1).replaceAll("-", " ");
  return label === undefined ? title : `${title} (${label})`;
}
