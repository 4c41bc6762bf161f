import type { Keys } from "../ports.ts";
import { seal, unseal } from "../store/seal.ts";

/** Tokens of a service as they lie sealed in a grant. */
export type SealedTokens = { access: string; refresh?: string };

/** The connection that sealed tokens belong to; they open nowhere else. */
export type GrantAddress = { installationId: string; service: string };

export function sealTokens(keys: Keys, address: GrantAddress, tokens: SealedTokens): Buffer {
  return seal(keys.sealing, grantContext(address), JSON.stringify(tokens));
}

/** @throws Problem STORE_UNREADABLE when the key it was sealed with is gone */
export function openTokens(keys: Keys, address: GrantAddress, sealed: Uint8Array): SealedTokens {
  return JSON.parse(unseal(keys.sealing, grantContext(address), sealed).toString("utf8")) as SealedTokens;
}

/** The PKCE verifier of an authorization under way, sealed to its state. */
export function sealVerifier(keys: Keys, state: Buffer, verifier: string): Buffer {
  return seal(keys.sealing, verifierContext(state), verifier);
}

/** @throws Problem STORE_UNREADABLE when the key it was sealed with is gone */
export function openVerifier(keys: Keys, state: Buffer, sealed: Uint8Array): string {
  return unseal(keys.sealing, verifierContext(state), sealed).toString("utf8");
}

function grantContext({ installationId, service }: GrantAddress): string {
  return `grants/${installationId}/${service}`;
}

function verifierContext(state: Buffer): string {
  return `states/${state.toString("hex")}/verifier`;
}
