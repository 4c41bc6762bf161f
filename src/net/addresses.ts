import { Problem } from "#protocol/errors";

/** Where a backend is: `origin` is what secrets are bound to, `baseUrl` (no trailing slash) is what paths are added to. */
export type Origin = { origin: string; baseUrl: string; loopback: boolean };

/**
 * Check the address of a backend: `https:`, or `http:` to this machine, or any `http:` if the person allowed it in the settings. A base
 * path is kept.
 *
 * @throws Problem INSECURE_URL for anything that would show secrets to the network, USAGE for what is no address of a backend
 */
export function parseOrigin(text: string, options: { allowInsecure: boolean }): Origin {
  const url = parseAddress(text);
  if (url.username || url.password) {
    throw new Problem("INSECURE_URL", "The backend URL must not contain a user name or password.", {
      hint: "Give the address without the part before the @.",
    });
  }
  if (url.search || url.hash) {
    throw new Problem("USAGE", "The backend's address must not contain a ? or a #.", {
      hint: "Give only the address, as https://host/path.",
    });
  }
  const loopback = isLoopbackHost(url.hostname);
  if (url.protocol === "http:" && !loopback && !options.allowInsecure) {
    throw new Problem("INSECURE_URL", `${url.origin} would send your tokens unencrypted over the network.`, {
      hint: "Use an https: address; if you know that network to be safe: kay config set allow-insecure true",
    });
  }
  return { origin: url.origin, baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, "")}`, loopback };
}

/**
 * Checks whether the host of a URL is this machine: `localhost` and names below it (RFC 6761), 127.0.0.0/8 and ::1, also mapped into IPv6.
 *
 * @param hostname `hostname` of a parsed URL, which has one spelling for each address and brackets around IPv6
 */
export function isLoopbackHost(hostname: string): boolean {
  return isLoopbackName(hostname) || isLoopbackAddress(hostname.replace(/^\[(.*)\]$/, "$1"));
}

/** Checks whether an IP address, without brackets, belongs to this machine. A name is not an address. */
export function isLoopbackAddress(address: string): boolean {
  return /^(::ffff:)?127(\.\d{1,3}){3}$|^::1$|^::ffff:7f[\da-f]{2}:[\da-f]{1,4}$/i.test(address);
}

/** Checks whether a host is a name, not an address, of this machine. kay never looks such a name up. */
export function isLoopbackName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return name === "localhost" || name.endsWith(".localhost");
}

function parseAddress(text: string): URL {
  const trimmed = text.trim();
  const url = URL.parse(trimmed);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme && scheme !== "http" && scheme !== "https") {
    throw new Problem("INSECURE_URL", `The backend's address must begin with https:// or http://, not ${scheme}://.`);
  }
  if (!url || !scheme) {
    throw new Problem("USAGE", `The backend's address is not a URL: ${JSON.stringify(format(trimmed))}.`, {
      hint: "Give it as https://host, or http://localhost:4000 for a backend on this machine.",
    });
  }
  return url;
}

/** The text for a message, without what may be a password. */
function format(text: string): string {
  const masked = text.replace(/^(.*\/\/)?[^@]*@/s, "$1***@");
  return masked.length > 80 ? `${masked.slice(0, 79)}…` : masked;
}
