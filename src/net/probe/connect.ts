import { connect, isIPv6, type Socket } from "node:net";
import { Problem } from "#protocol/errors";
import { isLoopbackHost } from "../addresses.ts";

/** An open connection, and the results for both address families. */
type ConnectResult = { state: "ok" | "warning"; message: string; fix?: string; socket: Socket };

type ConnectTry = { family: string; address: string; ms: number; socket?: Socket; errno: string };

/**
 * Connects to the first IPv4 and the first IPv6 address separately, so that a broken family is detected.
 *
 * @throws Problem UNREACHABLE when neither responds
 */
export async function connectTo(target: URL, addresses: string[], limit: AbortSignal): Promise<ConnectResult> {
  const port = Number(target.port || (target.protocol === "https:" ? 443 : 80));
  const firsts = [addresses.find((address) => !isIPv6(address)), addresses.find((address) => isIPv6(address))];
  const tries = await Promise.all(
    firsts.filter((address) => address !== undefined).map((address) => tryAddress(address, port, limit)),
  );
  const [best, ...spares] = tries.filter(({ socket }) => socket);
  for (const { socket } of spares) socket?.destroy();
  if (!best?.socket) throw unreachableProblem(target, port, tries);
  const message = `Port ${port}: ${tries.map(formatTry).join("; ")}.`;
  const silent = tries.find(({ errno }) => errno === "no answer");
  // Clients skip an address that refuses at once (Happy Eyeballs), but a silent one delays every command.
  if (!silent || isLoopbackHost(target.hostname)) return { state: "ok", message, socket: best.socket };
  const fix = `Fix ${silent.family} for ${target.hostname}, or turn it off on this machine. It may delay every connection.`;
  return { state: "warning", message, fix, socket: best.socket };
}

/** Shorter than the limit of the step, so that a silent address leaves time for the other. */
const TRY_LIMIT_MS = 2_500;

function tryAddress(address: string, port: number, limit: AbortSignal): Promise<ConnectTry> {
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

function formatTry({ family, ms, errno }: ConnectTry): string {
  return errno === "" ? `${family} in ${Math.max(1, Math.round(ms))} ms` : `${family} fails (${errno})`;
}

function unreachableProblem(target: URL, port: number, tries: ConnectTry[]): Problem {
  const reasons = tries.map(({ address, errno }) => `${address}: ${errno}`).join(", ");
  const isRefused = tries.some(({ errno }) => errno === "ECONNREFUSED");
  return new Problem("UNREACHABLE", `Could not connect to port ${port} of ${target.hostname} (${reasons}).`, {
    hint: isRefused
      ? "Nothing is listening. Check the port and that the server is running."
      : "Check this machine's network, VPN and firewall, or set HTTPS_PROXY if a proxy is required.",
  });
}
