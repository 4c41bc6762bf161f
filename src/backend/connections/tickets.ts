import { createHmac } from "node:crypto";
import type { BackendPorts } from "../ports.ts";
import { secretsEqual } from "../store/secrets.ts";

/** What a form of the backend's pages does. A ticket is valid for one purpose only. */
type Purpose = "begin" | "key-page" | "undo" | "answer" | "answer-device";

/** Creates the ticket of a form, which shows that the form came from this backend for this state. Nothing is stored. */
export function createTicket(
  { keys }: Pick<BackendPorts, "keys">,
  purpose: Purpose,
  state: string,
  { key } = keys.signing[0],
): string {
  return createHmac("sha256", key).update(`${purpose}/${state}`).digest("base64url");
}

/** Whether a ticket was created for this purpose and state, with any of the keys. */
export function isTicket(ports: Pick<BackendPorts, "keys">, purpose: Purpose, state: string, given: string): boolean {
  return ports.keys.signing.some((key) => secretsEqual(createTicket(ports, purpose, state, key), given));
}
