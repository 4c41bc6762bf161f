import { isLoopbackHost } from "#net/addresses";
import type { ServiceView } from "#protocol/tools";

/** Domains of results that differ from the domain of the service's consent page. */
const OTHER_DOMAINS: Record<string, string[]> = { notion: ["notion.so"] };

/** Second-level domains below which each name has another owner: `example.co.uk`. */
const SHARED_SUFFIX = /^(?:co|com|net|org|gov|ac|edu|or|ne)\.[a-z]{2}$/;

/**
 * Returns whether a link is of the service itself: https on a domain of its site, consent page or API. A link to this
 * machine counts only if the service runs there, as stand-ins do.
 */
export function isOwnLink(link: string, { name, metadata, client, base_url }: ServiceView): boolean {
  const url = URL.parse(link);
  if (url?.username !== "" || url.password !== "") return false;
  const own = [metadata?.url, client?.authorize_url, base_url].flatMap((text) => URL.parse(text ?? "") ?? []);
  if (isLoopbackHost(url.hostname)) return own.some(({ origin }) => origin === url.origin);
  if (url.protocol !== "https:") return false;
  const domains = [...own.map(({ hostname }) => getDomain(hostname)), ...(OTHER_DOMAINS[name] ?? [])];
  return domains.includes(getDomain(url.hostname));
}

/** The part of a host name that its owner registered. An address is its own. */
function getDomain(host: string): string {
  if (/^[\d.]+$|^\[/.test(host)) return host;
  const labels = host.split(".");
  return labels.slice(SHARED_SUFFIX.test(labels.slice(-2).join(".")) ? -3 : -2).join(".");
}
