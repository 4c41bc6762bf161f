import type { Hono } from "hono";
import type * as z from "zod/mini";

/**
 * One provider that the sandbox stands in for: its OAuth as data, its world, and its API as routes. The consent page,
 * the token endpoint, faults, the request log and the controls are written once, around it. A new provider is one
 * folder and one line in `seed.ts`.
 */
export type Provider<World> = {
  /** Key in seeds and of the origin: `atlassian`. */
  name: string;
  /** Display name on the consent page: `Atlassian`. */
  title: string;
  oauth: OAuthTraits;
  /** Shape of the provider's part of a seed, in the service's own words. */
  seed: z.ZodMiniType<unknown>;
  /** The built-in world, as a seed. */
  builtIn: unknown;
  /**
   * Fills in what a seed leaves out. The result must itself be a seed, so that saved state can be loaded again.
   * @param now in ms, for relative times ("-3d")
   * @throws SeedError with the place of an invalid value
   */
  build(data: unknown, now: number): World;
  /** Accounts that can consent; the page preselects the first. */
  accounts(world: World): Account[];
  /** Adds the API to the origin's app. */
  routes(app: Hono<SandboxEnv>, provider: ProviderContext<World>): void;
};

/** An account that can consent. */
export type Account = { id: string; name: string; email: string };

/** How a provider implements OAuth 2 (RFC 6749). Sources are next to the data. */
export type OAuthTraits = {
  authorizePath: string;
  tokenPath: string;
  /** Older paths of the same token endpoint that still answer: HubSpot's v1. */
  olderTokenPaths?: string[];
  /** The access that the scopes give, for the headline of the consent page: "Jira at Atlassian". */
  subject(scopes: string[]): string;
  /** Parameter of the requested scopes, `scope` by default. Spaces and commas separate them. */
  scopeParameter?: string;
  /** Every scope that may be requested, with its description for the consent page. */
  scopes: Record<string, string>;
  /** Parameters of the authorization request that must have exactly this value: Atlassian's `audience`. */
  fixed?: Record<string, string>;
  accessSeconds: number;
  /** Lifetime of an unused refresh token; unlimited if omitted. */
  refreshSeconds?: number;
  /** Whether the authorization request must have an S256 challenge (RFC 7636). */
  needsChallenge?: boolean;
  /**
   * `rotating`: each refresh spends the refresh token. `stable`: the refresh token stays valid. `none`: consents return
   * no refresh token, as for most LinkedIn apps.
   */
  refresh: "rotating" | "stable" | "none";
  /** First characters of the tokens. */
  prefixes?: { access: string; refresh: string };
  /** Scope that a refresh token requires; undefined if none does. */
  offlineScope?: string;
  /**
   * Which consents return a refresh token, if parameters of the authorization request decide. `first`: only the first of
   * an account.
   */
  asksRefresh?(query: URLSearchParams): RefreshTokenRule;
  /** The revocation endpoint (RFC 7009), if the provider has one. */
  revocation?: {
    path: string;
    /** `account` revokes every consent of the account to the client, as at Google. */
    covers: "consent" | "account";
    /** Revocation needs only the token, and not the client's secret (Google). */
    open?: true;
    /** Status for an unknown token; 200 by default, as in the RFC. */
    unknown?: OAuthError;
  };
  /** Body of a successful token answer, in the provider's own fields. */
  answer(tokens: IssuedTokens, grantType: string): Record<string, unknown>;
  /** Also accepts tokens as `Authorization: token …`, like Octokit sends them (GitHub). */
  tokenScheme?: true;
  /** Responses are form data unless the client requests JSON (GitHub). */
  formUnlessAsked?: true;
  errors: Record<TokenError, OAuthError>;
};

/** An error response of an OAuth endpoint. */
export type OAuthError = { status: 200 | 400 | 401 | 403; body: Record<string, unknown> };

/** Which consents return a refresh token. */
export type RefreshTokenRule = "always" | "first" | "never";

/** Errors of a token endpoint; each provider words them differently. */
export type TokenError = "client" | "code" | "refresh" | "grant_type" | "request";

/** Newly issued tokens in plain text; only their hashes are stored. */
export type IssuedTokens = {
  access: string;
  refresh?: string;
  scopes: string[];
  expiresIn: number;
  /** ID of the account that they belong to. */
  account: string;
};

/** Context for a provider's routes. */
export type ProviderContext<World> = {
  /** The current world. Routes change it in place and then call `save`. */
  world(): World;
  save(): void;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Current time as ISO 8601 in UTC. */
  timestamp(): string;
  random(bytes: number): Uint8Array;
  /** Finds the grant of the request's bearer token, unless it is missing, unknown, expired or revoked. */
  grant(request: Request): Grant | undefined;
  /** Revokes the consent of an access or refresh token; returns whether there was one. */
  revoke(token: string, covers: "consent" | "account"): boolean;
  /** The registered client, for additional OAuth endpoints of a provider. */
  client: { id: string; secret: string };
};

/** Hono's environment: `address` is the peer's, `grant` is set for an authenticated request. */
export type SandboxEnv = { Bindings: { address?: string }; Variables: { grant: Grant } };

/** One consent: its account, client and scopes. */
export type Grant = { id: string; account: string; client: string; scopes: string[] };
