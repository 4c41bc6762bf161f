import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";
import type { DbConnection } from "../store/schema.ts";
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
import { signAccessToken } from "./access-tokens.ts";
import { deriveSuccessor, REFRESH_LIFETIME_MS, type TokenPair } from "./sign-in.ts";

/** How long the last spent refresh token still gets its answer again: a crash between the answer and the client's write. */
const GRACE = 60 * 1000;
const REUSED = "reused";

type Ports = Pick<BackendPorts, "db" | "keys" | "clock" | "log" | "observe">;
type Rotation = { pair: TokenPair } | { problem: Problem };

/**
 * Spend a refresh token for a new pair (guide, "Token Refresh"; RFC 9700 section 4.14.2). Rotations of one sign-in happen one after
 * another under its row lock; twelve at once with the same token get the same pair. A token spent before the last one, or the last
 * one after the grace, was copied: the whole sign-in is revoked.
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

/** End a sign-in, with all its tokens, at once. */
export async function endSignIn(ports: Pick<BackendPorts, "db" | "clock">, familyId: string): Promise<void> {
  await revokeFamily(ports.db, familyId, "signed out", new Date(ports.clock.now()));
}

/** Problems are returned, not thrown, so that the revocation they come with is committed. */
async function rotateLocked(ports: Ports, db: DbConnection, refreshToken: string): Promise<Rotation> {
  const hash = hashSecret(refreshToken);
  const seen = await findRefreshToken(db, hash);
  const family = seen && (await lockFamily(db, seen.family_id));
  const token = family && (await findRefreshToken(db, hash));
  if (!token) return invalid("The refresh token is not known.");
  if (family.revoked_at) return family.revoked_reason === REUSED ? reuse() : invalid("The sign-in has ended.");
  const now = ports.clock.now();
  if (token.spent_at) return repeat(ports, db, { family, token, spentAt: token.spent_at, refreshToken });
  if (Math.min(token.expires_at.getTime(), family.expires_at.getTime()) <= now) {
    return invalid("The refresh token has expired.");
  }
  const issuedAt = new Date(now);
  const sequence = token.sequence + 1;
  const successor = deriveSuccessor(ports.keys.signing[0].key, family.id, sequence, refreshToken);
  await spendRefreshToken(db, hash, issuedAt);
  await insertRefreshToken(db, {
    hash: hashSecret(successor),
    family_id: family.id,
    sequence,
    issued_at: issuedAt,
    expires_at: new Date(Math.min(now + REFRESH_LIFETIME_MS, family.expires_at.getTime())),
  });
  return answer(ports, family, { sequence, issuedAt }, successor);
}

type Spent = { family: TokenFamily; token: RefreshToken; spentAt: Date; refreshToken: string };

async function repeat(ports: Ports, db: DbConnection, spent: Spent): Promise<Rotation> {
  const { family, token } = spent;
  const now = ports.clock.now();
  const next = await findRefreshTokenAt(db, family.id, token.sequence + 1);
  if (next && !next.spent_at && now - spent.spentAt.getTime() <= GRACE) {
    // The keys may have been rotated in between, or another node signs with another one.
    const successor = ports.keys.signing
      .map(({ key }) => deriveSuccessor(key, family.id, next.sequence, spent.refreshToken))
      .find((each) => hashSecret(each).equals(next.hash));
    if (successor === undefined) return invalid("The key of this backend has changed.");
    return answer(ports, family, { sequence: next.sequence, issuedAt: next.issued_at }, successor);
  }
  await revokeFamily(db, family.id, REUSED, new Date(now));
  ports.log("warn", "refresh.reused", { family: family.id, sequence: token.sequence });
  return reuse();
}

async function answer(
  ports: Ports,
  family: TokenFamily,
  link: { sequence: number; issuedAt: Date },
  refreshToken: string,
): Promise<Rotation> {
  const token = await signAccessToken(ports.keys, {
    installationId: family.installation_id,
    familyId: family.id,
    ...link,
  });
  return { pair: { token, refresh_token: refreshToken } };
}

function invalid(message: string): Rotation {
  return { problem: new Problem("REFRESH_INVALID", message) };
}

function reuse(): Rotation {
  const message = "This refresh token was used before, so somebody may have copied it; the sign-in was ended.";
  return { problem: new Problem("REFRESH_REUSED", message) };
}
