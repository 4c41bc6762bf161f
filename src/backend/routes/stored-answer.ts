import type { BackendPorts } from "../ports.ts";
import type { StoredRequest } from "../store/requests.ts";
import { seal, unseal } from "../store/seal.ts";

type Ports = Pick<BackendPorts, "keys">;
type RequestName = { installationId: string; key: string };

/** Encrypts a confirmation token in an answer before it is stored. Elsewhere, the database has only its hash. */
export function sealAnswer({ keys }: Ports, name: RequestName, answer: unknown): unknown {
  const { confirmation_token: token, ...rest } = (answer ?? {}) as Record<string, unknown>;
  if (typeof token !== "string") return answer;
  return { ...rest, [SEALED]: seal(keys.sealing, getContext(name), token).toString("base64") };
}

/** Returns a stored request with the answer as it was sent. */
export function openAnswer({ keys }: Ports, name: RequestName, request: StoredRequest): StoredRequest {
  const { [SEALED]: sealed, ...rest } = (request.answer ?? {}) as Record<string, unknown>;
  if (typeof sealed !== "string") return request;
  const token = unseal(keys.sealing, getContext(name), Buffer.from(sealed, "base64")).toString("utf8");
  return { ...request, answer: { ...rest, confirmation_token: token } };
}

const SEALED = "sealed_confirmation_token";

function getContext({ installationId, key }: RequestName): string {
  return `requests/${JSON.stringify([installationId, key])}/confirmation`;
}
