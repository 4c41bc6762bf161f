import { createCipheriv, createDecipheriv } from "node:crypto";
import { Problem } from "#protocol/errors";
import type { SignIn } from "./credentials.ts";

/** The sign-ins of a profile by backend origin. */
export type SignInsByOrigin = Record<string, SignIn>;

/** The format of the file. */
export const ENVELOPE_FORMAT = 1;

/** What the file of a profile holds: its mode is part of it, so that a mode once chosen stays chosen. */
export type Envelope =
  | { mode: "file"; generation: number; origins: SignInsByOrigin }
  | { mode: "keychain"; generation: number; nonce: string; sealed: string };

/**
 * Read the bytes of a profile's file. A UTF-8 byte order mark is allowed.
 *
 * @returns null when they are broken: empty, cut, zeros, or some other JSON
 * @throws Problem STORE_UNREADABLE for what is not broken but not ours to read: UTF-16, or a newer kay's format
 */
export function parseEnvelope(bytes: Buffer, path: string): Envelope | null {
  if (isUtf16(bytes)) {
    throw new Problem("STORE_UNREADABLE", `${path} is saved as UTF-16, which kay does not read.`, {
      hint: "Save it as UTF-8; nothing was changed.",
      details: { path },
    });
  }
  const value = asRecord(parse(bytes));
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

/** The text of a profile's file. */
export function formatEnvelope(envelope: Envelope): string {
  return `${JSON.stringify({ kay: ENVELOPE_FORMAT, ...envelope }, null, 2)}\n`;
}

/** A sign-in without empty values, and never with the words "undefined" and "null" in place of one; what else it has is left as it is. */
export function normalizeSignIn(value: Record<string, unknown>): SignIn {
  const signIn: Record<string, unknown> = { ...value };
  for (const field of ["session_id", "account_id"]) if (!isSecret(signIn[field])) delete signIn[field];
  for (const field of ["token", "refresh_token"]) if (!isToken(signIn[field])) delete signIn[field];
  if (!Number.isFinite(signIn.clock_offset_ms)) delete signIn.clock_offset_ms;
  if (!Array.isArray(signIn.begun)) delete signIn.begun;
  if (!asRecord(signIn.accounts) || !Object.values(signIn.accounts ?? {}).every((each) => typeof each === "string"))
    delete signIn.accounts;
  return signIn;
}

/** Whether a value of an answer can be a token or an id at all. */
function isSecret(value: unknown): value is string {
  return typeof value === "string" && !["", "undefined", "null"].includes(value.trim());
}

/** Whether it can be a token: a secret that can stand in a header (case A29). One that cannot would lock its owner out. */
export function isToken(value: unknown): value is string {
  return isSecret(value) && /^[\x21-\x7e]+$/.test(value);
}

/** With its mark, or without it: JSON begins with an ASCII character, so one zero byte beside it tells. */
function isUtf16(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes;
  if (bytes.length < 2) return false;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (first === 0) !== (second === 0);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** Sign-ins by origin out of JSON; null when it is something else. */
export function parseSignIns(value: unknown): SignInsByOrigin | null {
  const record = asRecord(value);
  if (!record) return null;
  const origins: SignInsByOrigin = {};
  for (const [origin, each] of Object.entries(record)) {
    const signIn = asRecord(each);
    if (!signIn) return null;
    origins[origin] = normalizeSignIn(signIn);
  }
  return origins;
}

function asRecord(value: unknown): Record<string, unknown> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  return value as Record<string, unknown>;
}

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
