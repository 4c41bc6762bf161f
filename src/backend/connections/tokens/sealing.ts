import type { ServiceConfiguration } from "#connectors/service";
import type { Keys } from "../../store/keys.ts";
import { seal, unseal } from "../../store/seal.ts";

/** Tokens of a service as a grant stores them. */
export type SealedTokens = { access: string; refresh?: string };

/**
 * The context of encrypted tokens: their connection and, for a custom service, its binding. They can be decrypted only
 * with it.
 */
export type GrantAddress = { installationId: string; service: string; binding?: string };

/** Returns the context that an installation's tokens for a service are encrypted with. */
export function toGrantAddress(
  installationId: string,
  { service, described, binding = described?.binding }: ServiceConfiguration,
): GrantAddress {
  return { installationId, service: service.name, ...(binding === undefined ? {} : { binding }) };
}

export function sealTokens(keys: Keys, address: GrantAddress, tokens: SealedTokens): Buffer {
  return seal(keys.sealing, grantContext(address), JSON.stringify(tokens));
}

/** @throws Problem STORE_UNREADABLE when the key it was sealed with is gone */
export function openTokens(keys: Keys, address: GrantAddress, sealed: Uint8Array): SealedTokens {
  return JSON.parse(unseal(keys.sealing, grantContext(address), sealed).toString("utf8")) as SealedTokens;
}

/** Seals the secret of a custom service's OAuth client. */
export function sealClientSecret(keys: Keys, address: Required<GrantAddress>, secret: string): Buffer {
  return seal(keys.sealing, getClientContext(address), secret);
}

/** @throws Problem STORE_UNREADABLE when the key it was sealed with is gone */
export function openClientSecret(keys: Keys, address: Required<GrantAddress>, sealed: Uint8Array): string {
  return unseal(keys.sealing, getClientContext(address), sealed).toString("utf8");
}

/** Seals the PKCE verifier of a pending authorization to its state. */
export function sealVerifier(keys: Keys, state: Buffer, verifier: string): Buffer {
  return seal(keys.sealing, getVerifierContext(state), verifier);
}

/** @throws Problem STORE_UNREADABLE when the key it was sealed with is gone */
export function openVerifier(keys: Keys, state: Buffer, sealed: Uint8Array): string {
  return unseal(keys.sealing, getVerifierContext(state), sealed).toString("utf8");
}

function grantContext({ installationId, service, binding }: GrantAddress): string {
  return `grants/${installationId}/${service}${binding === undefined ? "" : `/${binding}`}`;
}

function getClientContext({ installationId, service, binding }: Required<GrantAddress>): string {
  return `described_services/${installationId}/${service}/client/${binding}`;
}

function getVerifierContext(state: Buffer): string {
  return `states/${state.toString("hex")}/verifier`;
}
