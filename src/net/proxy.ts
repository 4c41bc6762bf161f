import { clean } from "#protocol/clean";
import { Problem } from "#protocol/errors";

/** A proxy, and the variable that names it. */
export type HttpProxy = { url: URL; variable: string };

type Env = Record<string, string | undefined>;
type BlockListClass = typeof import("node:net").BlockList;

/**
 * Finds the proxy for a URL in the usual variables, lowercase or uppercase; an empty one does not hide the other.
 * `NO_PROXY` accepts names, domains (`.example.com`, `*.example.com`), ports, addresses, ranges (`10.0.0.0/8`), and
 * `*`.
 *
 * @throws Problem PROXY_INVALID that names the variable and masks credentials
 */
export function findProxy(url: URL, env: Env, BlockList: BlockListClass): HttpProxy | null {
  const names = url.protocol === "https:" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy", "HTTP_PROXY"];
  const variable = [...names, "all_proxy", "ALL_PROXY"].find((name) => env[name]?.trim());
  if (!variable || isExempt(url, env, BlockList)) return null;
  return { url: parseProxy(variable, env[variable]?.trim() ?? ""), variable };
}

/** Formats a proxy's URL for messages, without credentials. */
export function maskProxy(proxy: HttpProxy): string {
  return `${proxy.url.protocol}//${proxy.url.host}`;
}

function parseProxy(variable: string, text: string): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  const masked = clean(text.replace(/^([a-z0-9+.-]*:\/\/)?.*@/is, "$1***@"), { lines: false, max: 100 });
  if (!url?.hostname || !isDecodable(url)) {
    const encodingHint = text.includes("@") ? " In the password, write # as %23, / as %2F, % as %25 and @ as %40." : "";
    throw new Problem("PROXY_INVALID", `${variable} is not a valid proxy URL: ${JSON.stringify(masked)}.`, {
      hint: `Set ${variable} to http://host:port, or unset it.${encodingHint}`,
    });
  }
  if (/^socks/.test(url.protocol)) {
    throw new Problem(
      "PROXY_INVALID",
      `${variable} is a SOCKS proxy, which kay does not support: ${JSON.stringify(masked)}.`,
      {
        hint: `Set HTTPS_PROXY to an http: proxy (it overrides ALL_PROXY), add the host to NO_PROXY, or unset ${variable}.`,
      },
    );
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new Problem(
      "PROXY_INVALID",
      `${variable} is a proxy of a kind that kay does not support: ${JSON.stringify(masked)}.`,
      {
        hint: `Set ${variable} to an http: or https: proxy, or unset it.`,
      },
    );
  }
  return url;
}

function isDecodable(url: URL): boolean {
  try {
    decodeURIComponent(`${url.username}:${url.password}`);
    return true;
  } catch {
    return false;
  }
}

function isExempt(url: URL, env: Env, BlockList: BlockListClass): boolean {
  const list = [env.no_proxy, env.NO_PROXY].find((value) => value?.trim()) ?? "";
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  const host = normalizeHost(url.hostname);
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => matchesHost(stripScheme(entry.toLowerCase()), host, port, BlockList));
}

/** Removes the scheme and path of an entry that is a whole URL. */
function stripScheme(entry: string): string {
  return entry.replace(/^[a-z][a-z0-9+.-]*:\/\/([^/]*).*$/, "$1");
}

function matchesHost(entry: string, host: string, port: string, BlockList: BlockListClass): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInRange(entry, host, BlockList);
  const [, name = "", onPort] = /^(\[[^\]]*\]|[^:]*|[0-9a-f]*:[0-9a-f:]*)(?::(\d+))?$/.exec(entry) ?? [];
  if (!name || (onPort && onPort !== port)) return false;
  const domain = normalizeHost(name).replace(/^\*?\./, "");
  return host === domain || host.endsWith(`.${domain}`);
}

function isInRange(entry: string, host: string, BlockList: BlockListClass): boolean {
  const [address = "", prefix] = entry.split("/");
  const getFamily = (text: string) => (text.includes(":") ? "ipv6" : "ipv4");
  try {
    const range = new BlockList();
    range.addSubnet(normalizeHost(address), Number(prefix), getFamily(address));
    return range.check(host, getFamily(host));
  } catch {
    return false;
  }
}

/** Normalizes a host: no brackets, no final dot, and canonical IPv6. */
function normalizeHost(host: string): string {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");
  const literal = name.includes(":") ? URL.parse(`http://[${name}]/`)?.hostname.slice(1, -1) : undefined;
  return literal ?? name;
}
