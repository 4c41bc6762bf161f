import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from "jose";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";

/** Lifetime of an access token (docs/protocol.md, "Staying signed in"). */
const LIFETIME_SECONDS = 30 * 60;

const ISSUER = "kay";

/** Ports for issuing and checking access tokens. */
export type TokenPorts = Pick<BackendPorts, "keys" | "publicUrl" | "localSecret">;

/**
 * Signs the access token of one rotation of a sign-in: a JWT (RFC 7519, HS256) with the installation as `sub` and the
 * family as `sid`, for this backend only. The result depends only on the arguments and the key, so that a repeated
 * rotation returns the same token.
 */
export async function signAccessToken(
  ports: TokenPorts,
  rotation: { installationId: string; familyId: string; sequence: number; issuedAt: Date },
): Promise<string> {
  const [{ id: kid, key }] = ports.keys.signing;
  const issued = Math.floor(rotation.issuedAt.getTime() / 1000);
  return new SignJWT({ sid: rotation.familyId })
    .setProtectedHeader({ alg: "HS256", typ: "JWT", kid })
    .setIssuer(ISSUER)
    .setAudience(getAudience(ports))
    .setSubject(rotation.installationId)
    .setJti(`${rotation.familyId}.${rotation.sequence}`)
    .setIssuedAt(issued)
    .setExpirationTime(issued + LIFETIME_SECONDS)
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
): Promise<{ installationId: string; familyId: string }> {
  try {
    const { payload } = await jwtVerify(token, getKey(ports.keys), {
      algorithms: ["HS256"],
      issuer: ISSUER,
      audience: getAudience(ports),
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

/** Returns the audience of this backend's tokens. The port of a local backend may change. */
function getAudience({ publicUrl, localSecret }: TokenPorts): string {
  return localSecret === undefined ? new URL(publicUrl).origin : "embedded";
}

function getKey({ signing }: BackendPorts["keys"]): (header: JWTHeaderParameters) => Uint8Array {
  return ({ kid }) => {
    const found = signing.find(({ id }) => id === kid);
    if (!found) throw new errors.JWTInvalid("unknown key");
    return found.key;
  };
}
