import { BlockList, isIP } from "node:net";
import { Problem } from "#protocol/errors";

/** Longest drain time, in seconds. */
const LONGEST_DRAIN = 600;

/** Whether the server at this address may report the client's address. */
export type TrustPolicy = (address: string) => boolean;

/**
 * Parses a comma-separated list of trusted reverse proxies: addresses, networks (`10.0.0.0/8`), or `loopback`.
 *
 * @throws Problem USAGE
 */
export function parseTrustedProxies(list: string): TrustPolicy {
  const proxies = new BlockList();
  for (const entry of list.split(",").map((entry) => entry.trim())) if (entry !== "") addEntry(proxies, entry);
  return (address) => isIP(address) !== 0 && proxies.check(address, getFamily(address));
}

/**
 * Returns the client's address. A trusted peer reports it in `X-Forwarded-For`, or else `Forwarded` (RFC 7239). Reads
 * the entries from the right up to the first untrusted address, because anyone may have written those to its left.
 */
export function resolveClientAddress(
  trusts: TrustPolicy,
  headers: Headers,
  peer: string | undefined,
): string | undefined {
  let address = peer;
  for (const previous of listForwardedAddresses(headers).reverse()) {
    if (address === undefined || !trusts(address) || isIP(previous) === 0) break;
    address = previous;
  }
  return address;
}

/** Parses a drain time in seconds and returns it in ms. @throws Problem USAGE */
export function parseDrainTime(text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text.trim()) && seconds <= LONGEST_DRAIN) return seconds * 1000;
  throw new Problem("USAGE", `${JSON.stringify(text)} is not a valid drain time.`, {
    hint: `Set --drain or KAY_DRAIN to a number of seconds from 0 to ${LONGEST_DRAIN}.`,
  });
}

function addEntry(proxies: BlockList, entry: string): void {
  for (const network of entry === "loopback" ? ["127.0.0.0/8", "::1"] : [entry]) {
    const [address = "", prefix, ...extra] = network.split("/");
    const longest = isIP(address) === 4 ? 32 : 128;
    const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (isIP(address) === 0 || extra.length > 0 || !(bits <= longest)) throw invalidProxyProblem(entry);
    proxies.addSubnet(address, bits, getFamily(address));
  }
}

function invalidProxyProblem(entry: string): Problem {
  return new Problem("USAGE", `${JSON.stringify(entry)} is not a valid proxy address.`, {
    hint: "Set --trust-proxy or KAY_TRUST_PROXY to addresses, networks such as 10.0.0.0/8, or loopback.",
  });
}

function getFamily(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** Returns the forwarded addresses in the order they were added, without ports. Invalid entries stay as they are. */
function listForwardedAddresses(headers: Headers): string[] {
  const list = headers.get("x-forwarded-for");
  if (list !== null) return list.split(",").map(parseForwardedAddress);
  const forwarded = headers.get("forwarded");
  return forwarded === null
    ? []
    : forwarded.split(",").map((hop) => parseForwardedAddress(/(?:^|;)\s*for=([^;]*)/i.exec(hop)?.[1] ?? ""));
}

function parseForwardedAddress(text: string): string {
  const address = text.trim().replace(/^"(.*)"$/, "$1");
  const [, inBrackets] = /^\[(.*)\](?::\d+)?$/.exec(address) ?? [];
  const [, beforePort] = /^([\d.]+):\d+$/.exec(address) ?? [];
  return (inBrackets ?? beforePort ?? address).replace(/^::ffff:(?=\d+\.)/i, "");
}
