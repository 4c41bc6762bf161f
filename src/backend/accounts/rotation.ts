import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import type { DbConnection } from "../store/schema.ts";
import { revokeScriptTokensSince } from "../store/script-tokens.ts";
import { hashSecret } from "../store/secrets.ts";
import {
  findRefreshToken,
  findRefreshTokenAt,
  insertRefreshToken,
  lockFamily,
  type RefreshToken,
  revokeFamily,
  spendRefreshToken,
  type TokenFamily,
} from "../store/token-families.ts";
import { signAccessToken, type TokenPorts } from "./access-tokens.ts";
import { deriveSuccessor, REFRESH_LIFETIME_MS, type TokenPair } from "./sign-in.ts";

/**
 * How long the last spent refresh token returns the same pair again, in ms: the client may crash before it stores the
 * response.
 */
const GRACE = 60 * 1000;
const REUSED = "reused";

type Ports = TokenPorts & Pick<BackendPorts, "db" | "clock" | "log" | "observe">;
type Rotation = { pair: TokenPair } | { problem: Problem };

/**
 * Exchanges a refresh token for a new pair (RFC 9700 section 4.14.2). Rotations of one sign-in are serialized by its
 * row lock, and concurrent requests with the same token get the same pair. A token spent earlier, or the last one after
 * the grace period, was copied: the whole sign-in is revoked.
 *
 * @throws Problem REFRESH_INVALID, REFRESH_REUSED (401)
 */
export async function rotateTokens(ports: Ports, refreshToken: string): Promise<TokenPair> {
  const rotation = await ports.db.transaction().execute((db) => rotateLocked(ports, db, refreshToken));
  const outcome = "problem" in rotation ? rotation.problem.code : "ok";
  ports.observe?.count("kay_sign_in_refreshes_total", { outcome });
  if ("problem" in rotation) throw rotation.problem;
  return rotation.pair;
}

/** Ends a sign-in and revokes all its tokens. */
export async function endSignIn(ports: Pick<BackendPorts, "db" | "clock">, familyId: string): Promise<void> {
  await revokeFamily(ports.db, familyId, "signed out", new Date(ports.clock.now()));
}

/** Problems are returned, not thrown, so that the transaction commits the revocation. */
async function rotateLocked(ports: Ports, db: DbConnection, refreshToken: string): Promise<Rotation> {
  const hash = hashSecret(refreshToken);
  const storedToken = await findRefreshToken(db, hash);
  const family = storedToken && (await lockFamily(db, storedToken.family_id));
  const token = family && (await findRefreshToken(db, hash));
  if (!token) return rejectInvalid("Unknown refresh token.");
  if (family.revoked_at)
    return family.revoked_reason === REUSED ? rejectReuse() : rejectInvalid("The sign-in has ended.");
  const now = ports.clock.now();
  if (token.spent_at) return repeatRotation(ports, db, { family, token, spentAt: token.spent_at, refreshToken });
  const expiresMs = token.expires_at.getTime();
  if (Math.min(expiresMs, family.expires_at.getTime()) <= now) {
    return rejectInvalid("The refresh token has expired.");
  }
  const issuedAt = new Date(now);
  // A successor does not expire before its predecessor: the clock may have been wrong for a while.
  const sequence = token.sequence + 1;
  const successor = deriveSuccessor(ports.keys.signing[0].key, family.id, sequence, refreshToken);
  await spendRefreshToken(db, hash, issuedAt);
  await insertRefreshToken(db, {
    hash: hashSecret(successor),
    family_id: family.id,
    sequence,
    issued_at: issuedAt,
    expires_at: new Date(Math.min(Math.max(now + REFRESH_LIFETIME_MS, expiresMs), family.expires_at.getTime())),
  });
  return signPair(ports, family, { sequence, issuedAt }, successor);
}

type Spent = { family: TokenFamily; token: RefreshToken; spentAt: Date; refreshToken: string };

async function repeatRotation(ports: Ports, db: DbConnection, spent: Spent): Promise<Rotation> {
  const { family, token } = spent;
  const now = ports.clock.now();
  const nextToken = await findRefreshTokenAt(db, family.id, token.sequence + 1);
  if (nextToken && !nextToken.spent_at && now - spent.spentAt.getTime() <= GRACE) {
    // The key may have changed since, or another node may sign with a different one.
    const successor = ports.keys.signing
      .map(({ key }) => deriveSuccessor(key, family.id, nextToken.sequence, spent.refreshToken))
      .find((candidate) => hashSecret(candidate).equals(nextToken.hash));
    if (successor === undefined) return rejectInvalid("The key of this backend has changed.");
    return signPair(ports, family, { sequence: nextToken.sequence, issuedAt: nextToken.issued_at }, successor);
  }
  await revokeFamily(db, family.id, REUSED, new Date(now));
  // Whoever copied the token may have created script tokens since.
  await revokeScriptTokensSince(db, family.installation_id, spent.spentAt, new Date(now));
  ports.log("warn", "refresh.reused", { family: family.id, sequence: token.sequence });
  return rejectReuse();
}

async function signPair(
  ports: Ports,
  family: TokenFamily,
  rotation: { sequence: number; issuedAt: Date },
  refreshToken: string,
): Promise<Rotation> {
  const token = await signAccessToken(ports, {
    installationId: family.installation_id,
    familyId: family.id,
    ...rotation,
  });
  return { pair: { token, refresh_token: refreshToken } };
}

function rejectInvalid(message: string): Rotation {
  return { problem: new Problem("REFRESH_INVALID", message) };
}

function rejectReuse(): Rotation {
  const message = "This refresh token was already used, so it may have been copied. The sign-in was ended.";
  return { problem: new Problem("REFRESH_REUSED", message) };
}
