import type { LoadBuiltin } from "#net/transport";

/** Codes by which a system tells that it has no way out, or nobody to ask for a name. */
const NO_WAY = new Set(["EAI_AGAIN", "ENETUNREACH", "ENETDOWN"]);
const NO_NAME = new Set(["ENOTFOUND", "EHOSTUNREACH", "EADDRNOTAVAIL"]);

/** What of the network this machine lacks: all of it, IPv6 alone, or nothing that can be told. */
export type MissingNetwork = "network" | "ipv6" | null;

/** What a failure with this code on the way to `host` says about this machine's own network. */
export function findMissingNetwork(builtin: LoadBuiltin, host: string, code: string): MissingNetwork {
  if (!NO_WAY.has(code) && !NO_NAME.has(code)) return null;
  const addresses = Object.values(builtin("node:os").networkInterfaces()).flatMap((each) => each ?? []);
  const outward = addresses.filter(({ internal }) => !internal);
  if (outward.length === 0) return "network";
  if (!NO_WAY.has(code)) return null;
  return host.startsWith("[") && outward.some(({ family }) => family === "IPv4") ? "ipv6" : "network";
}
