import { createCipheriv, createDecipheriv } from "node:crypto";
import { Problem } from "#protocol/errors";
import type { SignIn } from "./credentials.ts";

/** Sign-ins of a profile by backend origin. */
export type SignInsByOrigin = Record<string, SignIn>;

/** Version of the file format. */
export const ENVELOPE_FORMAT = 1;

/** Content of a profile's file. It includes the mode, so that a chosen mode persists. */
export type Envelope =
  | { mode: "file"; generation: number; origins: SignInsByOrigin }
  | { mode: "keychain"; generation: number; nonce: string; sealed: string };

/**
 * Parses the bytes of a profile's file. A UTF-8 byte order mark is allowed.
 *
 * @returns null if the file is damaged: empty, truncated, zeros, or other JSON
 * @throws Problem STORE_UNREADABLE for an intact file that kay cannot read: UTF-16, or a newer format
 */
export function parseEnvelope(bytes: Buffer, path: string): Envelope | null {
  if (isUtf16(bytes)) {
    throw new Problem("STORE_UNREADABLE", `${path} is encoded as UTF-16, which kay cannot read.`, {
      hint: "Save it as UTF-8. Nothing was changed.",
      details: { path },
    });
  }
  const value = toRecord(tryParseJson(bytes));
  if (!value || typeof value.kay !== "number" || !Number.isSafeInteger(value.generation)) return null;
  if (value.kay > ENVELOPE_FORMAT) {
    throw new Problem("STORE_UNREADABLE", `${path} was written by a newer kay.`, {
      hint: "Update kay, or use another profile with `--profile <name>`.",
      details: { path },
    });
  }
  const generation = Number(value.generation);
  if (value.mode === "keychain" && typeof value.nonce === "string" && typeof value.sealed === "string") {
    return { mode: "keychain", generation, nonce: value.nonce, sealed: value.sealed };
  }
  const origins = value.mode === "file" ? parseSignIns(value.origins) : null;
  return origins && { mode: "file", generation, origins };
}

/** Formats the content of a profile's file. */
export function formatEnvelope(envelope: Envelope): string {
  return `${JSON.stringify({ kay: ENVELOPE_FORMAT, ...envelope }, null, 2)}\n`;
}

/** Removes empty and invalid values from a sign-in, including the words "undefined" and "null". Unknown fields stay. */
export function normalizeSignIn(value: Record<string, unknown>): SignIn {
  const signIn: Record<string, unknown> = { ...value };
  for (const field of ["session_id", "account_id"]) if (!isSecret(signIn[field])) delete signIn[field];
  for (const field of ["token", "refresh_token"]) if (!isToken(signIn[field])) delete signIn[field];
  if (!Number.isFinite(signIn.clock_offset_ms)) delete signIn.clock_offset_ms;
  if (!Array.isArray(signIn.first)) delete signIn.first;
  if (!Array.isArray(signIn.begun)) delete signIn.begun;
  if (!toRecord(signIn.accounts) || !Object.values(signIn.accounts ?? {}).every((field) => typeof field === "string"))
    delete signIn.accounts;
  return signIn;
}

/** Whether a value can be a token or an ID. */
function isSecret(value: unknown): value is string {
  return typeof value === "string" && !["", "undefined", "null"].includes(value.trim());
}

/** Whether a value can be a token that fits in a header. Any other would lock out the user. */
export function isToken(value: unknown): value is string {
  return isSecret(value) && /^[\x21-\x7e]+$/.test(value);
}

/**
 * Whether the text is UTF-16, with or without a byte order mark: JSON starts with an ASCII character, so a zero byte
 * beside it shows.
 */
function isUtf16(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes;
  if (bytes.length < 2) return false;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (first === 0) !== (second === 0);
}

function tryParseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Parses sign-ins by origin; null for any other value. */
export function parseSignIns(value: unknown): SignInsByOrigin | null {
  const record = toRecord(value);
  if (!record) return null;
  const origins: SignInsByOrigin = {};
  for (const [origin, item] of Object.entries(record)) {
    const signIn = toRecord(item);
    if (!signIn) return null;
    origins[origin] = normalizeSignIn(signIn);
  }
  return origins;
}

function toRecord(value: unknown): Record<string, unknown> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return value as Record<string, unknown>;
}

/**
 * Encrypts sign-ins with AES-256-GCM. `nonce` is 12 bytes and must be unique per key (NIST SP 800-38D). The generation
 * is authenticated.
 */
export function seal(key: Uint8Array, nonce: Uint8Array, generation: number, origins: SignInsByOrigin): Envelope {
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(getAuthenticatedData(generation));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(origins)), cipher.final(), cipher.getAuthTag()]);
  return {
    mode: "keychain",
    generation,
    nonce: Buffer.from(nonce).toString("base64"),
    sealed: sealed.toString("base64"),
  };
}

/** Decrypts what {@link seal} encrypted. Returns null if the key differs or the file was changed. */
export function unseal(key: Uint8Array, envelope: Extract<Envelope, { mode: "keychain" }>): SignInsByOrigin | null {
  try {
    const sealed = Buffer.from(envelope.sealed, "base64");
    const nonce = Buffer.from(envelope.nonce, "base64");
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(getAuthenticatedData(envelope.generation)).setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
    return parseSignIns(JSON.parse(text.toString("utf8")));
  } catch {
    return null;
  }
}

const TAG_BYTES = 16;

function getAuthenticatedData(generation: number): Buffer {
  return Buffer.from(`kay/${ENVELOPE_FORMAT}/keychain/${generation}`);
}
