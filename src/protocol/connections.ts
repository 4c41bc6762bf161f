import * as z from "zod/mini";

/**
 * Bodies of signing in and connecting (guide, "Service Connection Flow"; protocol section 1). Objects are loose: fields that a newer
 * or older side does not know pass through unchanged.
 */

const text = z.string().check(z.minLength(1));

/** Body of `POST /connections/connect?service=`. All fields are optional; a guide-only client sends `{}` or `session_id`. */
export const ConnectRequest = z.looseObject({
  /** The installation, `kaysession_…`. */
  session_id: z.optional(z.nullable(z.string())),
  /** S256 challenge (RFC 7636) whose verifier the status call must then carry in `Kay-Verifier`. */
  code_challenge: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/))),
  /** The client lost its tokens and wants new ones for this installation. */
  needs_tokens: z.optional(z.boolean()),
  /** Which site of several to use (Atlassian), by name or URL. */
  site: z.optional(z.string()),
});
export type ConnectRequest = z.infer<typeof ConnectRequest>;

/** Answer of `POST /connections/connect`. */
export const ConnectResponse = z.looseObject({
  service: text,
  session_id: text,
  authorization_url: text,
  state: text,
  message: z.optional(z.string()),
  session_reset: z.optional(z.boolean()),
  /** kay's addition: the address is a page where a key, token or password is pasted, not one where access is allowed. */
  pasted: z.optional(z.boolean()),
  /** ISO 8601; kay's own backends say when the state dies (10 minutes). */
  expires_at: z.optional(z.string()),
});
export type ConnectResponse = z.infer<typeof ConnectResponse>;

/**
 * Answer of `GET /auth/status/:state`. `completed` carries the tokens only when the installation had no live sign-in (or the client
 * asked for them); `denied`, `failed` and `expired` are kay's additions to the guide.
 */
export const StatusResponse = z.looseObject({
  status: z.enum(["pending", "completed", "denied", "failed", "expired"]),
  message: z.optional(z.string()),
  account_id: z.optional(z.string()),
  token: z.optional(z.string()),
  refresh_token: z.optional(z.string()),
  /** Why it failed, when the table has a code for it (SITE_REQUIRED with `sites`). */
  code: z.optional(z.string()),
  sites: z.optional(z.array(z.looseObject({ name: z.string(), url: z.string() }))),
});
export type StatusResponse = z.infer<typeof StatusResponse>;

/** The person behind a connection; providers differ in which fields they have. */
const ConnectionUser = z.looseObject({
  account_id: z.optional(z.nullable(z.string())),
  name: z.optional(z.nullable(z.string())),
  email: z.optional(z.nullable(z.string())),
  username: z.optional(z.nullable(z.string())),
  display_name: z.optional(z.nullable(z.string())),
  picture: z.optional(z.nullable(z.string())),
  avatar_url: z.optional(z.nullable(z.string())),
  account_type: z.optional(z.nullable(z.string())),
  account_status: z.optional(z.nullable(z.string())),
});

/** Where the account works; providers differ in which fields they have, and others than these may come. */
const ConnectionMetadata = z.looseObject({
  /** Address of the site or workspace. */
  url: z.optional(z.nullable(z.string())),
  site: z.optional(z.nullable(z.string())),
  cloud_id: z.optional(z.nullable(z.string())),
  workspace: z.optional(z.nullable(z.string())),
  workspace_name: z.optional(z.nullable(z.string())),
  workspace_id: z.optional(z.nullable(z.string())),
  team_id: z.optional(z.nullable(z.string())),
  user_id: z.optional(z.nullable(z.string())),
  bot_id: z.optional(z.nullable(z.string())),
  portal: z.optional(z.nullable(z.string())),
  portal_id: z.optional(z.nullable(z.string())),
  owner_id: z.optional(z.nullable(z.string())),
  currency: z.optional(z.nullable(z.string())),
});

/** One service in the answer of `GET /connections`. */
export const Connection = z.looseObject({
  connected: z.boolean(),
  user: z.optional(z.nullable(ConnectionUser)),
  metadata: z.optional(z.nullable(ConnectionMetadata)),
  /** kay's addition: why a connection that was there is not any more ("revoked at Atlassian on …"). */
  reason: z.optional(z.string()),
});
export type Connection = z.infer<typeof Connection>;

/** Answer of `GET /connections`. The list of services is open: whatever the backend names is shown. */
export const ConnectionsResponse = z.looseObject({ connections: z.record(z.string(), Connection) });
export type ConnectionsResponse = z.infer<typeof ConnectionsResponse>;

/** Body of `POST /connections/disconnect?service=`. With a bearer token the session id may be left out. */
export const DisconnectRequest = z.looseObject({ session_id: z.optional(z.nullable(z.string())) });

/** Answer of `POST /connections/disconnect`. */
export const DisconnectResponse = z.looseObject({
  service: text,
  connected: z.boolean(),
  message: z.optional(z.string()),
});
export type DisconnectResponse = z.infer<typeof DisconnectResponse>;

/** Body of `POST /auth/refresh`. */
export const RefreshRequest = z.looseObject({ refresh_token: text });

/** Answer of `POST /auth/refresh`. Some backends leave the refresh token out when it stays the same (case A29). */
export const RefreshResponse = z.looseObject({
  token: text,
  refresh_token: z.optional(z.nullable(z.string())),
  message: z.optional(z.string()),
});
export type RefreshResponse = z.infer<typeof RefreshResponse>;
