import { Problem } from "#protocol/errors";
import type { Credential, Endpoints, ServiceRequest } from "../service.ts";

/**
 * The URL of a request, which never leaves the origin of its endpoint: a paging link on another host would carry the token there.
 *
 * @throws Problem SERVICE_FAILED when an absolute URL is of another origin (case V20)
 */
export function buildRequestUrl(request: ServiceRequest<unknown>, endpoints: Endpoints, title: string): URL {
  const base = endpoints[request.endpoint ?? "api"];
  if (!base) throw new Problem("SERVICE_FAILED", `${title} has no address configured.`);
  const url = isAbsolute(request.path) ? new URL(request.path) : new URL(base + request.path);
  if (url.origin !== new URL(base).origin) {
    throw new Problem("SERVICE_FAILED", `${title} pointed to another site (${url.host}), which kay does not follow.`);
  }
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

/** Whether a link from an answer may be followed with the token: it is of the same origin as the endpoint. */
export function isSameOrigin(link: string, endpoint: string): boolean {
  return URL.canParse(link) && new URL(link).origin === new URL(endpoint).origin;
}

/** Where a redirect leads, or `undefined` when it leaves the origin or is no redirect that can be followed. */
export function getRedirectTarget(response: Response, from: URL): URL | undefined {
  const location = response.headers.get("location");
  if (!location || !URL.canParse(location, from.href)) return undefined;
  const target = new URL(location, from);
  return target.origin === from.origin ? target : undefined;
}

function isAbsolute(path: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(path);
}

/** The header that carries a token or secret: a bearer token (RFC 6750) unless the service is described otherwise. */
export function toAuthHeaders(credential: Credential | undefined, secret: string): Record<string, string> {
  if (credential === undefined) return { authorization: `Bearer ${secret}` };
  if (credential.kind === "header") return { [credential.name]: `${credential.prefix}${secret}` };
  // RFC 7617, with UTF-8.
  if (credential.kind === "basic") return { authorization: `Basic ${Buffer.from(secret, "utf8").toString("base64")}` };
  return {};
}

/** The address of a request, with the secret where the service takes it nowhere else. It is used for this and never told or logged. */
export function addCredentialToUrl(url: URL, credential: Credential | undefined, secret: string): string {
  if (credential?.kind !== "query") return url.href;
  const whole = new URL(url);
  whole.searchParams.set(credential.name, secret);
  return whole.href;
}
