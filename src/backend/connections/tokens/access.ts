import { sleepOrThrow } from "#connectors/http/retry";
import type { ServiceConfiguration } from "#connectors/service";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import { findGrant, type Grant } from "../../store/grants.ts";
import { findService, listServices } from "../services/catalog.ts";
import { isGrantUsable, type UnsealedGrant, unsealGrant } from "./open-grant.ts";
import { type RefreshResult, refreshGrant } from "./refresh.ts";

/** Everything that a tool needs to reach a service for a user. */
export type ServiceAccess = {
  token: string;
  metadata: Record<string, unknown>;
  /** The provider's id of the account. */
  account: string;
  configuration: ServiceConfiguration;
};

export type AccessOptions = {
  /** A token that the service just refused with 401; if it is still the current one, it is refreshed. */
  rejected?: string;
  /** The connections of the installation, if they were just read. */
  grants?: Grant[];
  /** Waits out a busy token endpoint; the default is a real timer. */
  sleep?(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
  signal?: AbortSignal;
};

/** How often a busy token endpoint is retried, and the longest pause between attempts. */
const ATTEMPTS = 3;
const LONGEST_WAIT = 30 * 1000;
const DEFAULT_WAIT = 1000;

/**
 * Returns the access token of a service for an installation, refreshed if it is about to expire or was refused.
 * Refreshes of one connection run one at a time over all processes; a waiting caller takes the first one's token.
 * @param service its name, or the service as the caller knows it: for a custom one, only tokens of that very
 * description are returned
 * @throws Problem AUTH_REQUIRED (details `integrations`) when it is not connected, SERVICE_FAILED when the provider
 * cannot be reached and nothing was changed, UNKNOWN_SERVICE
 */
export async function getServiceAccess(
  ports: BackendPorts,
  installationId: string,
  service: string | ServiceConfiguration,
  options: AccessOptions = {},
): Promise<ServiceAccess> {
  const configuration =
    typeof service === "string" ? findService(await listServices(ports, installationId), service) : service;
  return getAccess(configuration, await getUsableGrant(ports, installationId, configuration, options));
}

/** Returns the connection with its decrypted tokens, refreshed if needed. */
export async function getUsableGrant(
  ports: BackendPorts,
  installationId: string,
  configuration: ServiceConfiguration,
  options: AccessOptions = {},
): Promise<UnsealedGrant> {
  const { name } = configuration.service;
  const match = options.grants?.find(({ service }) => service === name);
  const grant = options.grants ? match : await findGrant(ports.db, installationId, name);
  const unsealed = unsealGrant(ports, configuration, grant);
  if (isGrantUsable(ports, unsealed, options.rejected)) return unsealed;
  return await refresh(ports, installationId, configuration, options);
}

/** Refreshes the tokens. While the token endpoint is busy, waits without the lock and tries again. */
async function refresh(
  ports: BackendPorts,
  installationId: string,
  configuration: ServiceConfiguration,
  options: AccessOptions,
): Promise<UnsealedGrant> {
  const { title } = configuration.service;
  for (let attempt = 1; ; attempt++) {
    const result: RefreshResult = await refreshGrant(ports, installationId, configuration, options.rejected);
    if (result.kind === "open") return result;
    if (result.kind === "problem") throw result.problem;
    const wait = result.retryAfter ?? DEFAULT_WAIT * attempt;
    if (attempt === ATTEMPTS || wait > LONGEST_WAIT) {
      throw new Problem("SERVICE_FAILED", `${title} is receiving too many requests.`, {
        hint: `Try again in ${Math.max(1, Math.ceil(wait / 1000))} s.`,
      });
    }
    await (options.sleep ?? sleepOrThrow)(wait, options.signal);
  }
}

function getAccess(configuration: ServiceConfiguration, { grant, tokens }: UnsealedGrant): ServiceAccess {
  return { token: tokens.access, metadata: grant.metadata, account: grant.account_id, configuration };
}
