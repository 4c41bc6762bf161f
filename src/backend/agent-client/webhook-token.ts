import { randomBytes } from "node:crypto";
import { decodeJwt, errors, jwtVerify, SignJWT } from "jose";
import { Problem } from "#protocol/errors";

/** One turn of an agent server: what a webhook token is for. */
export type WebhookTurn = { conversationId: string; generationId: string };

/** How long an agent server may report a turn, in ms (protocol section 4). */
export const WEBHOOK_LIFETIME_MS = 10 * 60_000;

/** The secret of a conversation, with which its webhook tokens are signed: 32 bytes as hex (seed: agent streaming). */
export function createWebhookSecret(): string {
  return randomBytes(32).toString("hex");
}

/** The token of one turn (JWT, RFC 7519, HS256). A new one is made for each turn. `now` in ms. */
export async function signWebhookToken(
  secret: string,
  { conversationId, generationId }: WebhookTurn,
  now: number,
): Promise<string> {
  const issued = Math.floor(now / 1000);
  return new SignJWT({ session_id: conversationId, generation_id: generationId })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuedAt(issued)
    .setExpirationTime(issued + WEBHOOK_LIFETIME_MS / 1000)
    .sign(new TextEncoder().encode(secret));
}

/**
 * Which turn a token says it is for. Nothing of it is to be believed before {@link verifyWebhookToken}: it only says which secret it has to be
 * verified with.
 *
 * @throws Problem INVALID_REQUEST
 */
export function readClaimedTurn(token: string): WebhookTurn {
  try {
    const { session_id, generation_id } = decodeJwt(token);
    if (typeof session_id === "string" && typeof generation_id === "string")
      return { conversationId: session_id, generationId: generation_id };
  } catch {
    // Worded below.
  }
  throw new Problem("INVALID_REQUEST", "Invalid token format", { details: { field: "token" } });
}

/** @throws Problem TOKEN_EXPIRED, TOKEN_INVALID */
export async function verifyWebhookToken(token: string, secret: string, now: number): Promise<void> {
  try {
    await jwtVerify(token, new TextEncoder().encode(secret), {
      algorithms: ["HS256"],
      currentDate: new Date(now),
      requiredClaims: ["session_id", "generation_id", "iat", "exp"],
    });
  } catch (error) {
    const expired = error instanceof errors.JWTExpired;
    throw new Problem(expired ? "TOKEN_EXPIRED" : "TOKEN_INVALID", "Invalid or expired token", {
      hint: "",
      cause: error,
    });
  }
}

/** When a token of whatever backend ends, in ms; undefined when it does not say so. */
export function getTokenExpiry(token: string): number | undefined {
  try {
    const { exp } = decodeJwt(token);
    return exp === undefined ? undefined : exp * 1000;
  } catch {
    return undefined;
  }
}
