import type { Expression } from "kysely";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import { type Rows, readTogether } from "../store/round-trips.ts";
import { queryFamily, type TokenFamily } from "../store/token-families.ts";
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
  return (await authenticateReading(ports, request, {})).caller;
}

/** Authenticates a request and reads other rows in the same statement. The caller must check whose rows they are. */
export async function authenticateReading<Queries extends Record<string, Expression<unknown>>>(
  ports: TokenPorts & Pick<BackendPorts, "db" | "clock">,
  request: Request,
  queries: Queries,
): Promise<{ caller: Caller; rows: Rows<Queries> }> {
  const caller = await verifyAccessToken(ports, getBearerToken(request));
  const rows = await readTogether(ports.db, { ...queries, families: queryFamily(ports.db, caller.familyId) });
  const [family] = rows.families as TokenFamily[];
  if (!family || family.revoked_at || family.installation_id !== caller.installationId) {
    throw new Problem("TOKEN_INVALID", "The sign-in of this access token has ended.");
  }
  if (family.expires_at.getTime() <= ports.clock.now()) {
    throw new Problem("TOKEN_EXPIRED", "The sign-in of this access token has expired.");
  }
  return { caller, rows };
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
