import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The reference server of MCP, as a program: a command for stdio. */
export const EVERYTHING = [
  process.execPath,
  fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js")),
];

/**
 * By itself it listens on every address, at a fixed port. Here it listens only on this machine, at a free port, and
 * prints which.
 */
const LOOPBACK = `
import net from "node:net";
const { listen } = net.Server.prototype;
net.Server.prototype.listen = function (_, done) {
  return listen.call(this, { port: 0, host: "127.0.0.1" }, () => {
    console.error("port " + this.address().port);
    done?.();
  });
};`;

/**
 * The same on the network of this machine, over Streamable HTTP or the older HTTP with SSE, as a process that `end`
 * ends.
 */
export async function everythingServer(
  transport: "streamableHttp" | "sse" = "streamableHttp",
): Promise<{ url: string; end(): Promise<void> }> {
  const [node = "", ...server] = EVERYTHING;
  const loopback = `data:text/javascript,${encodeURIComponent(LOOPBACK)}`;
  const child = spawn(node, ["--import", loopback, ...server, transport], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = async () => {
    child.kill("SIGKILL");
    await exited;
  };
  for await (const line of createInterface({ input: child.stderr })) {
    const port = /^port (\d+)$/.exec(line)?.[1];
    if (port === undefined) continue;
    child.stderr.resume();
    return { url: `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "mcp"}`, end };
  }
  await end();
  throw new Error("The reference server did not start.");
}
