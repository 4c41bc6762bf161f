import * as z from "zod/mini";

/** Bodies of `/auth/tokens` (docs/protocol.md, "Script tokens"). Objects are loose: unknown fields pass through. */

/** How many days a script token lasts, and how many a user may have at a time. */
export const SCRIPT_TOKEN_LIMITS = { defaultDays: 90, mostDays: 366, most: 50 };

/** Body of `POST /auth/tokens`. */
export const ScriptTokenRequest = z.looseObject({
  name: z.string().check(z.minLength(1), z.maxLength(100)),
  /** Default: 90. */
  expires_in_days: z.optional(z.int().check(z.minimum(1), z.maximum(SCRIPT_TOKEN_LIMITS.mostDays))),
});
export type ScriptTokenRequest = z.infer<typeof ScriptTokenRequest>;

/** A script token without its secret. */
export const ScriptTokenView = z.looseObject({
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  expires_at: z.string(),
  /** At most an hour older than the last use; null before the first one. */
  last_used_at: z.nullable(z.string()),
});
export type ScriptTokenView = z.infer<typeof ScriptTokenView>;

/** Answer of `POST /auth/tokens`, the only one with the token itself. */
export const CreatedScriptToken = z.extend(ScriptTokenView, { token: z.string() });
export type CreatedScriptToken = z.infer<typeof CreatedScriptToken>;

/** Answer of `GET /auth/tokens`: tokens that are not revoked, oldest first. */
export const ScriptTokensResponse = z.looseObject({ tokens: z.array(ScriptTokenView) });
