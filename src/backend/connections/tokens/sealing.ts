import type { ServiceConfiguration } from "#connectors/service";
import type { Keys } from "../../store/keys.ts";
import { seal, unseal } from "../../store/seal.ts";

/** Tokens of a service as they lie sealed in a grant. */
export type SealedTokens = { access: string; refresh?: string };

/** The connection that sealed tokens belong to, and for a described service its binding; they open nowhere else. */
export type GrantAddress = { installationId: string; service: string; binding?: string };

/** Where the tokens of an installation for a service are sealed to. */
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

/** The secret of a described service's OAuth client. */
export function sealClientSecret(keys: Keys, address: Required<GrantAddress>, secret: string): Buffer {
  return seal(keys.sealing, clientContext(address), secret);
}

/** @throws Problem STORE_UNREADABLE when the key it was sealed with is gone */
export function openClientSecret(keys: Keys, address: Required<GrantAddress>, sealed: Uint8Array): string {
  return unseal(keys.sealing, clientContext(address), sealed).toString("utf8");
}

/** Seals the PKCE verifier of a pending authorization to its state. */
export function sealVerifier(keys: Keys, state: Buffer, verifier: string): Buffer {
  return seal(keys.sealing, verifierContext(state), verifier);
}

/** @throws Problem STORE_UNREADABLE when the key it was sealed with is gone */
export function openVerifier(keys: Keys, state: Buffer, sealed: Uint8Array): string {
  return unseal(keys.sealing, verifierContext(state), sealed).toString("utf8");
}

function grantContext({ installationId, service, binding }: GrantAddress): string {
  return `grants/${installationId}/${service}${binding === undefined ? "" : `/${binding}`}`;
}

function clientContext({ installationId, service, binding }: Required<GrantAddress>): string {
  return `described_services/${installationId}/${service}/client/${binding}`;
}

function verifierContext(state: Buffer): string {
  return `states/${state.toString("hex")}/verifier`;
}
