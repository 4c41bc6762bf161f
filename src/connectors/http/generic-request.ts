import type { GenericRead, Service } from "../service.ts";
import type { Access } from "../tool.ts";

/** For REST APIs whose vendor documents GET as safe (RFC 9110, section 9.2.1). */
export const SAFE_GET: readonly GenericRead[] = [{ method: "GET", path: /^\/.*$/s }];

/** Words in a path that name an action which cannot be undone, in APIs that do not use DELETE for it. */
const DESTRUCTIVE = /(?:delete|remove|archive|revoke|kick|purge|destroy|trash|clear|wipe)/i;

/**
 * Decides whether a raw request reads or writes. Only the service knows: some APIs accept every call as a GET. Requests
 * that the service does not list are writes.
 */
export function getGenericAccess(service: Pick<Service, "api">, method: string, path: string): Access {
  const [pathname = ""] = path.split("?");
  const reads = service.api?.genericReads ?? [];
  if (reads.some((read) => read.method === method && read.path.test(pathname))) return "read";
  return method === "DELETE" || DESTRUCTIVE.test(pathname) ? "destructive" : "write";
}

/**
 * Checks that a path means what it shows: it stays below the API's address, and no part of it is rewritten on the way (`..`, `%2e%2e`, `\`).
 */
export function isPlainPath(path: string): boolean {
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(path) || path.includes("#") || !URL.canParse(`https://api.invalid${path}`))
    return false;
  const { pathname, origin } = new URL(`https://api.invalid${path}`);
  return origin === "https://api.invalid" && pathname === path.split("?")[0];
}
