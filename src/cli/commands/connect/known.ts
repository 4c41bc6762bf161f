import type { AddServiceResponse, McpRequest } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import type { KnownService } from "#protocol/known-services";
import { quoteShellWord } from "#protocol/shell";
import { getBaseName } from "#protocol/tool-names";
import type { ServiceView } from "#protocol/tools";
import { toLine } from "#ui/text/words";
import type { BackendHandle } from "../../backend/handle.ts";
import { isSignedOut, listKnownServices, loadServices } from "../../backend/known-services.ts";
import type { ConnectedService } from "../../consent/connection.ts";
import type { Kay } from "../../kay.ts";
import { type ClientOptions, readClientOptions } from "../services/client-options.ts";
import { sendDescription } from "../services/custom.ts";
import { explainApprovals, toExpected } from "../services/trust-reads.ts";
import { approveTools, createTerminalReview, type ToolReview } from "./approve-tools.ts";

/** A service that `kay connect` accepts by name. `known` is set for MCP servers that are not added yet. */
export type ConnectableService = ServiceView & { known?: KnownService };

/**
 * Lists the services that `kay connect` accepts by name: those of the backend, or of this kay without one, and the
 * known MCP servers. A configured service takes precedence over a known one with its name.
 */
export async function listConnectableServices(kay: Kay, link: BackendHandle | null): Promise<ConnectableService[]> {
  const { KNOWN_SERVICES } = await import("#protocol/known-services");
  const services = await loadServices(kay, link);
  const usedNames = new Set(services.map(({ name }) => name));
  const servers = KNOWN_SERVICES.filter(({ name }) => !usedNames.has(name)).map((server) => ({
    ...{ name: server.name, title: server.title, connected: false, state: "not_connected" as const },
    known: server,
  }));
  return [...services, ...servers];
}

/**
 * Adds a known MCP server whose name is free, or one more account of an MCP server (`linear@work`), so that it can be
 * connected like any other service. Its tools are approved here if it lists them without a sign-in, else after the
 * consent.
 *
 * @returns its connection, if it needs no sign-in and is connected by this
 * @throws Problem SERVICE_NOT_CONFIGURED when it needs a client, CANCELLED when its tools are not approved
 */
export async function addKnownService(
  kay: Kay,
  link: BackendHandle,
  name: string,
  options: ClientOptions,
  review: ToolReview = createTerminalReview(kay),
): Promise<ConnectedService | undefined> {
  const server = await findNewServer(kay, link, name);
  if (!server && options.clientId !== undefined)
    throw new Problem("USAGE", `kay does not know an MCP server named ${toLine(name)}.`, {
      hint: "Add it by its address: `kay services add --mcp <url> --client-id <id>`.",
    });
  if (!server) return undefined;
  const { known } = server;
  const mcp: McpRequest = { ...server.request, ...(await readClientOptions(kay, name, options)) };
  const look = await inspectFree(kay, link, mcp);
  if (!look && options.clientId !== undefined)
    throw new Problem("USAGE", `${toLine(name)} was already added, so its client was not changed.`, {
      hint: `Remove it first: \`kay services remove ${quoteShellWord(toLine(name))}\`.`,
    });
  if (!look) return undefined;
  if (known?.client === "client-id" && look.service.sign_in !== "oauth2") throw clientProblem(link, known, name);
  const { service } = look;
  let trust: { trust_reads?: true } = {};
  if (service.sign_in === "none") {
    await review.show(look);
    trust = await review.approve(look);
  } else {
    kay.out.writeProgress(`Adding ${toLine(service.title)}, the MCP server at ${toLine(service.base_url)}.`);
    if (known?.note) kay.out.warn(known.note);
    // The changes explain why the server needs a key instead of a consent.
    if (service.sign_in === "bearer" && known?.client !== "key")
      for (const reason of look.changes) kay.out.warn(toLine(reason));
  }
  const response = await sendDescription(kay, link, { mcp, ...trust, ...toExpected(look), dry_run: false });
  explainApprovals(kay, response);
  if (!response.connected) return undefined;
  const { connections } = await link.api.connections({ signal: kay.signal });
  const connection = connections[name] ?? { connected: true };
  return { service: name, connection, message: `Connected ${toLine(name)}, which needs no sign-in` };
}

/**
 * Shows the tools of a connected server and approves them with one answer. If the user declines, the server is removed
 * again. A server whose tools were approved before stays unchanged.
 */
export async function approveKnownService(
  kay: Kay,
  link: BackendHandle,
  name: string,
  review?: ToolReview,
): Promise<void> {
  const { api } = link;
  const view = (await api.services({ signal: kay.signal }))?.services.find((service) => service.name === name);
  if (!view?.mcp || (view.tools ?? []).length > 0) return;
  const look = await api.approveService(name, { dry_run: true }, { signal: kay.signal });
  if (look.outcome === "unchanged") return;
  try {
    await approveTools(kay, api, look, review);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "CANCELLED" || kay.signal.aborted) throw error;
    await api.removeService(name, { signal: kay.signal });
    throw new Problem("CANCELLED", `Its tools were not approved, so ${toLine(name)} was removed again.`);
  }
}

/** Whether `kay connect` may have added this service: a known MCP server, or one more account of a service. */
export async function isKnownServer(kay: Kay, name: string): Promise<boolean> {
  return getBaseName(name) !== name || (await findFreeService(kay, name)) !== undefined;
}

/** Returns the request that adds a service of this name; undefined if it exists. */
async function findNewServer(
  kay: Kay,
  link: BackendHandle,
  name: string,
): Promise<{ request: McpRequest; known?: KnownService } | undefined> {
  const base = getBaseName(name);
  const server = await findFreeService(kay, base);
  if (base === name) return server && { request: { url: server.url, name }, known: server };
  const services = await loadServices(kay, link).catch((error: unknown) => {
    if (isSignedOut(error)) return [];
    throw error;
  });
  const configured = services.find((service) => service.name === base);
  if (configured) return configured.mcp && { request: { name } };
  return server && { request: { name }, known: server };
}

/** Built-in services need no request to the backend. */
async function findFreeService(kay: Kay, name: string): Promise<KnownService | undefined> {
  const { findKnownService } = await import("#protocol/known-services");
  const server = findKnownService(name);
  if (!server) return undefined;
  const builtIn = await listKnownServices(kay);
  return builtIn.some((service) => service.name === name) ? undefined : server;
}

/** Inspects the server, unless an existing service has the name. */
async function inspectFree(kay: Kay, link: BackendHandle, mcp: McpRequest): Promise<AddServiceResponse | undefined> {
  try {
    const look = await sendDescription(kay, link, { mcp, dry_run: true });
    return look.outcome === "added" ? look : undefined;
  } catch (error) {
    // A basic backend or a taken name: connecting reports the existing service.
    const isTaken = error instanceof Problem && error.details.field === "name";
    if (isTaken || (error instanceof Problem && error.code === "NOT_FOUND")) return undefined;
    throw error;
  }
}

function clientProblem(link: BackendHandle, { title, docs }: KnownService, name: string): Problem {
  const redirect = `${link.baseUrl}/auth/callback`;
  return new Problem("SERVICE_NOT_CONFIGURED", `${title} needs an OAuth client that you register there.`, {
    hint: `Register one with the redirect URL ${redirect} (see ${docs}), then run \`kay connect ${quoteShellWord(name)} --client-id ID --client-secret\`.`,
  });
}
