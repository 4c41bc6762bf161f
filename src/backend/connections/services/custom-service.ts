import type { ServiceDescription } from "#connectors/custom/description";
import { createCustomService, getBinding, getCallbackId, getClient } from "#connectors/custom/service";
import type { ServiceConfiguration } from "#connectors/service";
import type { Fetch } from "#net/ports";
import { isPublicAddress } from "#net/public-address";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import type { StoredDescription } from "../../store/custom-services.ts";
import { openClientSecret } from "../tokens/sealing.ts";

type Ports = Pick<BackendPorts, "keys" | "fetch"> &
  Partial<Pick<BackendPorts, "guarded" | "localSecret" | "clientSecret">>;

/** The ports that decide which addresses may be reached. */
export type OutboundPolicy = Pick<BackendPorts, "fetch"> & Partial<Pick<BackendPorts, "guarded" | "localSecret">>;

/** Returns a stored description as a service that can be connected. */
export function toCustomService(ports: Ports, row: StoredDescription): ServiceConfiguration {
  const description = row.description as ServiceDescription;
  const service = createCustomService(description);
  const { id, needsSecret } = getClient(description);
  const binding = getBinding(description);
  const secret = needsSecret ? (openPastedSecret(ports, row, binding) ?? ports.clientSecret?.(row.name)) : undefined;
  return {
    service,
    endpoints: service.endpoints,
    client: secret === undefined ? { id } : { id, secret },
    described: {
      fetch: chooseFetch(ports),
      binding,
      callback: getCallbackId(description),
      issuer: description.auth.type === "oauth2" ? description.auth.issuer : undefined,
      lacksSecret: needsSecret && secret === undefined,
    },
  };
}

/**
 * Checks whether this backend may send requests to a user's address: anywhere for a local backend, only to public
 * addresses for a shared one. The resolved address is checked again when a socket is opened.
 * @throws Problem ADDRESS_REFUSED
 */
export async function checkAddressAllowed(ports: OutboundPolicy, address: string): Promise<void> {
  if (ports.localSecret !== undefined) return;
  if (!ports.guarded) throw addressRefusedProblem();
  const { hostname } = new URL(address);
  const addresses = await ports.guarded.addresses(hostname.replace(/^\[|\]$/g, ""));
  if (addresses.length > 0 && addresses.every(isPublicAddress)) return;
  const reason = addresses.length === 0 ? "is a name that cannot be resolved" : "is not a public address";
  throw new Problem("ADDRESS_REFUSED", `${hostname} ${reason}, and this backend connects only to public addresses.`, {
    details: { host: hostname },
  });
}

function openPastedSecret(ports: Ports, row: StoredDescription, binding: string): string | undefined {
  if (!row.sealed_client) return undefined;
  const address = { installationId: row.installation_id, service: row.name, binding };
  try {
    return openClientSecret(ports.keys, address, row.sealed_client);
  } catch (error) {
    // Encrypted with a key that is gone, so kay asks for it again.
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Returns the transport for addresses that users give. */
export function chooseFetch({ localSecret, fetch, guarded }: OutboundPolicy): Fetch {
  if (localSecret !== undefined) return fetch;
  return (
    guarded?.fetch ??
    (async () => {
      throw addressRefusedProblem();
    })
  );
}

function addressRefusedProblem(): Problem {
  return new Problem("ADDRESS_REFUSED", "This backend connects only to its built-in services.");
}
