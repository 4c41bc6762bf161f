import { createHash, timingSafeEqual } from "node:crypto";

/** Returns the SHA-256 by which a secret of full entropy is stored and looked up, so that a copy of the database opens nothing. */
export function hashSecret(secret: string): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Compares two secrets of any length in constant time. */
export function compareSecrets(given: string, expected: string): boolean {
  return timingSafeEqual(hashSecret(given), hashSecret(expected));
}
