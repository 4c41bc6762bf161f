import { BlockList, isIP } from "node:net";
import { Problem } from "#protocol/errors";

/** Longest time that a node goes on answering when it is to end, in seconds. */
const LONGEST_DRAIN = 600;

/** Whether the word of whoever asks from this address is taken for whom it asks. */
export type TrustPolicy = (address: string) => boolean;

/**
 * The servers in front that are trusted to say for whom they ask: addresses, networks (`10.0.0.0/8`) or `loopback`, with commas between them.
 *
 * @throws Problem USAGE
 */
export function parseTrustedProxies(list: string): TrustPolicy {
  const known = new BlockList();
  for (const entry of list.split(",").map((each) => each.trim())) if (entry !== "") add(known, entry);
  return (address) => isIP(address) !== 0 && known.check(address, getType(address));
}

/**
 * Whose request it is: the peer's, or where that is a server that is trusted, of whom it tells with `X-Forwarded-For` (or `Forwarded`, where there
 * is none; RFC 7239), and so on for that one. What stands left of an address that is not trusted anybody may have written.
 */
export function resolveClientAddress(
  trusts: TrustPolicy,
  headers: Headers,
  peer: string | undefined,
): string | undefined {
  let address = peer;
  for (const before of toldBy(headers).reverse()) {
    if (address === undefined || !trusts(address) || isIP(before) === 0) break;
    address = before;
  }
  return address;
}

/**
 * Seconds for which requests are still taken before a node ends, in milliseconds.
 *
 * @throws Problem USAGE
 */
export function parseDrainTime(text: string): number {
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text.trim()) && seconds <= LONGEST_DRAIN) return seconds * 1000;
  throw new Problem("USAGE", `${JSON.stringify(text)} is no time to drain.`, {
    hint: `Give seconds from 0 to ${LONGEST_DRAIN}, with --drain or KAY_DRAIN.`,
  });
}

function add(known: BlockList, entry: string): void {
  for (const network of entry === "loopback" ? ["127.0.0.0/8", "::1"] : [entry]) {
    const [address = "", prefix, ...more] = network.split("/");
    const longest = isIP(address) === 4 ? 32 : 128;
    const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
    if (isIP(address) === 0 || more.length > 0 || !(bits <= longest)) throw noAddress(entry);
    known.addSubnet(address, bits, getType(address));
  }
}

function noAddress(entry: string): Problem {
  return new Problem("USAGE", `${JSON.stringify(entry)} is no address of a server in front.`, {
    hint: "Give addresses, networks such as 10.0.0.0/8, or loopback, with --trust-proxy or KAY_TRUST_PROXY.",
  });
}

function getType(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/** Addresses in the order in which servers added them, without ports. What is none stays what it is. */
function toldBy(headers: Headers): string[] {
  const list = headers.get("x-forwarded-for");
  if (list !== null) return list.split(",").map(bare);
  const forwarded = headers.get("forwarded");
  return forwarded === null
    ? []
    : forwarded.split(",").map((hop) => bare(/(?:^|;)\s*for=([^;]*)/i.exec(hop)?.[1] ?? ""));
}

function bare(text: string): string {
  const address = text.trim().replace(/^"(.*)"$/, "$1");
  const [, inBrackets] = /^\[(.*)\](?::\d+)?$/.exec(address) ?? [];
  const [, beforePort] = /^([\d.]+):\d+$/.exec(address) ?? [];
  return (inBrackets ?? beforePort ?? address).replace(/^::ffff:(?=\d+\.)/i, "");
}
