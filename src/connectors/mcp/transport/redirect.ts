import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";

/** Statuses that redirect (RFC 9110, section 15.4). Only 307 and 308 keep the method and the body. */
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const METHOD_PRESERVING = new Set([307, 308]);

/** Returns the address that a redirect names, or undefined for any other response. */
export function getRedirectTarget({ status, headers }: Response, from: URL): URL | undefined {
  const location = REDIRECTS.has(status) ? headers.get("location") : null;
  return location === null ? undefined : (URL.parse(location, from.href) ?? undefined);
}

/** Returns whether a request may follow a redirect: within the origin, with the same method and body. */
export function isFollowable(
  { status }: Response,
  target: URL,
  { asked, method }: { asked: URL; method: string },
): boolean {
  const isPlain = target.username === "" && target.password === "";
  return target.origin === asked.origin && isPlain && (method === "GET" || METHOD_PRESERVING.has(status));
}

/** @throws Problem SERVICE_FAILED that names the address, for a redirect that kay does not follow */
export function requireFollowable(response: Response, from: URL, method: string): void {
  const target = getRedirectTarget(response, from);
  if (!target || isFollowable(response, target, { asked: from, method })) return;
  const location = formatAddress(target);
  const isDowngrade = target.protocol === "http:" && from.protocol === "https:" && target.hostname === from.hostname;
  const better = isDowngrade ? location.replace(/^http:/, "https:") : location;
  throw new Problem(
    "SERVICE_FAILED",
    `The server redirects to ${location}. kay follows only redirects within one site that keep the request, so add ${better} instead if you trust it.`,
    { hint: "" },
  );
}

/** Formats an address without its secrets. */
function formatAddress({ origin, pathname }: URL): string {
  return cleanLine(`${origin}${pathname}`, 300);
}
