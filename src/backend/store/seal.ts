import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { Problem } from "#protocol/errors";
import { getKeyObject, type Keys } from "./keys.ts";

const VERSION = 1;
const NONCE = 12;
const TAG = 16;

/**
 * Encrypts a value with the first encryption key (AES-256-GCM, NIST SP 800-38D).
 *
 * The result is: format version (1 byte), length of the key's id (1 byte), the id, nonce (12), tag (16), ciphertext.
 *
 * @param context says which row and column the value belongs to (`grants/<installation>/<service>`); only the same
 * context opens it again, so a sealed value cannot be moved to another row
 */
export function seal(keys: Keys["sealing"], context: string, plain: string | Uint8Array): Buffer {
  const [first] = keys;
  if (first === undefined) throw new TypeError("there is no sealing key");
  const id = Buffer.from(first.id, "utf8");
  const head = Buffer.concat([Buffer.from([VERSION, id.length]), id]);
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv("aes-256-gcm", getKeyObject(first.key), nonce, { authTagLength: TAG });
  cipher.setAAD(joinAdditionalData(head, context));
  const text = Buffer.concat([
    cipher.update(typeof plain === "string" ? Buffer.from(plain, "utf8") : plain),
    cipher.final(),
  ]);
  return Buffer.concat([head, nonce, cipher.getAuthTag(), text]);
}

/**
 * Decrypts a value of {@link seal} for this context. Throws STORE_UNREADABLE for anything else, or if its key is
 * missing.
 */
export function unseal(keys: Keys["sealing"], context: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const headLength = 2 + (bytes[1] ?? 0);
  if (bytes[0] !== VERSION || bytes.length < headLength + NONCE + TAG) throw createUnreadableProblem("it is damaged");
  const head = bytes.subarray(0, headLength);
  const id = head.toString("utf8", 2);
  const key = keys.find((candidate) => candidate.id === id);
  if (key === undefined) throw createUnreadableProblem("the key it was sealed with is not among the backend's keys");
  const textStart = headLength + NONCE + TAG;
  const nonce = bytes.subarray(headLength, headLength + NONCE);
  const decipher = createDecipheriv("aes-256-gcm", getKeyObject(key.key), nonce, { authTagLength: TAG });
  decipher.setAAD(joinAdditionalData(head, context));
  decipher.setAuthTag(bytes.subarray(headLength + NONCE, textStart));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(textStart)), decipher.final()]);
  } catch (cause) {
    throw createUnreadableProblem("it is damaged, or was sealed for another place", cause);
  }
}

/** The head contains its own length, so no other pair of head and context has the same bytes. */
function joinAdditionalData(head: Buffer, context: string): Buffer {
  return Buffer.concat([head, Buffer.from(context, "utf8")]);
}

function createUnreadableProblem(reason: string, cause?: unknown): Problem {
  return new Problem("STORE_UNREADABLE", `A stored secret cannot be opened: ${reason}.`, {
    cause,
    hint: "Restore the backend's previous keys, or connect the service again.",
  });
}
