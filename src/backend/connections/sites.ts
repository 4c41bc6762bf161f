import type { Identity, Site } from "../services/service.ts";

/** Which place a connection is bound to, or the list from which the person has to choose (case V04). */
export type SiteChoice =
  | { metadata: Record<string, unknown>; scopes?: string[] }
  | { choices: { name: string; url: string }[] };

/**
 * Bind a consent to one site. `wanted` is what the person chose now (a name, a host or a URL), `before` the URL the same account's
 * connection had; nothing is ever bound to a site that nobody chose.
 */
export function chooseSite(identity: Identity, wanted: string | null, before: string | undefined): SiteChoice {
  const sites = identity.sites ?? [];
  if (sites.length === 0) return wanted === null ? { metadata: identity.metadata } : onlySite(identity, wanted);
  const site = wanted === null ? (before === undefined ? undefined : find(sites, before)) : find(sites, wanted);
  if (!site) return { choices: sites.map(({ name, url }) => ({ name, url })) };
  return { metadata: { ...identity.metadata, ...site.metadata } };
}

/** The token opens one site by itself: a choice must then name that one. */
function onlySite(identity: Identity, wanted: string): SiteChoice {
  const { url, name, site } = identity.metadata;
  if (typeof url !== "string") return { metadata: identity.metadata };
  const label = [site, name].find((text): text is string => typeof text === "string") ?? hostOf(url) ?? url;
  if (find([{ name: label, url, id: "", scopes: [], metadata: {} }], wanted)) return { metadata: identity.metadata };
  return { choices: [{ name: label, url }] };
}

function find(sites: Site[], wanted: string): Site | undefined {
  const text = wanted.trim().toLowerCase();
  const host = hostOf(text);
  const matches = [
    sites.filter((site) => site.id === wanted.trim() && site.id !== ""),
    sites.filter((site) => site.name.toLowerCase() === text),
    sites.filter((site) => hostOf(site.url) !== undefined && hostOf(site.url) === host),
    sites.filter((site) => hostOf(site.url)?.split(".")[0] === text),
  ];
  const first = matches.find((found) => found.length > 0);
  return first?.length === 1 ? first[0] : undefined;
}

function hostOf(text: string): string | undefined {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  return URL.canParse(address) ? new URL(address).host : undefined;
}
