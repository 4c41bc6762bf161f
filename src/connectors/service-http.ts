import type * as z from "zod/mini";

/**
 * Base URLs by role, without a trailing slash. Every service has `authorize`, `token` and `api`, and may add others.
 */
export type Endpoints = { authorize: string; token: string; api: string; [role: string]: string };

/**
 * The HTTP core for services: base URL, authentication, JSON, bounded retries after 429 and 5xx, and errors of the
 * error table. Paths are relative to the `api` endpoint unless `endpoint` names another role.
 */
export type ServiceHttp = {
  request<T>(request: ServiceRequest<T>): Promise<T>;
  endpoints: Endpoints;
};

export type ServiceRequest<T> = {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `/rest/api/3/search/jql`, or an absolute URL of the same origin (paging links). */
  path: string;
  endpoint?: string;
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON. Bytes are sent as they are, with the `content-type` of `headers`. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Schema of the response. 204 and empty bodies are parsed as `undefined`. */
  answer: z.ZodMiniType<T>;
  /** Reads the answer from this header instead of the body: LinkedIn returns new IDs in `x-restli-id`. */
  answerHeader?: string;
  /**
   * Asks the OAuth server about the token (RFC 7662): sends a form with the client's credentials instead of a bearer
   * token.
   */
  introspects?: boolean;
  /**
   * Whether the request changes nothing and may be repeated. Default: a GET does, everything else does not. A search by
   * POST sets true; a GET that may change something sets false.
   */
  reads?: boolean;
  /** The permission that the request needs, named in the error if it is missing. */
  scope?: string;
  signal?: AbortSignal;
  /** Receives the response headers, for links to further pages. */
  onHeaders?(headers: Headers): void;
};
