import { authRequiredProblem } from "#connectors/http/errors";
import type { ServiceConfiguration } from "#connectors/service";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../../ports.ts";
import type { Grant } from "../../store/grants.ts";
import { openTokens, type SealedTokens, toGrantAddress } from "./sealing.ts";

/** A connected grant with its decrypted tokens. */
export type UnsealedGrant = { grant: Grant; tokens: SealedTokens };

/** A token that ends within this time is refreshed before it is used. */
const MARGIN = 60 * 1000;

/** @throws Problem AUTH_REQUIRED when there is no connection, or its tokens cannot be decrypted */
export function unsealGrant(
  ports: Pick<BackendPorts, "keys">,
  configuration: ServiceConfiguration,
  grant: Grant | undefined,
): UnsealedGrant {
  const { service } = configuration;
  if (grant?.status !== "connected" || !grant.sealed) {
    throw authRequiredProblem(service, grant?.reason ?? `${service.title} is not connected.`);
  }
  const address = toGrantAddress(grant.installation_id, configuration);
  try {
    return { grant, tokens: openTokens(ports.keys, address, grant.sealed) };
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause;
    throw authRequiredProblem(service, `The backend's keys no longer decrypt the sign-in to ${service.title}.`, cause);
  }
}

/** Returns why a connection cannot be used: it has ended, or its tokens cannot be decrypted. Undefined if it can. */
export function findGrantFault(
  ports: Pick<BackendPorts, "keys">,
  configuration: ServiceConfiguration,
  grant: Grant,
): string | undefined {
  if (grant.status === "disconnected") return grant.reason ?? "";
  try {
    unsealGrant(ports, configuration, grant);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.message;
  }
}

/** Whether a token can be used: it is not the refused one and does not expire soon. */
export function isGrantUsable(
  ports: Pick<BackendPorts, "clock">,
  unsealed: UnsealedGrant,
  rejected: string | undefined,
): boolean {
  return unsealed.tokens.access !== rejected && ports.clock.now() < getUsableUntil(unsealed);
}

/** Returns until when a token can be used without a refresh, in ms since the epoch, unless it is refused. */
export function getUsableUntil({ grant }: UnsealedGrant): number {
  return grant.access_expires_at === null ? Number.POSITIVE_INFINITY : grant.access_expires_at.getTime() - MARGIN;
}
