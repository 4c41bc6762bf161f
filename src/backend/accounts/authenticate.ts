import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import { findFamily } from "../store/token-families.ts";
import { type TokenPorts, verifyAccessToken } from "./access-tokens.ts";

/** The installation that sent a request, and its sign-in. */
export type Caller = { installationId: string; familyId: string };

/**
 * Identifies the sender of a request by its `Authorization: Bearer` header (RFC 6750). The sign-in behind the token
 * must still exist, so that a logout takes effect at once and not only when the token expires.
 *
 * @throws Problem TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED (all 401)
 */
export async function authenticate(
  ports: TokenPorts & Pick<BackendPorts, "db" | "clock">,
  request: Request,
): Promise<Caller> {
  const caller = await verifyAccessToken(ports, getBearerToken(request));
  const family = await findFamily(ports.db, caller.familyId);
  if (!family || family.revoked_at || family.installation_id !== caller.installationId) {
    throw new Problem("TOKEN_INVALID", "The sign-in of this access token has ended.");
  }
  if (family.expires_at.getTime() <= ports.clock.now()) {
    throw new Problem("TOKEN_EXPIRED", "The sign-in of this access token has expired.");
  }
  return caller;
}

/** Whether the request has an Authorization header. */
export function hasAuthorization(request: Request): boolean {
  return request.headers.has("authorization");
}

/** Returns the token of a request. @throws Problem TOKEN_MISSING */
export function getBearerToken(request: Request): string {
  const match = /^Bearer +([\w.~+/-]+=*) *$/i.exec(request.headers.get("authorization") ?? "");
  if (!match?.[1]) throw new Problem("TOKEN_MISSING", "No Authorization header or invalid format");
  return match[1];
}
