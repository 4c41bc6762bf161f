import { createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { BackendPorts } from "../ports.ts";
import type { DbConnection } from "../store/schema.ts";
import { hashSecret } from "../store/secrets.ts";
import { deleteFamiliesBefore, insertFamily, insertRefreshToken } from "../store/token-families.ts";
import { signAccessToken, type TokenPorts } from "./access-tokens.ts";

/** The tokens that a client receives for a sign-in and for each rotation (docs/protocol.md, "Staying signed in"). */
export type TokenPair = { token: string; refresh_token: string };

const DAY = 24 * 60 * 60 * 1000;
/** A refresh token lives 7 days; its whole family lives 30, which no rotation extends. */
export const REFRESH_LIFETIME_MS = 7 * DAY;
const FAMILY_LIFETIME = 30 * DAY;

/** Starts a sign-in of an installation, inside the transaction that returns it to the client. */
export async function startSignIn(
  ports: TokenPorts & Pick<BackendPorts, "clock">,
  db: DbConnection,
  installationId: string,
): Promise<TokenPair> {
  const now = ports.clock.now();
  const familyId = `family_${randomBytes(16).toString("hex")}`;
  const issuedAt = new Date(now);
  const refreshToken = randomBytes(32).toString("hex");
  await deleteFamiliesBefore(db, installationId, issuedAt);
  await insertFamily(db, {
    id: familyId,
    installation_id: installationId,
    created_at: issuedAt,
    expires_at: new Date(now + FAMILY_LIFETIME),
  });
  await insertRefreshToken(db, {
    hash: hashSecret(refreshToken),
    family_id: familyId,
    sequence: 0,
    issued_at: issuedAt,
    expires_at: new Date(now + REFRESH_LIFETIME_MS),
  });
  const token = await signAccessToken(ports, { installationId, familyId, sequence: 0, issuedAt });
  return { token, refresh_token: refreshToken };
}

/**
 * Derives the refresh token that follows another from its predecessor and a key of the server (HMAC-SHA-256 over HKDF,
 * RFC 5869). A repeated rotation returns the same token although none is stored. Neither the database nor the key alone
 * reveals it.
 *
 * @param signing one of the signing keys
 */
export function deriveSuccessor(signing: Uint8Array, familyId: string, sequence: number, token: string): string {
  const key = Buffer.from(hkdfSync("sha256", signing, "", "kay refresh rotation v1", 32));
  return createHmac("sha256", key)
    .update(JSON.stringify([familyId, sequence, token]))
    .digest("hex");
}
