import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { BackendPorts } from "../ports.ts";

/** Returns the SHA-256 by which a secret of full entropy is stored and looked up, so that a copy of the database opens nothing. */
export function hashSecret(secret: string): Buffer {
  return hash("sha256", secret, "buffer");
}

/** Compares two secrets of any length in constant time. */
export function compareSecrets(secret: string, expected: string): boolean {
  return timingSafeEqual(hashSecret(secret), hashSecret(expected));
}

/** Purpose of a ticket: a form of the backend's pages, or a client ID or refresh token of a program. It is valid for nothing else. */
type Purpose = "begin" | "key-page" | "undo" | "answer" | "answer-device" | "program-client" | "program-refresh";

/** Creates a ticket, which shows that a form or a token came from this backend for this state. Nothing is stored. */
export function createTicket(
  { keys }: Pick<BackendPorts, "keys">,
  purpose: Purpose,
  state: string,
  { key } = keys.signing[0],
): string {
  return createHmac("sha256", key).update(`${purpose}/${state}`).digest("base64url");
}

/** Whether a ticket was created for this purpose and state, with any of the keys. */
export function isTicket(ports: Pick<BackendPorts, "keys">, purpose: Purpose, state: string, ticket: string): boolean {
  return ports.keys.signing.some((key) => compareSecrets(createTicket(ports, purpose, state, key), ticket));
}
