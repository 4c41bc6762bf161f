import { isDeepStrictEqual } from "node:util";
import type { ServiceDescription, ToolDescription } from "#connectors/custom/description";
import { parseDescription } from "#connectors/custom/read";
import { getBinding } from "#connectors/custom/service";
import { formatMcpPlace, type McpDefinition } from "#connectors/mcp/definition";
import { clean } from "#protocol/clean";
import type { AddServiceResponse, CustomServiceView, DescriptionResponse } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import { PROVIDERS } from "#protocol/providers";
import { getBaseName } from "#protocol/tool-names";
import type { BackendPorts } from "../../ports.ts";
import { deleteDescription, findDescription, listDescriptions, putDescription } from "../../store/custom-services.ts";
import { lockInstallation } from "../../store/installations.ts";
import { findMcp, listMcp, type StoredMcp } from "../../store/mcp.ts";
import { removeServer } from "../mcp/servers.ts";
import { checkAddressAllowed } from "./custom-service.ts";
import { forgetConnection } from "./overview.ts";

/** Maximum number of custom services per installation. */
const MOST = 30;

/** A parsed description that may be added. */
export type ParsedService = { source: string; description: ServiceDescription };

/**
 * Parses a description and checks whether this backend may reach its address.
 *
 * @throws Problem INVALID_REQUEST (with `problems`), PAYLOAD_TOO_LARGE, ADDRESS_REFUSED
 */
export async function parseService(ports: BackendPorts, source: string): Promise<ParsedService> {
  const services = ports.services.map(({ service }) => service.name);
  const description = parseDescription(source, { services, providers: Object.keys(PROVIDERS) });
  await checkAddressAllowed(ports, description.base_url);
  if (description.auth.type === "oauth2") await checkAddressAllowed(ports, description.auth.token_url);
  return { source, description };
}

/**
 * Adds a custom service to an installation, or replaces the one of its name. If its address or sign-in changed, its
 * tokens are removed; so are approvals of changed tools.
 * @param installationId absent for a preview by a user without an installation; nothing is stored then
 * @throws Problem INVALID_REQUEST when there are too many
 */
export async function addService(
  ports: Pick<BackendPorts, "db" | "clock" | "log">,
  installationId: string | undefined,
  { source, description }: ParsedService,
  { dryRun }: { dryRun: boolean },
): Promise<AddServiceResponse> {
  if (installationId === undefined) return getAnswer(description, diffDescriptions(undefined, description), dryRun);
  const { name } = description;
  const difference = await ports.db.transaction().execute(async (db) => {
    await lockInstallation(db, installationId);
    const storedRow = await findDescription(db, installationId, name);
    const difference = diffDescriptions(storedRow, description);
    if ((await listMcp(db, installationId)).some((row) => getBaseName(row.name) === name))
      throw new Problem("INVALID_REQUEST", `The name ${name} is taken by an MCP server.`, {
        hint: `Remove it first: \`kay services remove ${name}\`.`,
        details: { field: "name" },
      });
    if (!storedRow && (await listDescriptions(db, installationId)).length >= MOST)
      throw new Problem("INVALID_REQUEST", `You already have ${MOST} custom services.`, {
        hint: "Remove one with `kay services remove <service>`.",
      });
    if (dryRun || (difference.outcome === "unchanged" && storedRow?.source === source)) return difference;
    await putDescription(
      db,
      { installation_id: installationId, name, source, description },
      { keepsClient: !difference.moved, now: new Date(ports.clock.now()) },
    );
    await forgetConnection(db, installationId, name, { ...difference, done: "described" });
    return difference;
  });
  if (!dryRun) ports.log("info", "service.described", { service: name, outcome: difference.outcome });
  return getAnswer(description, difference, dryRun);
}

/** @throws Problem NOT_FOUND, INVALID_REQUEST for a service of kay's own */
export async function removeService(ports: BackendPorts, installationId: string, name: string): Promise<string> {
  const isRemoved =
    (await removeServer(ports, installationId, name)) ||
    (await ports.db.transaction().execute(async (db) => {
      await lockInstallation(db, installationId);
      const storedRow = await findDescription(db, installationId, name);
      if (!storedRow) return false;
      const { tools } = storedRow.description as ServiceDescription;
      await deleteDescription(db, installationId, name);
      const forgotten = tools.map((tool) => tool.name);
      await forgetConnection(db, installationId, name, { moved: true, forgotten, done: "described" });
      return true;
    }));
  if (!isRemoved) throw await notCustomProblem(ports, installationId, name);
  ports.log("info", "service.removed", { service: name });
  return name;
}

/** @throws Problem NOT_FOUND, INVALID_REQUEST for a service of kay's own */
export async function getDescription(
  ports: BackendPorts,
  installationId: string,
  name: string,
): Promise<DescriptionResponse> {
  const server = await findMcp(ports.db, installationId, name);
  if (server) return describeServer(server);
  const row = await findDescription(ports.db, installationId, name);
  if (!row) throw await notCustomProblem(ports, installationId, name);
  const { source, description, created_at, updated_at } = row;
  return { name, source, description, created_at: created_at.toISOString(), updated_at: updated_at.toISOString() };
}

function getAnswer(
  description: ServiceDescription,
  { outcome, changes }: DescriptionDiff,
  dryRun: boolean,
): AddServiceResponse {
  return { service: getView(description), outcome, changes, dry_run: dryRun };
}

function getView({ name, title, base_url, auth, tools }: ServiceDescription): CustomServiceView {
  return {
    name,
    title,
    base_url,
    sign_in: auth.type,
    tools: tools.map(({ name, access, method, path }) => ({ name, access, method, path })),
  };
}

/** An MCP server has no description, so the command that adds it is returned. */
function describeServer({ name, definition, created_at, updated_at }: StoredMcp): DescriptionResponse {
  const { place, auth, trustedReads = [] } = definition as McpDefinition;
  const trust = trustedReads.length > 0 ? " --trust-reads" : "";
  const header = auth.type === "api_key" ? ` --key-header ${auth.header}` : "";
  const client = auth.type === "oauth2" && auth.client_id !== undefined ? ` --client-id ${auth.client_id}` : "";
  const location = "url" in place ? ` ${formatMcpPlace(place)}` : ` -- ${formatMcpPlace(place)}`;
  const names = "url" in place ? "" : (place.env ?? []).map((variable) => ` --env ${variable}`).join("");
  return {
    name,
    source: `kay services add --name ${name}${header}${client}${names}${trust} --mcp${location}\n`,
    description: definition,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

async function notCustomProblem(ports: BackendPorts, installationId: string, name: string): Promise<Problem> {
  const label = clean(name, { lines: false, max: 60 });
  if (ports.services.some(({ service }) => service.name === name))
    return new Problem("INVALID_REQUEST", `${label} is a built-in service and cannot be changed.`, { hint: "" });
  const customRows = [
    ...(await listDescriptions(ports.db, installationId)),
    ...(await listMcp(ports.db, installationId)),
  ];
  const names = customRows.map((row) => row.name);
  const available = names.length > 0 ? `You have ${names.join(", ")}.` : "You have none.";
  return new Problem("NOT_FOUND", `No custom service is called "${label}". ${available}`, {
    hint: "Run `kay services list` to see every service.",
  });
}

/** The changes that a new description makes to an existing one. */
type DescriptionDiff = {
  outcome: "added" | "replaced" | "unchanged";
  /** Sentences for the user. */
  changes: string[];
  /** Set if the address or the sign-in changed: stored secrets no longer apply. */
  moved: boolean;
  /** Tools that changed, so that their approvals no longer apply. */
  forgotten: string[];
};

/** Compares a description with the stored one, if any. */
function diffDescriptions(stored: { description: unknown } | undefined, next: ServiceDescription): DescriptionDiff {
  if (!stored) return { outcome: "added", changes: [], moved: false, forgotten: [] };
  const previous = stored.description as ServiceDescription;
  if (isDeepStrictEqual(previous, next)) return { outcome: "unchanged", changes: [], moved: false, forgotten: [] };
  const moved = getBinding(previous) !== getBinding(next);
  const tools = compareTools(previous.tools, next.tools);
  const forgotten = moved ? previous.tools.map(({ name }) => name) : [...tools.changed, ...tools.removed];
  return { outcome: "replaced", changes: describeChanges(previous, next, tools, moved), moved, forgotten };
}

type ToolChanges = { added: string[]; changed: string[]; removed: string[] };

function compareTools(previous: ToolDescription[], next: ToolDescription[]): ToolChanges {
  const previousTools = new Map(previous.map((tool) => [tool.name, tool]));
  const names = new Set(next.map(({ name }) => name));
  return {
    added: next.filter(({ name }) => !previousTools.has(name)).map(({ name }) => name),
    changed: next
      .filter((tool) => previousTools.has(tool.name) && !isDeepStrictEqual(previousTools.get(tool.name), tool))
      .map(({ name }) => name),
    removed: previous.filter(({ name }) => !names.has(name)).map(({ name }) => name),
  };
}

function describeChanges(
  previous: ServiceDescription,
  next: ServiceDescription,
  tools: ToolChanges,
  moved: boolean,
): string[] {
  const { added, changed, removed } = tools;
  return [
    ...(previous.base_url === next.base_url ? [] : [`It moves from ${previous.base_url} to ${next.base_url}.`]),
    ...(moved ? ["kay deletes its sign-in and its saved approvals. Connect it again."] : []),
    ...(previous.title === next.title ? [] : [`Its title becomes ${next.title}.`]),
    ...(added.length > 0 ? [`New: ${added.join(", ")}.`] : []),
    ...(changed.length > 0 ? [`Changed: ${changed.join(", ")}.`] : []),
    ...(removed.length > 0 ? [`Gone: ${removed.join(", ")}.`] : []),
  ];
}
