import {
  computeFingerprint,
  formatMcpPlace,
  getMcpBinding,
  type McpDefinition,
  type McpTool,
} from "#connectors/mcp/definition";
import { createAnonymousIdentity } from "#connectors/mcp/service";
import { diffTools, formatToolDiff, hasDifferences } from "#connectors/mcp/tools/tool-diff";
import type { AddServiceResponse } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import { listDescriptions } from "../../store/custom-services.ts";
import { findGrant, putGrant } from "../../store/grants.ts";
import { lockInstallation } from "../../store/installations.ts";
import { deleteMcp, findMcp, listMcp, putMcp, type StoredMcp } from "../../store/mcp.ts";
import { forgetConnection } from "../services/overview.ts";
import { GUEST } from "../tokens/identity.ts";
import { revokeGrant } from "../tokens/revoke.ts";
import { sealClientSecret, sealTokens } from "../tokens/sealing.ts";
import { type InspectedServer, inspectStored, requireMcpClients } from "./inspect.ts";
import { chooseTrustedReads, type Difference, formatTrustChange, getAnswer } from "./server-views.ts";
import { getLinkKey, toMcpService } from "./service.ts";

/** Maximum number of MCP servers per installation; custom services are counted separately. */
const MOST = 30;

type Storing = {
  dryRun: boolean;
  /** Hash of the tool list that the user saw. */
  expected?: string | undefined;
  /** Whether the tools that the server calls reads run without an approval; if absent, those that did before. */
  trustReads?: boolean | undefined;
  /** Whether the caller is signed in: a server without a sign-in is connected at once. */
  signedIn?: boolean;
};

/**
 * Adds an inspected server, or replaces the one of its name. Its tools are approved as they were shown.
 * @param installationId absent for a preview by a user without an installation; nothing is stored then
 * @throws Problem INVALID_REQUEST when it differs from what was shown, or when there are too many
 */
export async function addServer(
  parts: BackendPorts,
  installationId: string | undefined,
  inspected: InspectedServer,
  { dryRun, expected, trustReads, signedIn = false }: Storing,
): Promise<AddServiceResponse> {
  const ports = requireMcpClients(parts);
  requireExpected(inspected, expected);
  const choose = (before?: StoredMcp) => chooseTrustedReads(inspected, before, trustReads);
  if (installationId === undefined) {
    const server = choose();
    return getAnswer(server, getDifference(undefined, server.definition), dryRun);
  }
  const { server, difference } = await ports.db.transaction().execute(async (db) => {
    await lockInstallation(db, installationId);
    const before = await findMcp(db, installationId, inspected.definition.name);
    const server = choose(before);
    const { definition } = server;
    const difference = getDifference(before, definition);
    if (
      !before &&
      (await listMcp(db, installationId)).length + (await listDescriptions(db, installationId)).length >= MOST
    )
      throw new Problem("INVALID_REQUEST", `You already have ${MOST} custom services.`, {
        hint: "Remove one with `kay services remove <service>`.",
      });
    if (dryRun) return { server, difference };
    const now = new Date(ports.clock.now());
    const client = getClientChange(ports, { installationId, definition }, difference.moved, inspected.clientSecret);
    if (difference.outcome !== "unchanged" || before?.offered || client !== undefined)
      await putMcp(db, { installation_id: installationId, name: definition.name, definition }, { now, client });
    await forgetConnection(db, installationId, definition.name, { ...difference, done: "added" });
    return { server, difference };
  });
  const { definition } = server;
  if (dryRun) return getAnswer(server, difference, true);
  if (difference.previous) await ports.links.forget(getLinkKey(installationId, difference.previous));
  const connected = signedIn && definition.auth.type === "none" && (await connect(ports, installationId, definition));
  ports.log("info", "service.mcp_added", { service: definition.name, outcome: difference.outcome });
  return { ...getAnswer(server, difference, false), ...(connected ? { connected } : {}) };
}

/**
 * Returns the sealed secret of a user's client to store: null if the sign-in changed without a new secret, undefined to
 * keep the stored one.
 */
function getClientChange(
  { keys }: BackendPorts,
  { installationId, definition }: { installationId: string; definition: McpDefinition },
  moved: boolean,
  secret: string | undefined,
): Buffer | null | undefined {
  if (secret === undefined) return moved ? null : undefined;
  return sealClientSecret(
    keys,
    { installationId, service: definition.name, binding: getMcpBinding(definition) },
    secret,
  );
}

/**
 * Approves the current tools of a server.
 *
 * @throws Problem NOT_FOUND, INVALID_REQUEST when they differ from those that were shown, and the problems of an
 * inspection
 */
export async function approveServer(
  ports: BackendPorts,
  installationId: string,
  name: string,
  { signal, ...storing }: Storing & { signal?: AbortSignal },
): Promise<AddServiceResponse> {
  const row = await findMcp(ports.db, installationId, name);
  if (!row)
    throw new Problem("NOT_FOUND", `No MCP server is called ${JSON.stringify(name.slice(0, 60))}.`, {
      hint: "Run `kay services list` to see every service.",
    });
  return await addServer(ports, installationId, await inspectStored(ports, row, signal), storing);
}

/** @returns whether there was one */
export async function removeServer(parts: BackendPorts, installationId: string, name: string): Promise<boolean> {
  const ports = requireMcpClients(parts);
  const removed = await ports.db.transaction().execute(async (db) => {
    await lockInstallation(db, installationId);
    const row = await findMcp(db, installationId, name);
    if (!row) return undefined;
    const definition = row.definition as McpDefinition;
    const grant = await findGrant(db, installationId, name);
    await deleteMcp(db, installationId, name);
    const forgotten = definition.tools.map((tool) => tool.name);
    await forgetConnection(db, installationId, name, { moved: true, forgotten, done: "added" });
    return { row, definition, grant };
  });
  if (!removed) return false;
  await ports.links.forget(getLinkKey(installationId, removed.definition));
  await revokeGrant(ports, toMcpService(ports, removed.row), removed.grant);
  return true;
}

function getDifference(stored: StoredMcp | undefined, next: McpDefinition): Difference {
  if (!stored) return { outcome: "added", changes: formatTrustChange({}, next), moved: false, forgotten: [] };
  const previous = stored.definition as McpDefinition;
  const tools = diffTools(previous.tools, next.tools);
  const moved = getMcpBinding(previous) !== getMcpBinding(next);
  const trust = formatTrustChange(previous, next);
  if (!moved && !hasDifferences(tools) && trust.length === 0)
    return { outcome: "unchanged", changes: [], moved, forgotten: [], previous };
  const changes = [
    ...(formatMcpPlace(previous.place) === formatMcpPlace(next.place)
      ? []
      : [`It moves from ${formatMcpPlace(previous.place)} to ${formatMcpPlace(next.place)}.`]),
    ...describeVariables(previous, next),
    ...(moved ? ["kay deletes its sign-in and its saved approvals. Connect it again."] : []),
    ...formatToolDiff(previous.tools, tools),
    ...trust,
  ];
  const listNames = (list: McpTool[]) => list.map(({ name }) => name);
  const forgotten = moved ? listNames(previous.tools) : listNames([...tools.changed, ...tools.removed]);
  return { outcome: "replaced", changes, moved, forgotten, previous };
}

function describeVariables(before: McpDefinition, { place }: McpDefinition): string[] {
  const listNames = (mcpPlace: McpDefinition["place"]) => (("command" in mcpPlace && mcpPlace.env) || []).join(", ");
  if (listNames(before.place) === listNames(place)) return [];
  return [
    listNames(place) ? `It now receives ${listNames(place)}.` : `It no longer receives ${listNames(before.place)}.`,
  ];
}

/** Checks that the tools are those that the user saw. */
function requireExpected({ definition }: InspectedServer, expected: string | undefined): void {
  if (expected === undefined || expected === computeFingerprint(definition)) return;
  throw new Problem(
    "INVALID_REQUEST",
    `${definition.title} lists different tools than a moment ago. Nothing was changed.`,
    {
      hint: "Review it again.",
      details: { field: "expected" },
    },
  );
}

/** Connects a server without sign-in: the approval of its tools is the consent. */
async function connect(ports: BackendPorts, installationId: string, definition: McpDefinition): Promise<boolean> {
  const { accountId, metadata } = createAnonymousIdentity(definition);
  const address = { installationId, service: definition.name, binding: getMcpBinding(definition) };
  await putGrant(ports.db, {
    installation_id: installationId,
    service: definition.name,
    provider: definition.name,
    sealed: sealTokens(ports.keys, address, { access: "" }),
    access_expires_at: null,
    scopes: "",
    account_id: accountId,
    user: GUEST,
    metadata,
    updated_at: new Date(ports.clock.now()),
  });
  return true;
}
