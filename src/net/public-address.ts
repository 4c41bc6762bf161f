import { BlockList, isIP } from "node:net";

/**
 * Addresses of this machine, of private networks, and of cloud metadata (IANA special-purpose registries for IPv4 and
 * IPv6; 168.63.129.16 is Azure's). Users of a shared backend must not reach them.
 */
const PRIVATE_V4: [string, number][] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

/** Only 2000::/3 is global unicast; Teredo, 6to4 and documentation ranges in it map to other addresses. */
const PRIVATE_V6: [string, number][] = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
];

/** Whether an IP address is publicly reachable. Any other text is not. */
export function isPublicAddress(address: string): boolean {
  const ip = address.replace(/^\[|\]$/g, "").replace(/%.*$/s, "");
  const family = isIP(ip);
  if (family === 4) return !BLOCK_LISTS.v4.check(ip, "ipv4");
  if (family !== 6) return false;
  return BLOCK_LISTS.global.check(ip, "ipv6") && !BLOCK_LISTS.v6.check(ip, "ipv6");
}

const BLOCK_LISTS = {
  v4: createBlockList(PRIVATE_V4, "ipv4"),
  v6: createBlockList(PRIVATE_V6, "ipv6"),
  global: createBlockList([["2000::", 3]], "ipv6"),
};

function createBlockList(subnets: [string, number][], family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [net, bits] of subnets) list.addSubnet(net, bits, family);
  return list;
}
