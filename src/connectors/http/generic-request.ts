import { isRecord } from "#protocol/json";
import type { GenericRead, Service } from "../service.ts";
import type { Access } from "../tool.ts";

/** For REST APIs whose vendor documents GET as safe (RFC 9110, section 9.2.1). */
export const SAFE_GET: readonly GenericRead[] = [{ method: "GET", path: /^\/.*$/s }];

/** Words in a path that name an action which cannot be undone, in APIs that do not use DELETE for it. */
const DESTRUCTIVE = /(?:delete|remove|archive|revoke|kick|purge|destroy|trash|clear|wipe)/i;

/**
 * Parameters that turn a request into another one: another HTTP method (`_method`, `$httpMethod`,
 * `X-HTTP-Method-Override`), other headers, or another sign-in than the user's. Letters only, in lower case.
 */
const OVERRIDES = /^(?:x?(?:http)?method(?:override)?|httpheaders?|(?:access|oauth|auth)?token|authorization)$/;

/** GraphQL endpoints. Only the query shows whether it reads. */
const GRAPHQL = /\/(?:graphi?ql|gql)(?![^/])/i;

/** A raw request: `path` with its own query, `query` with more parameters. */
type GenericRequest = { method: string; path: string; query?: Record<string, unknown>; body?: unknown };

/**
 * Decides whether a raw request reads or writes. Only the service knows: some APIs accept every call as a GET. Requests
 * that the service does not list are writes, and so are those that a parameter turns into another request.
 */
export function getGenericAccess(service: Pick<Service, "api">, request: GenericRequest): Access {
  const { method, path } = request;
  const [pathname = ""] = path.split("?");
  if (listParameters(request).some((name) => OVERRIDES.test(name.replace(/[^a-z]/gi, "").toLowerCase())))
    return "destructive";
  const reads = service.api?.genericReads ?? [];
  const isListed = reads.some((pattern) => pattern.method === method && pattern.path.test(pathname));
  if (isListed && !GRAPHQL.test(pathname)) return "read";
  return method === "DELETE" || DESTRUCTIVE.test(pathname) ? "destructive" : "write";
}

/** Lists the names of all parameters. Some servers take `;` for `&`. */
function listParameters({ path, query = {}, body }: GenericRequest): string[] {
  const inline = path.split(/[?&;]/).slice(1);
  return [...inline.flatMap((part) => [...new URLSearchParams(part).keys()]), ...Object.keys(query), ...listKeys(body)];
}

function listKeys(body: unknown): string[] {
  return isRecord(body) ? Object.keys(body) : [];
}

/**
 * Returns whether a path stays below the API's address and has no part that is rewritten on the way (`..`, `%2e%2e`,
 * `\`).
 */
export function isPlainPath(path: string): boolean {
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(path) || path.includes("#") || !URL.canParse(`https://api.invalid${path}`))
    return false;
  const { pathname, origin } = new URL(`https://api.invalid${path}`);
  return origin === "https://api.invalid" && pathname === path.split("?")[0];
}
