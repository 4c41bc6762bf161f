import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Expression } from "kysely";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { formatScriptToken, parseScriptToken } from "#protocol/script-token";
import { SCRIPT_TOKEN_LIMITS, type ScriptTokenRequest } from "#protocol/script-tokens";
import type { BackendPorts } from "../ports.ts";
import { lockInstallation } from "../store/installations.ts";
import { type Rows, readTogether } from "../store/round-trips.ts";
import {
  deleteScriptTokensBefore,
  insertScriptToken,
  listScriptTokens,
  queryScriptToken,
  type StoredScriptToken,
  touchScriptToken,
} from "../store/script-tokens.ts";
import { hashSecret } from "../store/secrets.ts";
import { lockFamily } from "../store/token-families.ts";

type Ports = Pick<BackendPorts, "db" | "clock" | "log">;

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** How long a token that has ended is kept, so that its users learn why it is refused. */
const KEPT_MS = 30 * DAY_MS;

/** How exact the time of the last use is. */
const USE_MS = HOUR_MS;

/**
 * Creates a script token for the installation of a sign-in. Only its hash is stored.
 *
 * @throws Problem INVALID_REQUEST for an empty name, or if the installation has too many tokens; TOKEN_INVALID if the
 * sign-in has just ended
 */
export async function createScriptToken(
  { db, clock, log }: Ports,
  { installationId, familyId }: { installationId: string; familyId: string },
  request: ScriptTokenRequest,
): Promise<{ token: string; row: StoredScriptToken }> {
  const name = cleanLine(request.name);
  if (name === "") throw new Problem("INVALID_REQUEST", "The name is empty.", { details: { field: "name" } });
  const { expires_in_days: days = SCRIPT_TOKEN_LIMITS.defaultDays } = request;
  const now = clock.now();
  const id = `token_${randomBytes(8).toString("hex")}`;
  const secret = randomBytes(24).toString("hex");
  const row = await db.transaction().execute(async (tx) => {
    await lockInstallation(tx, installationId);
    // What ends the sign-in then waits, and revokes this token too.
    const family = await lockFamily(tx, familyId);
    if (!family || family.revoked_at) throw signInEndedProblem();
    await deleteScriptTokensBefore(tx, installationId, new Date(now - KEPT_MS));
    const valid = (await listScriptTokens(tx, installationId)).filter(({ expires_at }) => expires_at.getTime() > now);
    if (valid.length >= SCRIPT_TOKEN_LIMITS.most) throw tooManyProblem();
    return await insertScriptToken(tx, {
      id,
      installation_id: installationId,
      name,
      secret_hash: hashSecret(secret),
      created_at: new Date(now),
      expires_at: new Date(now + days * DAY_MS),
    });
  });
  log("info", "script_token.created", { id, days });
  return { token: formatScriptToken(id, secret), row };
}

/**
 * Verifies a script token, and reads other rows in the same statement.
 *
 * @throws Problem TOKEN_INVALID, TOKEN_EXPIRED
 */
export async function verifyScriptToken<Queries extends Record<string, Expression<unknown>>>(
  { db, clock }: Pick<Ports, "db" | "clock">,
  token: string,
  queries: Queries,
): Promise<{ row: StoredScriptToken; rows: Rows<Queries> }> {
  const { id, secret } = parseScriptToken(token) ?? { id: "", secret: "" };
  if (id === "") throw refusedProblem("TOKEN_INVALID", "The script token is incomplete.");
  const rows = await readTogether(db, { ...queries, scriptTokens: queryScriptToken(db, id) });
  const [row] = rows.scriptTokens as StoredScriptToken[];
  if (!row || !timingSafeEqual(row.secret_hash, hashSecret(secret)))
    throw refusedProblem("TOKEN_INVALID", "The backend does not know this script token.");
  if (row.revoked_at) throw refusedProblem("TOKEN_INVALID", `The script token “${row.name}” was revoked.`);
  const now = clock.now();
  if (row.expires_at.getTime() <= now)
    throw refusedProblem("TOKEN_EXPIRED", `The script token “${row.name}” expired on ${formatDay(row.expires_at)}.`);
  const lastUse = row.used_at?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (now - lastUse >= USE_MS) await touchScriptToken(db, id, new Date(now), new Date(now - USE_MS));
  return { row, rows };
}

function formatDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

function refusedProblem(code: "TOKEN_INVALID" | "TOKEN_EXPIRED", message: string): Problem {
  return new Problem(code, message, {
    hint: "Create a token with `kay token create` in a signed-in terminal, and set KAY_TOKEN to it.",
  });
}

/** Creates the error for an access token whose sign-in has ended. */
export function signInEndedProblem(): Problem {
  return new Problem("TOKEN_INVALID", "The sign-in of this access token has ended.");
}

function tooManyProblem(): Problem {
  return new Problem("INVALID_REQUEST", `You have ${SCRIPT_TOKEN_LIMITS.most} script tokens, which is the limit.`, {
    hint: "Revoke one with `kay token revoke`.",
  });
}
