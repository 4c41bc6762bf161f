import { connect, isIPv6, type Socket } from "node:net";
import { Problem } from "#protocol/errors";
import { isLoopbackHost } from "../addresses.ts";

/** A connection that stands, and how each family of addresses did. */
type Connected = { state: "ok" | "warning"; message: string; fix?: string; socket: Socket };

type Try = { family: string; address: string; ms: number; socket?: Socket; errno: string };

/**
 * Connect to the first IPv4 and the first IPv6 address, each by itself, so that one which does not work is seen.
 *
 * @throws Problem UNREACHABLE when neither answers
 */
export async function connectTo(target: URL, addresses: string[], limit: AbortSignal): Promise<Connected> {
  const port = Number(target.port || (target.protocol === "https:" ? 443 : 80));
  const firsts = [addresses.find((each) => !isIPv6(each)), addresses.find((each) => isIPv6(each))];
  const tries = await Promise.all(
    firsts.filter((address) => address !== undefined).map((address) => tryOne(address, port, limit)),
  );
  const [best, ...others] = tries.filter(({ socket }) => socket);
  for (const { socket } of others) socket?.destroy();
  if (!best?.socket) throw unreachable(target, port, tries);
  const message = `Port ${port}: ${tries.map(format).join("; ")}.`;
  const silent = tries.find(({ errno }) => errno === "no answer");
  // Happy eyeballs go around an address that refuses at once; one that swallows connections costs every command its wait.
  if (!silent || isLoopbackHost(target.hostname)) return { state: "ok", message, socket: best.socket };
  const fix = `Have ${silent.family} work for ${target.hostname}, or turn it off on this machine: each connection may wait for it.`;
  return { state: "warning", message, fix, socket: best.socket };
}

/** An address that does not answer gets less than the whole leg, so that the other one still counts. */
const TRY_LIMIT_MS = 2_500;

function tryOne(address: string, port: number, limit: AbortSignal): Promise<Try> {
  const began = performance.now();
  const family = isIPv6(address) ? "IPv6" : "IPv4";
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: TRY_LIMIT_MS });
    const end = (errno: string) => {
      socket.destroy();
      resolve({ family, address, ms: 0, errno });
    };
    socket.once("connect", () => {
      socket
        .setTimeout(0)
        .removeAllListeners()
        .on("error", () => {});
      resolve({ family, address, ms: performance.now() - began, socket, errno: "" });
    });
    socket.on("error", (error: NodeJS.ErrnoException) => end(error.code ?? "failed"));
    socket.once("timeout", () => end("no answer"));
    limit.addEventListener("abort", () => end("no answer"), { once: true });
  });
}

function format({ family, ms, errno }: Try): string {
  return errno === "" ? `${family} in ${Math.max(1, Math.round(ms))} ms` : `${family} fails (${errno})`;
}

function unreachable(target: URL, port: number, tries: Try[]): Problem {
  const why = tries.map(({ address, errno }) => `${address}: ${errno}`).join(", ");
  const refused = tries.some(({ errno }) => errno === "ECONNREFUSED");
  return new Problem("UNREACHABLE", `Nothing can be reached on port ${port} of ${target.hostname} (${why}).`, {
    hint: refused
      ? "Nothing listens there: check the port, and that what should listen runs."
      : "Check this machine's network, VPN and firewall, or set HTTPS_PROXY where a proxy is needed.",
  });
}
