import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Problem } from "#protocol/errors";
import { isLoopbackName } from "../addresses.ts";

/** Addresses of a host, with IPv4 and IPv6 looked up separately, and a summary. */
type Addresses = { state: "ok" | "skipped"; message: string; addresses: string[] };

/**
 * Looks up the addresses of a URL's host with the system's resolver.
 *
 * @throws Problem UNREACHABLE when there are none
 */
export async function lookUpAddresses(hostname: string): Promise<Addresses> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host))
    return { state: "skipped", message: `${host} is an IP address, so no lookup is needed.`, addresses: [host] };
  // Never looked up: the name always means this machine.
  if (isLoopbackName(host))
    return { state: "ok", message: `${host} is this machine.`, addresses: ["127.0.0.1", "::1"] };
  const [four, six] = await Promise.all([resolve(host, 4), resolve(host, 6)]);
  const addresses = [...four.addresses, ...six.addresses];
  if (addresses.length === 0) throw notFound(host, four.errno);
  const told = [format("IPv4", four), format("IPv6", six)].join("; ");
  return { state: "ok", message: `${host}: ${told}.`, addresses };
}

type Resolved = { addresses: string[]; errno: string };

async function resolve(host: string, family: 4 | 6): Promise<Resolved> {
  try {
    const found = await lookup(host, { all: true, family });
    return { addresses: found.map(({ address }) => address), errno: "" };
  } catch (error) {
    return { addresses: [], errno: (error as NodeJS.ErrnoException).code ?? "failed" };
  }
}

function format(family: string, { addresses: [first, ...others] }: Resolved): string {
  if (first === undefined) return `no ${family}`;
  return `${family} ${first}${others.length > 0 ? ` and ${others.length} more` : ""}`;
}

function notFound(host: string, errno: string): Problem {
  const away = errno === "EAI_AGAIN";
  return new Problem("UNREACHABLE", `The name ${host} was not found (${errno}).`, {
    hint: away
      ? "No name server responds. Check this machine's network and its DNS servers."
      : "Check the spelling. A name in a company network may require its VPN.",
  });
}
