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
  const loopback = isLoopback(url.hostname);
  if (url.protocol === "http:" && !loopback && !options.allowInsecure) {
    throw new Problem("INSECURE_URL", `${url.origin} would send your tokens unencrypted over the network.`, {
      hint: "Use an https: address; if you know that network to be safe: kay config set allow-insecure true",
    });
  }
  return { origin: url.origin, baseUrl: `${url.origin}${url.pathname.replace(/\/+$/, "")}`, loopback };
}

/**
 * Whether a host name of a URL always means this machine: 127.0.0.0/8, ::1, and the names of RFC 6761, which are never looked up. The name
 * must come from a parsed URL, which has one spelling for each address.
 */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, "");
  return isLoopbackName(name) || /^127\.\d+\.\d+\.\d+$/.test(name) || name === "[::1]" || name.startsWith("[::ffff:7f");
}

/** Whether it is a name, not an address, of this machine. */
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
