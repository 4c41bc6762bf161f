import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Problem } from "#protocol/errors";
import { isLoopbackName } from "../addresses.ts";

/** Addresses of a host, those of IPv4 and IPv6 looked up apart, and what is to be said of them. */
type Addresses = { state: "ok" | "skipped"; message: string; addresses: string[] };

/**
 * Find the addresses of a host of a URL, as the system's resolver does.
 *
 * @throws Problem UNREACHABLE when there are none
 */
export async function lookUpAddresses(hostname: string): Promise<Addresses> {
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isIP(host))
    return { state: "skipped", message: `${host} is an address; no name is looked up.`, addresses: [host] };
  // Never looked up: it is this machine, whoever may answer for the name.
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
      ? "No name server answers: check this machine's network, then its name servers."
      : "Check the spelling of the address; a name of a company's own network may need its VPN.",
  });
}
