import * as z from "zod/mini";

/**
 * Bodies for signing in and connecting (docs/protocol.md, "Connecting"). Objects are loose: unknown fields pass
 * through.
 */

const text = z.string().check(z.minLength(1));
// Shared, because every schema costs time at the start of a command.
const optionalText = z.optional(z.string());
const maybeText = z.optional(z.nullable(z.string()));

/** Body of `POST /connections/connect?service=`. All fields are optional. */
export const ConnectRequest = z.looseObject({
  /** The installation (`kaysession_…`). */
  session_id: maybeText,
  /** S256 challenge (RFC 7636). Status calls must then send the verifier in `Kay-Verifier`. */
  code_challenge: z.optional(z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/))),
  /** Request new tokens for this installation, because the client lost its own. */
  needs_tokens: z.optional(z.boolean()),
  /** Which Atlassian site to use, by name or URL. */
  site: optionalText,
});
export type ConnectRequest = z.infer<typeof ConnectRequest>;

/** Answer of `POST /connections/connect`. */
export const ConnectResponse = z.looseObject({
  service: text,
  session_id: text,
  authorization_url: text,
  state: text,
  message: optionalText,
  session_reset: z.optional(z.boolean()),
  /** Code that the page behind the URL shows too, so that the user can compare them. */
  user_code: optionalText,
  /** The URL is a page to paste a key, token or password, not a consent page. */
  pasted: z.optional(z.boolean()),
  /** Present if the service needs neither a consent nor a secret: whether it is connected now. The URL need not be opened. */
  connected: z.optional(z.boolean()),
  /** When the state expires, in ISO 8601. kay's backends use ten minutes. */
  expires_at: optionalText,
});
export type ConnectResponse = z.infer<typeof ConnectResponse>;

/**
 * Answer of `GET /auth/status/:state`. `completed` includes tokens only if the installation had no valid sign-in or the
 * client requested them. `denied`, `failed` and `expired` are kay's additions.
 */
export const StatusResponse = z.looseObject({
  status: z.enum(["pending", "completed", "denied", "failed", "expired"]),
  message: optionalText,
  /** What to do about a failure. */
  hint: optionalText,
  account_id: optionalText,
  token: optionalText,
  refresh_token: optionalText,
  /** Error code, if known. SITE_REQUIRED comes with `sites`. */
  code: optionalText,
  sites: z.optional(z.array(z.looseObject({ name: z.string(), url: z.string() }))),
});
export type StatusResponse = z.infer<typeof StatusResponse>;

/** The user behind a connection. The fields vary by provider. */
const ConnectionUser = z.looseObject({
  account_id: maybeText,
  name: maybeText,
  email: maybeText,
  username: maybeText,
  display_name: maybeText,
  picture: maybeText,
  avatar_url: maybeText,
  account_type: maybeText,
  account_status: maybeText,
});

/** The site or workspace of the account. The fields vary by provider, and more may follow. */
const ConnectionMetadata = z.looseObject({
  /** URL of the site or workspace. */
  url: maybeText,
  site: maybeText,
  cloud_id: maybeText,
  workspace: maybeText,
  workspace_name: maybeText,
  workspace_id: maybeText,
  team_id: maybeText,
  user_id: maybeText,
  bot_id: maybeText,
  portal: maybeText,
  portal_id: maybeText,
  owner_id: maybeText,
  currency: maybeText,
});

/** One service in the answer of `GET /connections`. */
export const Connection = z.looseObject({
  connected: z.boolean(),
  user: z.optional(z.nullable(ConnectionUser)),
  metadata: z.optional(z.nullable(ConnectionMetadata)),
  /** Why a former connection ended, such as "revoked at Atlassian on …". */
  reason: optionalText,
});
export type Connection = z.infer<typeof Connection>;

/** Answer of `GET /connections`. The list is open: clients show every service that the backend names. */
export const ConnectionsResponse = z.looseObject({ connections: z.record(z.string(), Connection) });
export type ConnectionsResponse = z.infer<typeof ConnectionsResponse>;

/** Body of `POST /connections/disconnect?service=`. The session ID is optional with a bearer token. */
export const DisconnectRequest = z.looseObject({ session_id: maybeText });

/** What became of the access at the service after kay deleted its tokens. */
export const RevocationReport = z.looseObject({
  /**
   * `shared`: revoking would end other connections too. `unsupported`: the service cannot revoke. `failed`: it did not
   * confirm it in time.
   */
  status: z.enum(["revoked", "shared", "unsupported", "failed"]),
  /** What the user should know. Absent if the access was revoked. */
  message: optionalText,
  /** Page where the user removes the access, or that explains how. */
  page: optionalText,
});
export type RevocationReport = z.infer<typeof RevocationReport>;

/** Answer of `POST /connections/disconnect`. */
export const DisconnectResponse = z.looseObject({
  service: text,
  connected: z.boolean(),
  message: optionalText,
  /** Absent if there was nothing to revoke. */
  revocation: z.optional(RevocationReport),
});
export type DisconnectResponse = z.infer<typeof DisconnectResponse>;

/** Body of `POST /auth/logout`. Without one, the connections stay. */
export const LogoutRequest = z.looseObject({ disconnect: z.optional(z.boolean()) });

/** Answer of `POST /auth/logout`. */
export const LogoutResponse = z.looseObject({
  message: optionalText,
  /** What became of the access at each service, if the client asked to disconnect them. */
  revocations: z.optional(z.record(z.string(), RevocationReport)),
});
export type LogoutResponse = z.infer<typeof LogoutResponse>;

/** Body of `POST /auth/refresh`. */
export const RefreshRequest = z.looseObject({ refresh_token: text });

/** Answer of `POST /auth/refresh`. Some backends omit the refresh token if it stays the same. */
export const RefreshResponse = z.looseObject({
  token: text,
  refresh_token: maybeText,
  message: optionalText,
});
export type RefreshResponse = z.infer<typeof RefreshResponse>;
