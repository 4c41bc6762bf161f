import { Problem } from "#protocol/errors";
import type { Credential } from "../service.ts";
import type { Endpoints, ServiceRequest } from "../service-http.ts";

/**
 * Builds the URL of a request, which must stay on the endpoint's origin: a paging link to another host would leak the
 * token.
 *
 * @throws Problem SERVICE_FAILED when an absolute URL has another origin, INVALID_REQUEST when a name in the path would
 * lead to another address of the service
 */
export function buildRequestUrl(request: ServiceRequest<unknown>, endpoints: Endpoints, title: string): URL {
  const base = endpoints[request.endpoint ?? "api"];
  if (!base) throw new Problem("SERVICE_FAILED", `No address is configured for ${title}.`);
  if (!isAbsolute(request.path) && DOT_SEGMENT.test(request.path))
    throw new Problem("INVALID_REQUEST", `“.” and “..” are not names in ${title}.`, { hint: "" });
  const url = isAbsolute(request.path) ? new URL(request.path) : new URL(base + request.path);
  if (url.origin !== new URL(base).origin) {
    throw new Problem(
      "SERVICE_FAILED",
      `${title} linked to another site (${url.host}). kay does not follow such links.`,
    );
  }
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/** A part of a path that is rewritten: `/repos/../../user` is `/user`. */
const DOT_SEGMENT = /^[^?#]*[/\\](?:\.|%2e){1,2}(?:[/\\?#]|$)/i;

/** Returns whether a request changes nothing. Unless its tool says so, only a GET does not. */
export function isReadRequest({ method = "GET", reads }: Pick<ServiceRequest<unknown>, "method" | "reads">): boolean {
  return reads ?? method === "GET";
}

/** Returns the query of a link to a page, without `?`. */
export function getQuery(link: string | null | undefined): string | undefined {
  return link && URL.canParse(link) ? new URL(link).search.slice(1) : undefined;
}

/** Returns the request for the page of a list that has this query: the same path with this query alone. */
export function toPageRequest<R extends Pick<ServiceRequest<unknown>, "path" | "query">>(
  request: R,
  query?: string,
): R {
  if (query === undefined) return request;
  return { ...request, path: `${request.path.split("?")[0]}?${new URLSearchParams(query)}`, query: undefined };
}

/** Returns whether a link may be followed with the token: it must have the endpoint's origin. */
export function isSameOrigin(link: string, endpoint: string): boolean {
  return URL.canParse(link) && new URL(link).origin === new URL(endpoint).origin;
}

function isAbsolute(path: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(path);
}

/** Returns the header that carries a token or secret: by default a bearer token (RFC 6750). */
export function toAuthHeaders(credential: Credential | undefined, secret: string): Record<string, string> {
  if (credential === undefined) return { authorization: `Bearer ${secret}` };
  if (credential.kind === "header") return { [credential.name]: `${credential.prefix}${secret}` };
  // RFC 7617, with UTF-8.
  if (credential.kind === "basic") return { authorization: `Basic ${toBase64(secret)}` };
  return {};
}

/**
 * Lists the forms in which a request carries the secret, to hide them in responses: plain, URL-encoded, and as basic
 * authentication with and without the user name. Short secrets are omitted, because they could be part of a word.
 */
export function listSecretForms(credential: Credential | undefined, secret: string): string[] {
  const basic = credential?.kind === "basic" ? [toBase64(secret), secret.slice(secret.indexOf(":") + 1)] : [];
  return [secret, encodeURIComponent(secret), ...basic].filter(({ length }) => length >= SHORTEST_SECRET);
}

const SHORTEST_SECRET = 16;

function toBase64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

/** Adds the secret to the URL for services that accept it only there. The result must not be logged. */
export function addCredentialToUrl(url: URL, credential: Credential | undefined, secret: string): string {
  if (credential?.kind !== "query") return url.href;
  const parsedUrl = new URL(url);
  parsedUrl.searchParams.set(credential.name, secret);
  return parsedUrl.href;
}
