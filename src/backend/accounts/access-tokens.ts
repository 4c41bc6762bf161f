import { createHmac, timingSafeEqual } from "node:crypto";
import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from "jose";
import { Problem } from "#protocol/errors";
import { tryParseJson } from "#protocol/json";
import type { BackendPorts } from "../ports.ts";
import { getKeyObject } from "../store/keys.ts";

/** Lifetime of an access token (docs/protocol.md, "Staying signed in"). */
export const LIFETIME_SECONDS = 30 * 60;

const ISSUER = "kay";

/** Ports for issuing and checking access tokens. */
export type TokenPorts = Pick<BackendPorts, "keys" | "publicUrl" | "localSecret">;

/**
 * Signs the access token of one rotation of a sign-in: a JWT (RFC 7519, HS256) with the installation as `sub` and the
 * family as `sid`, for this backend only. The result depends only on the arguments and the key, so that a repeated
 * rotation returns the same token.
 *
 * @param audience recipient of the token (default: the API of this backend)
 */
export async function signAccessToken(
  ports: TokenPorts,
  rotation: { installationId: string; familyId: string; sequence: number; issuedAt: Date },
  audience = getAudience(ports),
): Promise<string> {
  const [{ id: kid, key }] = ports.keys.signing;
  const issuedSeconds = Math.floor(rotation.issuedAt.getTime() / 1000);
  return new SignJWT({ sid: rotation.familyId })
    .setProtectedHeader({ alg: "HS256", typ: "JWT", kid })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setSubject(rotation.installationId)
    .setJti(`${rotation.familyId}.${rotation.sequence}`)
    .setIssuedAt(issuedSeconds)
    .setExpirationTime(issuedSeconds + LIFETIME_SECONDS)
    .sign(key);
}

/**
 * Verifies an access token with the key that it names. It does not check that the sign-in still exists; `authenticate`
 * does.
 *
 * @throws Problem TOKEN_EXPIRED, TOKEN_INVALID
 */
export async function verifyAccessToken(
  ports: TokenPorts & Pick<BackendPorts, "clock">,
  token: string,
  audience = getAudience(ports),
): Promise<{ installationId: string; familyId: string }> {
  const caller = verifyUsualToken(ports, token, audience);
  if (caller) return caller;
  try {
    const { payload } = await jwtVerify(token, getKey(ports.keys), {
      algorithms: ["HS256"],
      issuer: ISSUER,
      audience,
      currentDate: new Date(ports.clock.now()),
      requiredClaims: ["sub", "sid", "iat", "exp"],
    });
    return { installationId: String(payload.sub), familyId: String(payload.sid) };
  } catch (error) {
    if (error instanceof errors.JWTExpired) {
      throw new Problem("TOKEN_EXPIRED", "The access token has expired.", { cause: error });
    }
    throw new Problem("TOKEN_INVALID", "The access token is not valid.", { cause: error });
  }
}

/**
 * Verifies a token as kay signs it with one synchronous HMAC, which costs a tenth of jose's WebCrypto. Any other token is
 * left to jose, which knows what is wrong with it.
 */
function verifyUsualToken(
  ports: TokenPorts & Pick<BackendPorts, "clock">,
  token: string,
  audience: string,
): { installationId: string; familyId: string } | undefined {
  const [head = "", body = "", signature = "", ...rest] = token.split(".");
  const { alg, kid, crit } = parsePart(head);
  const signing = ports.keys.signing.find(({ id }) => id === kid);
  if (rest.length > 0 || alg !== "HS256" || crit !== undefined || !signing) return undefined;
  const expectedSignature = createHmac("sha256", getKeyObject(signing.key))
    .update(`${head}.${body}`)
    .digest("base64url");
  if (
    expectedSignature.length !== signature.length ||
    !timingSafeEqual(Buffer.from(expectedSignature), Buffer.from(signature))
  )
    return undefined;
  const { iss, aud, sub, sid, iat, exp, nbf } = parsePart(body);
  if (iss !== ISSUER || aud !== audience || typeof iat !== "number" || nbf !== undefined) return undefined;
  if (typeof sub !== "string" || typeof sid !== "string") return undefined;
  if (typeof exp !== "number" || exp <= Math.floor(ports.clock.now() / 1000)) return undefined;
  return { installationId: sub, familyId: sid };
}

function parsePart(part: string): Record<string, unknown> {
  const value = tryParseJson(Buffer.from(part, "base64url").toString());
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Returns the audience of this backend's tokens. The port of a local backend may change. */
function getAudience({ publicUrl, localSecret }: TokenPorts): string {
  return localSecret === undefined ? new URL(publicUrl).origin : "embedded";
}

function getKey({ signing }: BackendPorts["keys"]): (header: JWTHeaderParameters) => Uint8Array {
  return ({ kid }) => {
    const key = signing.find(({ id }) => id === kid);
    if (!key) throw new errors.JWTInvalid("unknown key");
    return key.key;
  };
}
