import type { Identity, Site } from "#connectors/oauth";

/** The site a connection is bound to, or the list to choose from. */
export type SiteSelection =
  | { metadata: Record<string, unknown>; scopes?: string[] }
  | { choices: { name: string; url: string }[] };

/**
 * Binds a consent to one site. `siteChoice` is a name, a host or a URL; `previousUrl` belongs to the same account's last
 * connection. A consent is never bound to a site that the user did not choose.
 */
export function chooseSite(
  identity: Identity,
  siteChoice: string | null,
  previousUrl: string | undefined,
): SiteSelection {
  const sites = identity.sites ?? [];
  if (sites.length === 0)
    return siteChoice === null ? { metadata: identity.metadata } : selectOnlySite(identity, siteChoice);
  const site =
    siteChoice === null
      ? previousUrl === undefined
        ? undefined
        : findSite(sites, previousUrl)
      : findSite(sites, siteChoice);
  if (!site) return { choices: sites.map(({ name, url }) => ({ name, url })) };
  return { metadata: { ...identity.metadata, ...site.metadata } };
}

/** Selects the only site that the token is valid for. A choice must name that one. */
function selectOnlySite(identity: Identity, siteChoice: string): SiteSelection {
  const { metadata } = identity;
  const { url, site, workspace, name } = metadata;
  if (typeof url !== "string") return { metadata };
  const label = [site, workspace, name].find((text): text is string => typeof text === "string") ?? getHost(url) ?? url;
  if (findSite([{ name: label, url, id: "", scopes: [], metadata }], siteChoice)) return { metadata };
  return { choices: [{ name: label, url }] };
}

/**
 * Returns the one site that matches; undefined if two match equally well. Sites of one provider may share a host
 * (Bitbucket's workspaces).
 */
function findSite(sites: Site[], query: string): Site | undefined {
  const text = query.trim();
  const lower = text.toLowerCase();
  const address = getAddress(text);
  const host = getHost(text);
  const criteria: ((site: Site) => boolean)[] = [
    (site) => site.id !== "" && site.id === text,
    (site) => site.name.toLowerCase() === lower,
    (site) => address !== undefined && `${address}/`.startsWith(`${getAddress(site.url)}/`),
    (site) => host !== undefined && getHost(site.url) === host,
    (site) => getHost(site.url)?.split(".")[0] === lower,
  ];
  const matches = criteria.map((fit) => sites.filter(fit)).find((sites) => sites.length > 0) ?? [];
  return matches.length === 1 ? matches[0] : undefined;
}

function getHost(text: string): string | undefined {
  return parse(text)?.host;
}

/** Returns the host and path of a URL without a closing slash. */
function getAddress(text: string): string | undefined {
  const url = parse(text);
  return url && `${url.host}${url.pathname.replace(/(?<!\/)\/+$/, "")}`.toLowerCase();
}

function parse(text: string): URL | undefined {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  return URL.canParse(address) ? new URL(address) : undefined;
}
