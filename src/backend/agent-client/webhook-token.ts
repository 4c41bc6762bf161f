import { randomBytes } from "node:crypto";
import { decodeJwt, errors, jwtVerify, SignJWT } from "jose";
import { Problem } from "#protocol/errors";

/** The turn that a webhook token is valid for. */
export type WebhookTurn = { conversationId: string; generationId: string };

/** How long an agent server may report on a turn, in ms (docs/protocol.md, "Agent servers"). */
export const WEBHOOK_LIFETIME_MS = 10 * 60_000;

/** Creates the secret that signs a conversation's webhook tokens: 32 bytes as hex. */
export function createWebhookSecret(): string {
  return randomBytes(32).toString("hex");
}

/** Signs a new token for one turn (JWT, RFC 7519, HS256). `now` in ms. */
export async function signWebhookToken(
  secret: string,
  { conversationId, generationId }: WebhookTurn,
  now: number,
): Promise<string> {
  const issuedSeconds = Math.floor(now / 1000);
  return new SignJWT({ session_id: conversationId, generation_id: generationId })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuedAt(issuedSeconds)
    .setExpirationTime(issuedSeconds + WEBHOOK_LIFETIME_MS / 1000)
    .sign(new TextEncoder().encode(secret));
}

/**
 * Reads the turn that a token claims, which selects the secret to verify it with. Do not trust it before {@link
 * verifyWebhookToken}.
 *
 * @throws Problem INVALID_REQUEST
 */
export function readClaimedTurn(token: string): WebhookTurn {
  try {
    const { session_id, generation_id } = decodeJwt(token);
    if (typeof session_id === "string" && typeof generation_id === "string")
      return { conversationId: session_id, generationId: generation_id };
  } catch {
    // Reported below.
  }
  throw new Problem("INVALID_REQUEST", "Invalid token format", { details: { field: "token" } });
}

/**
 * Verifies a webhook token's signature and expiry. `now` in ms.
 *
 * @throws Problem TOKEN_EXPIRED, TOKEN_INVALID
 */
export async function verifyWebhookToken(token: string, secret: string, now: number): Promise<void> {
  try {
    await jwtVerify(token, new TextEncoder().encode(secret), {
      algorithms: ["HS256"],
      currentDate: new Date(now),
      requiredClaims: ["session_id", "generation_id", "iat", "exp"],
    });
  } catch (error) {
    const isExpired = error instanceof errors.JWTExpired;
    throw new Problem(isExpired ? "TOKEN_EXPIRED" : "TOKEN_INVALID", "Invalid or expired token", {
      hint: "",
      cause: error,
    });
  }
}

/** Returns the expiry that a token of any backend claims, in ms, or undefined without one. */
export function getTokenExpiry(token: string): number | undefined {
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? undefined : exp * 1000;
  } catch {
    return undefined;
  }
}
