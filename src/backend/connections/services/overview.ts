import type { ServiceConfiguration } from "#connectors/service";
import type { ConnectionsResponse, Connection as ConnectionView, RevocationReport } from "#protocol/connections";
import { getBaseName } from "#protocol/tool-names";
import type { BackendPorts } from "../../ports.ts";
import { loadConnections } from "../../store/connections.ts";
import { endStates, forgetApprovals } from "../../store/custom-services.ts";
import { deleteGrant, findGrant, type Grant, listGrants, markDisconnected } from "../../store/grants.ts";
import type { DbConnection } from "../../store/schema.ts";
import { findGrantFault } from "../tokens/open-grant.ts";
import { revokeGrant, revokeGrants } from "../tokens/revoke.ts";
import { findService, listServices, type ServicePorts, toServices } from "./catalog.ts";

/** Lists every service and its connected account. */
export async function listConnections(ports: ServicePorts, installationId: string): Promise<ConnectionsResponse> {
  const stored = await loadConnections(ports.db, installationId);
  const grants = new Map(stored.grants.map((grant) => [grant.service, grant]));
  const services = await toServices(ports, stored);
  return {
    connections: Object.fromEntries(
      services.map((configuration) => {
        const { name } = configuration.service;
        return [name, toConnectionView(ports, configuration, grants.get(name))];
      }),
    ),
  };
}

/** Lists the names of the connected services. */
export async function listConnectedServices(ports: ServicePorts, installationId: string): Promise<string[]> {
  const { connections } = await listConnections(ports, installationId);
  return Object.keys(connections).filter((name) => connections[name]?.connected);
}

/**
 * Disconnects a service: removes its tokens, then revokes them if their provider supports that. Disconnecting a service
 * that is not connected is not an error.
 *
 * @param signedIn whether the caller is signed in. Otherwise the account is remembered, so that the session ID alone cannot
 * put another in its place
 * @throws Problem UNKNOWN_SERVICE
 */
export async function disconnectService(
  ports: ServicePorts & Pick<BackendPorts, "log" | "clock">,
  installationId: string,
  serviceName: string | null | undefined,
  signedIn: boolean,
): Promise<{ service: string; revocation?: RevocationReport }> {
  const configuration = findService(await listServices(ports, installationId), serviceName);
  const { name } = configuration.service;
  const grant = await findGrant(ports.db, installationId, name);
  if (signedIn || !grant) await deleteGrant(ports.db, installationId, name);
  else await markDisconnected(ports.db, grant, "", new Date(ports.clock.now()));
  const revocation = await revokeGrant(ports, configuration, grant);
  return { service: name, ...(revocation ? { revocation } : {}) };
}

/** Disconnects all services, then revokes their tokens where that is possible. The accounts are remembered. */
export async function disconnectAll(
  ports: ServicePorts & Pick<BackendPorts, "log" | "clock">,
  installationId: string,
): Promise<Record<string, RevocationReport>> {
  const services = await listServices(ports, installationId);
  const connections = [];
  for (const grant of await listGrants(ports.db, installationId)) {
    await markDisconnected(ports.db, grant, "", new Date(ports.clock.now()));
    const configuration = services.find(({ service }) => service.name === grant.service);
    if (configuration) connections.push({ configuration, grant });
  }
  return await revokeGrants(ports, connections);
}

/** Returns a connection in the form of docs/protocol.md. */
export function toConnectionView(
  ports: Pick<BackendPorts, "keys">,
  configuration: ServiceConfiguration,
  grant: Grant | undefined,
): ConnectionView {
  if (!grant) return { connected: false };
  const reason = findGrantFault(ports, configuration, grant);
  if (reason !== undefined) return { connected: false, ...(reason ? { reason } : {}) };
  const metadata = Object.keys(grant.metadata).length > 0 ? { metadata: grant.metadata } : {};
  return { connected: true, user: grant.user, ...metadata };
}

/**
 * Removes the tokens, approvals and open pages that belong to a custom service before its change. Further accounts of a
 * custom service change with it; those of an MCP server are servers themselves.
 * @param moved its address or its sign-in changed
 * @param forgotten tools that are no longer what was allowed
 * @param done the end of its pending authorizations, for users with an open page: `described`, `added`
 */
export async function forgetConnection(
  db: DbConnection,
  installationId: string,
  name: string,
  { moved, forgotten, done }: { moved: boolean; forgotten: string[]; done: "added" | "described" },
): Promise<void> {
  const accounts = done === "added" ? [] : (await listGrants(db, installationId)).map(({ service }) => service);
  for (const account of [name, ...accounts.filter((other) => other !== name && getBaseName(other) === name)]) {
    const tools = forgotten.map((tool) => account + tool.slice(name.length));
    await forgetApprovals(db, installationId, { tools, ...(moved ? { service: account } : {}) });
    if (!moved) continue;
    await deleteGrant(db, installationId, account);
    await endStates(db, installationId, account, `${account} was ${done} anew since this began.`);
  }
}
