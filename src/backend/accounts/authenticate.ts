import type { Expression } from "kysely";
import { Problem } from "#protocol/errors";
import { isScriptToken } from "#protocol/script-token";
import type { BackendPorts } from "../ports.ts";
import { type Rows, readTogether } from "../store/round-trips.ts";
import type { StoredScriptToken } from "../store/script-tokens.ts";
import { queryFamily, type TokenFamily } from "../store/token-families.ts";
import { type TokenPorts, verifyAccessToken } from "./access-tokens.ts";
import { signInEndedProblem, verifyScriptToken } from "./script-tokens.ts";

/** The installation that sent a request, and its sign-in or script token. */
export type Caller = SignInCaller | { installationId: string; scriptToken: StoredScriptToken };

/** A caller with a sign-in, which a user completed in a browser. */
type SignInCaller = { installationId: string; familyId: string };

type Ports = TokenPorts & Pick<BackendPorts, "db" | "clock">;

/** Senders of requests that are being answered, for the watch over open streams. */
const callers = new WeakMap<Request, Caller>();

/**
 * Identifies the sender of a request by its `Authorization: Bearer` header (RFC 6750): an access token or a script
 * token. The sign-in behind an access token must still exist, so that a logout takes effect at once and not only when
 * the token expires.
 *
 * @throws Problem TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED (all 401)
 */
export async function authenticate(ports: Ports, request: Request): Promise<Caller> {
  return (await authenticateReading(ports, request, {})).caller;
}

/** Authenticates a request and reads other rows in the same statement. The caller must check whose rows they are. */
export async function authenticateReading<Queries extends Record<string, Expression<unknown>>>(
  ports: Ports,
  request: Request,
  queries: Queries,
): Promise<{ caller: Caller; rows: Rows<Queries> }> {
  const token = getBearerToken(request);
  const { caller, rows } = isScriptToken(token)
    ? await readScriptCaller(ports, token, queries)
    : await readSignInCaller(ports, token, queries);
  callers.set(request, caller);
  return { caller, rows };
}

/**
 * Identifies the sender of a request that requires a sign-in.
 *
 * @throws Problem SIGN_IN_REQUIRED for a script token, and as `authenticate`
 */
export async function authenticateSignIn(ports: Ports, request: Request): Promise<SignInCaller> {
  const caller = await authenticate(ports, request);
  if ("familyId" in caller) return caller;
  throw signInRequiredProblem();
}

/** Creates the error for a script token where only a sign-in counts. */
export function signInRequiredProblem(): Problem {
  return new Problem("SIGN_IN_REQUIRED", "A script token cannot do this; it requires a sign-in.");
}

/** Returns the sender of a request that was authenticated. */
export function findCaller(request: Request): Caller | undefined {
  return callers.get(request);
}

async function readScriptCaller<Queries extends Record<string, Expression<unknown>>>(
  ports: Ports,
  token: string,
  queries: Queries,
): Promise<{ caller: Caller; rows: Rows<Queries> }> {
  const { row: scriptToken, rows } = await verifyScriptToken(ports, token, queries);
  return { caller: { installationId: scriptToken.installation_id, scriptToken }, rows };
}

async function readSignInCaller<Queries extends Record<string, Expression<unknown>>>(
  ports: Ports,
  token: string,
  queries: Queries,
): Promise<{ caller: Caller; rows: Rows<Queries> }> {
  const caller = await verifyAccessToken(ports, token);
  const rows = await readTogether(ports.db, { ...queries, families: queryFamily(ports.db, caller.familyId) });
  const [family] = rows.families as TokenFamily[];
  if (!family || family.revoked_at || family.installation_id !== caller.installationId) {
    throw signInEndedProblem();
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
