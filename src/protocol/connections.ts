import * as z from "zod/mini";

/**
 * Bodies for signing in and connecting (docs/protocol.md, "Connecting"). Objects are loose: unknown fields pass
 * through.
 */

const text = z.string().check(z.minLength(1));

/** Body of `POST /connections/connect?service=`. All fields are optional. */
export const ConnectRequest = z.looseObject({
  /** The installation (`kaysession_…`). */
  session_id: z.optional(z.nullable(z.string())),
  /** S256 challenge (RFC 7636). Status calls must then send the verifier in `Kay-Verifier`. */
  code_challenge: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/))),
  /** Request new tokens for this installation, because the client lost its own. */
  needs_tokens: z.optional(z.boolean()),
  /** Which Atlassian site to use, by name or URL. */
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
  /** Code that the page behind the URL shows too, so that the user can compare them. */
  user_code: z.optional(z.string()),
  /** The URL is a page to paste a key, token or password, not a consent page. */
  pasted: z.optional(z.boolean()),
  /** When the state expires, in ISO 8601. kay's backends use ten minutes. */
  expires_at: z.optional(z.string()),
});
export type ConnectResponse = z.infer<typeof ConnectResponse>;

/**
 * Answer of `GET /auth/status/:state`. `completed` includes tokens only if the installation had no valid sign-in or the
 * client requested them. `denied`, `failed` and `expired` are kay's additions.
 */
export const StatusResponse = z.looseObject({
  status: z.enum(["pending", "completed", "denied", "failed", "expired"]),
  message: z.optional(z.string()),
  /** What to do about a failure. */
  hint: z.optional(z.string()),
  account_id: z.optional(z.string()),
  token: z.optional(z.string()),
  refresh_token: z.optional(z.string()),
  /** Error code, if known. SITE_REQUIRED comes with `sites`. */
  code: z.optional(z.string()),
  sites: z.optional(z.array(z.looseObject({ name: z.string(), url: z.string() }))),
});
export type StatusResponse = z.infer<typeof StatusResponse>;

/** The user behind a connection. The fields vary by provider. */
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

/** The site or workspace of the account. The fields vary by provider, and more may follow. */
const ConnectionMetadata = z.looseObject({
  /** URL of the site or workspace. */
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
  /** Why a former connection ended, such as "revoked at Atlassian on …". */
  reason: z.optional(z.string()),
});
export type Connection = z.infer<typeof Connection>;

/** Answer of `GET /connections`. The list is open: clients show every service that the backend names. */
export const ConnectionsResponse = z.looseObject({ connections: z.record(z.string(), Connection) });
export type ConnectionsResponse = z.infer<typeof ConnectionsResponse>;

/** Body of `POST /connections/disconnect?service=`. The session ID is optional with a bearer token. */
export const DisconnectRequest = z.looseObject({ session_id: z.optional(z.nullable(z.string())) });

/** What became of the access at the service after kay deleted its tokens. */
export const RevocationReport = z.looseObject({
  /**
   * `shared`: revoking would end other connections too. `unsupported`: the service cannot revoke. `failed`: it did not
   * confirm it in time.
   */
  status: z.enum(["revoked", "shared", "unsupported", "failed"]),
  /** What the user should know. Absent if the access was revoked. */
  message: z.optional(z.string()),
  /** Page where the user removes the access, or that explains how. */
  page: z.optional(z.string()),
});
export type RevocationReport = z.infer<typeof RevocationReport>;

/** Answer of `POST /connections/disconnect`. */
export const DisconnectResponse = z.looseObject({
  service: text,
  connected: z.boolean(),
  message: z.optional(z.string()),
  /** Absent if there was nothing to revoke. */
  revocation: z.optional(RevocationReport),
});
export type DisconnectResponse = z.infer<typeof DisconnectResponse>;

/** Body of `POST /auth/logout`. Without one, the connections stay. */
export const LogoutRequest = z.looseObject({ disconnect: z.optional(z.boolean()) });

/** Answer of `POST /auth/logout`. */
export const LogoutResponse = z.looseObject({
  message: z.optional(z.string()),
  /** What became of the access at each service, if the client asked to disconnect them. */
  revocations: z.optional(z.record(z.string(), RevocationReport)),
});
export type LogoutResponse = z.infer<typeof LogoutResponse>;

/** Body of `POST /auth/refresh`. */
export const RefreshRequest = z.looseObject({ refresh_token: text });

/** Answer of `POST /auth/refresh`. Some backends omit the refresh token if it stays the same. */
export const RefreshResponse = z.looseObject({
  token: text,
  refresh_token: z.optional(z.nullable(z.string())),
  message: z.optional(z.string()),
});
export type RefreshResponse = z.infer<typeof RefreshResponse>;
