import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Below the ephemeral ports of Linux, macOS and Windows, so that no program takes one by chance. */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** Returns a loopback port that is free and stays free between two starts of a program. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    const server = await tryListening(port);
    if (!server) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
  throw new Error(`no free port between ${LOWEST} and ${HIGHEST}`);
}

async function tryListening(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return server;
  } catch {
    return undefined;
  }
}
