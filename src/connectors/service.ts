import type { Fetch } from "#net/ports";
import type { Identity, OAuth, OAuthClient } from "./oauth.ts";
import type { Endpoints, ServiceHttp } from "./service-http.ts";
import type { Tool } from "./tool.ts";

/**
 * A service as data: its sign-in, its accounts and its tools. Consent, token refresh, requests and approvals are
 * implemented once, elsewhere. Nothing here depends on whether the API is real or a sandbox.
 */
export type Service = {
  /** Name in commands and on the wire: `jira`. */
  name: string;
  /** Display name: `Jira`. */
  title: string;
  oauth: OAuth;
  /** The real endpoints, used when a client ID is configured. */
  endpoints: Endpoints;
  /** How its API differs from the defaults of the HTTP core. */
  api?: ApiTraits;
  /** How requests carry a secret that the user pasted, for services without OAuth. */
  credential?: Credential;
  /** Replaces `identify` for a token that the user made there and pasted, if that belongs to no user. */
  identifyToken?(http: ServiceHttp): Promise<Identity>;
  /** Returns what differs in an installation elsewhere, by its URL. */
  locate?(url: string): { endpoints: Endpoints; accessPage: string };
  /** Returns the account that consented and its workspace. Called once after each consent, with the new token. */
  identify(http: ServiceHttp): Promise<Identity>;
  tools: Tool[];
};

/**
 * Where a pasted secret goes: a header with a prefix, a query parameter, or HTTP Basic (the secret is then
 * `user:password`). `none` for services without a secret.
 */
export type Credential =
  | { kind: "header"; name: string; prefix: string }
  | { kind: "query"; name: string }
  | { kind: "basic" }
  | { kind: "none" };

/** How a service's API differs from the common case, as data. */
export type ApiTraits = {
  /** Headers of every request, such as the media type or API version. */
  headers?: Record<string, string>;
  /** Statuses that, like 429, guarantee that nothing was done, so the request may be repeated. */
  repeat?: number[];
  /** Pause before such a repetition in ms, if the response specifies none. */
  pause?: number;
  errors?: ApiErrors;
  /** Requests of `http_request` that only read. Every other one is a write. Without a list, all are writes. */
  genericReads?: readonly GenericRead[];
  /** Returns the path below which requests of `http_request` go, for APIs with a prefix for each site. */
  genericBase?(metadata: Record<string, unknown>): string;
};

/** A kind of request that changes nothing: the method, and a pattern for the whole path below the API's address. */
export type GenericRead = { method: "GET" | "POST"; path: RegExp };

/** How an API reports errors by a code in the body. */
export type ApiErrors = {
  /** The body field that holds the code. */
  code: string;
  /** The body field that is false when a success status hides a failure. */
  flag?: string;
  /** The meaning of each code. A code that is not listed means a rejected request. */
  codes: Record<string, ApiError>;
};

/** The HTTP status that a code means, its sentence (without the service's name), and what to do. */
type ApiError = { status: number; message?: string; hint?: string };

/** A service as this backend offers it. Without a client, it is listed as not connected and cannot be connected. */
export type ServiceConfiguration = {
  service: Service;
  endpoints: Endpoints;
  client: OAuthClient | null;
  /** What tokens are bound to if the operator configured another address or sign-in. */
  binding?: string;
  /** Set for custom services. */
  described?: CustomServiceTraits;
  /** Set if the authorization server is discovered when the user connects (MCP authorization). */
  discovers?: Discovery;
};

/**
 * The server that names its authorization server; a client registered by hand, and the issuer that it was first used
 * at.
 */
type Discovery = { server: string; client?: OAuthClient; issuer?: string };

/** The specifics of a custom service: its transport and what its secrets are bound to. */
type CustomServiceTraits = {
  /** Replaces the backend's default transport. */
  fetch: Fetch;
  /** Identifies address and sign-in. Secrets stored for one binding cannot be decrypted for another. */
  binding: string;
  /** Last segment of the service's redirect address, for OAuth. */
  callback?: string | undefined;
  /** The issuer that its authorization responses name, if its description says so. */
  issuer?: string | undefined;
  /** Its OAuth client needs a secret that has not been provided yet. */
  lacksSecret: boolean;
  /**
   * Identifies the owner of a pasted secret if `Service.identify` cannot. @throws Problem AUTH_REQUIRED for a rejected
   * secret
   */
  identify?(secret: string): Promise<Identity>;
  /** Set for an MCP server: its command if it is a local program, and how its tools differ from the approved ones. */
  mcp?: { command?: string; env?: string[]; changes: string[] };
};
