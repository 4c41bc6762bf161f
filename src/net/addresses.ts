import { Problem } from "#protocol/errors";

/** Address of a backend: secrets belong to `origin`; paths are appended to `baseUrl`, which has no trailing slash. */
export type Origin = { origin: string; baseUrl: string; loopback: boolean };

/**
 * Parses the URL of a backend: `https:`, or `http:` on this machine, or any `http:` if the settings allow it. Keeps a
 * base path.
 *
 * @throws Problem INSECURE_URL when secrets would be sent unencrypted, USAGE when it is not a backend URL
 */
export function parseOrigin(text: string, options: { allowInsecure: boolean }): Origin {
  const url = parseUrl(text);
  if (url.username || url.password) {
    throw new Problem("INSECURE_URL", "The URL must not contain a user name or password.", {
      hint: "Specify the URL without the part before the @.",
    });
  }
  if (url.search || url.hash) {
    throw new Problem("USAGE", "The URL must not contain a query or a fragment.", {
      hint: "Specify only the URL, such as https://host/path.",
    });
  }
  const loopback = isLoopbackHost(url.hostname);
  if (url.protocol === "http:" && !loopback && !options.allowInsecure) {
    throw new Problem("INSECURE_URL", `${url.origin} would receive your tokens unencrypted over the network.`, {
      hint: "Use an https: URL, or run `kay config set allow-insecure true` if you trust the network.",
    });
  }
  return { origin: url.origin, baseUrl: `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}`, loopback };
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

function parseUrl(text: string): URL {
  const trimmed = text.trim();
  const url = URL.parse(trimmed);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(trimmed)?.[1]?.toLowerCase();
  if (scheme && scheme !== "http" && scheme !== "https") {
    throw new Problem("INSECURE_URL", `The URL must start with https:// or http://, not ${scheme}://.`);
  }
  if (!url || !scheme) {
    throw new Problem("USAGE", `The URL is not valid: ${JSON.stringify(maskPassword(trimmed))}.`, {
      hint: "Use https://host, or http://localhost:4000 for a backend on this machine.",
    });
  }
  return url;
}

/** Formats the text for a message, with possible passwords masked. */
function maskPassword(text: string): string {
  const end = text.lastIndexOf("@");
  const slashes = text.lastIndexOf("//", end - 2);
  const start = slashes < 0 ? 0 : slashes + 2;
  const masked = end < 0 ? text : `${text.slice(0, start)}***${text.slice(text.indexOf("@", start))}`;
  return masked.length > 80 ? `${masked.slice(0, 79)}…` : masked;
}
