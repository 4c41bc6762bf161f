import type { ConnectionsResponse } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import type { ServiceView } from "#protocol/tools";
import type { Kay } from "../kay.ts";
import type { BackendHandle } from "./handle.ts";

/** Returns whether there is no sign-in yet, so that a backend cannot list its services. */
export function isSignedOut(error: unknown): error is Problem {
  return error instanceof Problem && error.code === "NOT_SIGNED_IN";
}

/** Opens the backend; without a sign-in it returns null, and warns that nothing is connected yet unless `isQuiet`. */
export async function openIfSignedIn(kay: Kay, isQuiet = false): Promise<BackendHandle | null> {
  try {
    return await kay.openBackend({ signedIn: true });
  } catch (error) {
    if (!isSignedOut(error)) throw error;
    if (!isQuiet) kay.out.warn(`${error.message} ${error.hint}`);
    return null;
  }
}

/**
 * Lists every service of the backend, or of this kay without one. A backend that has only what the guide has names its
 * services in their connections.
 */
export async function loadServices(kay: Kay, link: BackendHandle | null): Promise<ServiceView[]> {
  if (!link) return listKnownServices(kay);
  const list = await link.api.services({ signal: kay.signal });
  if (list) return list.services;
  const { connections } = await link.api.connections({ signal: kay.signal });
  return Object.entries(connections).map(([name, connection]) => ({
    ...connection,
    name,
    state: connection.connected ? "connected" : "not_connected",
  }));
}

/**
 * Lists the built-in services as not connected. Needs no backend and no sign-in. OAuth clients are those of the local
 * backend, so a remote backend's are omitted.
 */
export async function listKnownServices(kay: Kay): Promise<ServiceView[]> {
  const local = await kay.localTools();
  try {
    const isRemote = (await kay.settings()).text("api-url") !== undefined;
    const services = local.services();
    if (!isRemote) return services;
    return services.map(({ name, title, connected, state }) => ({ name, title, connected, state }));
  } finally {
    await local.close();
  }
}

/** Lists the same services in the form of a backend's connections. */
export async function listKnownConnections(kay: Kay): Promise<ConnectionsResponse> {
  const services = await listKnownServices(kay);
  return { connections: Object.fromEntries(services.map(({ name }) => [name, { connected: false }])) };
}
