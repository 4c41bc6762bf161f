import { errors, type JWTHeaderParameters, jwtVerify, SignJWT } from "jose";
import { Problem } from "#protocol/errors";
import type { BackendPorts } from "../ports.ts";

/** Lifetime of an access token (guide: "Session tokens expire in 30 minutes"). */
const LIFETIME_SECONDS = 30 * 60;

const ISSUER = "kay";

/**
 * The access token that belongs to one link of a sign-in's chain: a JWT (RFC 7519, HS256), `sub` the installation, `sid` the family.
 * It depends on nothing but its arguments and the key, so that a repeated rotation hands out the very same one.
 */
export async function signAccessToken(
  keys: BackendPorts["keys"],
  link: { installationId: string; familyId: string; sequence: number; issuedAt: Date },
): Promise<string> {
  const [{ id: kid, key }] = keys.signing;
  const issued = Math.floor(link.issuedAt.getTime() / 1000);
  return new SignJWT({ sid: link.familyId })
    .setProtectedHeader({ alg: "HS256", typ: "JWT", kid })
    .setIssuer(ISSUER)
    .setSubject(link.installationId)
    .setJti(`${link.familyId}.${link.sequence}`)
    .setIssuedAt(issued)
    .setExpirationTime(issued + LIFETIME_SECONDS)
    .sign(key);
}

/**
 * Check an access token by itself, with the key that it names; whether its sign-in still lives is for `authenticate`.
 *
 * @throws Problem TOKEN_EXPIRED, TOKEN_INVALID
 */
export async function verifyAccessToken(
  ports: Pick<BackendPorts, "keys" | "clock">,
  token: string,
): Promise<{ installationId: string; familyId: string }> {
  try {
    const { payload } = await jwtVerify(token, getKey(ports.keys), {
      algorithms: ["HS256"],
      issuer: ISSUER,
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

function getKey({ signing }: BackendPorts["keys"]): (header: JWTHeaderParameters) => Uint8Array {
  return ({ kid }) => {
    const found = signing.find(({ id }) => id === kid);
    if (!found) throw new errors.JWTInvalid("unknown key");
    return found.key;
  };
}
