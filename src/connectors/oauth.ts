/** How a provider implements OAuth 2.0 (RFC 6749), as data. Each service file names the provider's documentation. */
export type OAuth = {
  /** Services of one provider share accounts and client IDs: `atlassian`. */
  provider: string;
  scopes: string[];
  /** Name of the parameter for scopes, if it is not `scope`. */
  scopeParameter?: string;
  /** Separator between scopes, if it is not a space. */
  scopeSeparator?: string;
  /**
   * Field of the token response that holds the user's tokens, for providers that return several kinds (Slack's
   * `authed_user`).
   */
  tokensIn?: string;
  /** Additional parameters of the authorization request: `audience`, `prompt`, `access_type`. */
  authorizeParams?: Record<string, string>;
  /** Additional parameters of token requests: `resource` (RFC 8707). */
  tokenParams?: Record<string, string>;
  /** Whether the provider supports the S256 challenge (RFC 7636). */
  pkce: boolean;
  /** How the client authenticates at the token endpoint. */
  clientAuth: "client_secret_post" | "client_secret_basic" | "none";
  /**
   * `rotating`: each refresh replaces the refresh token. `stable`: the refresh token stays valid. `none`: there is no
   * refresh token; an expired connection needs a new consent.
   */
  refresh: "rotating" | "stable" | "none";
  /** Encoding of token requests; form encoding (RFC 6749) if omitted. */
  tokenBody?: "json";
  /** How the provider revokes tokens at its endpoint `revoke`. Without it, the provider cannot. */
  revocation?: Revocation;
  /** The page where users remove kay's access to their account, or the one that explains how. */
  accessPage?: string;
  /** Error codes of the token endpoint, besides `invalid_grant`, that mean the grant is permanently invalid. */
  goneErrors?: string[];
};

/**
 * A provider's way to revoke. `rfc7009`: a form with the token and the client's credentials. `bearer`: the token itself
 * makes the request (Slack). `github`: DELETE with the token in a JSON body.
 */
type Revocation = {
  style: "rfc7009" | "bearer" | "github";
  /**
   * What one request ends: the consent that the token came from, or all that the account ever gave to the client.
   * `github` ends either.
   */
  covers: "consent" | "account";
};

/** A client registered with a provider. Secrets stay in memory and in the operator's configuration. */
export type OAuthClient = { id: string; secret?: string };

/** The account that consented, and what the connection is bound to. */
export type Identity = {
  /** The provider's ID of the account. Two connections with the same ID are the same account. */
  accountId: string;
  /** Shown as `user` in `GET /connections` (docs/protocol.md). */
  user: Record<string, unknown>;
  /** Shown as `metadata`. Holds what tools need to address requests (`url`, `cloud_id`, `workspace_id`). */
  metadata: Record<string, unknown>;
  /** Set if the token opens several sites and the user must choose one. `metadata` then belongs to no site. */
  sites?: Site[];
};

/** One of the sites that a token opens (Atlassian's accessible resources). */
export type Site = { id: string; name: string; url: string; scopes: string[]; metadata: Record<string, unknown> };

/** The account and site of a connection: `id` is unique, `words` is its display name. */
export type Account = { id: string; words: string };
