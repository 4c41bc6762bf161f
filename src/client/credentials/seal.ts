import { createCipheriv, createDecipheriv } from "node:crypto";
import { ENVELOPE_FORMAT, type Envelope, parseSignIns, type SignInsByOrigin } from "./envelope.ts";

/** Seal sign-ins with AES-256-GCM. `nonce` is 12 bytes, never used twice with one key (NIST SP 800-38D); the generation is authenticated. */
export function seal(key: Uint8Array, nonce: Uint8Array, generation: number, origins: SignInsByOrigin): Envelope {
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(boundTo(generation));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(origins)), cipher.final(), cipher.getAuthTag()]);
  return {
    mode: "keychain",
    generation,
    nonce: Buffer.from(nonce).toString("base64"),
    sealed: sealed.toString("base64"),
  };
}

/** Open what {@link seal} sealed. Returns null when the key is another one or the file was changed. */
export function unseal(key: Uint8Array, envelope: Extract<Envelope, { mode: "keychain" }>): SignInsByOrigin | null {
  try {
    const sealed = Buffer.from(envelope.sealed, "base64");
    const nonce = Buffer.from(envelope.nonce, "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(boundTo(envelope.generation)).setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
    return parseSignIns(JSON.parse(text.toString("utf8")));
  } catch {
    return null;
  }
}

const TAG_BYTES = 16;

function boundTo(generation: number): Buffer {
  return Buffer.from(`kay/${ENVELOPE_FORMAT}/keychain/${generation}`);
}
