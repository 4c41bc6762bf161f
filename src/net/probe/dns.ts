import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Problem } from "#protocol/errors";
import { isLoopbackName } from "../addresses.ts";

/** Addresses of a host, with IPv4 and IPv6 looked up separately, and a summary. */
type LookupResult = { state: "ok" | "skipped"; message: string; addresses: string[] };

/**
 * Looks up the addresses of a URL's host with the system's resolver.
 *
 * @throws Problem UNREACHABLE when there are none
 */
export async function lookUpAddresses(hostname: string): Promise<LookupResult> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host))
    return { state: "skipped", message: `${host} is an IP address, so no lookup is needed.`, addresses: [host] };
  // Never looked up: the name always means this machine.
  if (isLoopbackName(host))
    return { state: "ok", message: `${host} is this machine.`, addresses: ["127.0.0.1", "::1"] };
  const [four, six] = await Promise.all([resolveFamily(host, 4), resolveFamily(host, 6)]);
  const addresses = [...four.addresses, ...six.addresses];
  if (addresses.length === 0) throw notFoundProblem(host, four.errno);
  const summary = [formatFamily("IPv4", four), formatFamily("IPv6", six)].join("; ");
  return { state: "ok", message: `${host}: ${summary}.`, addresses };
}

type FamilyResult = { addresses: string[]; errno: string };

async function resolveFamily(host: string, family: 4 | 6): Promise<FamilyResult> {
  try {
    const addresses = await lookup(host, { all: true, family });
    return { addresses: addresses.map(({ address }) => address), errno: "" };
  } catch (error) {
    return { addresses: [], errno: (error as NodeJS.ErrnoException).code ?? "failed" };
  }
}

function formatFamily(family: string, { addresses: [first, ...furtherAddresses] }: FamilyResult): string {
  if (first === undefined) return `no ${family}`;
  return `${family} ${first}${furtherAddresses.length > 0 ? ` and ${furtherAddresses.length} more` : ""}`;
}

function notFoundProblem(host: string, errno: string): Problem {
  const isResolverSilent = errno === "EAI_AGAIN";
  return new Problem("UNREACHABLE", `The name ${host} was not found (${errno}).`, {
    hint: isResolverSilent
      ? "No name server responds. Check this machine's network and its DNS servers."
      : "Check the spelling. A name in a company network may require its VPN.",
  });
}
