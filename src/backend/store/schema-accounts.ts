import type { MaybeTime, Time } from "./column-types.ts";

/**
 * One sign-in: the chain of refresh tokens that rotate into each other. `expires_at` is the end after 30 days, which no
 * rotation extends.
 */
export type Families = {
  id: string;
  installation_id: string;
  created_at: Time;
  expires_at: Time;
  revoked_at: MaybeTime;
  revoked_reason: string | null;
};

/** `hash` is SHA-256 of the token. `spent_at` is set by its rotation; the successor is derived, not stored (`accounts/rotation.ts`). */
export type RefreshTokens = {
  hash: Buffer;
  family_id: string;
  sequence: number;
  issued_at: Time;
  expires_at: Time;
  spent_at: MaybeTime;
};

/** A script token. It outlives the sign-in that created it. */
export type ScriptTokens = {
  id: string;
  installation_id: string;
  name: string;
  /** SHA-256 of its secret. */
  secret_hash: Buffer;
  created_at: Time;
  expires_at: Time;
  /** Its last use, at most an hour too early. */
  used_at: MaybeTime;
  revoked_at: MaybeTime;
};
