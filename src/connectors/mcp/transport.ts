import type { Transport } from "@modelcontextprotocol/client";
import { createMcpFetch } from "./http-transport.ts";
import type { McpClientOptions } from "./types.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/** The library's way to a server. `failed` hears each failure of a request in kay's own words. */
export async function createMcpTransport(
  place: McpClientOptions["place"],
  sdk: Sdk,
  failed: (problem: unknown) => void,
): Promise<Transport> {
  if ("program" in place) return (await import("./stdio-transport.ts")).createProgramTransport(place.program);
  const fetch = createMcpFetch(place.http, failed);
  return new sdk.StreamableHTTPClientTransport(new URL(place.http.url), { fetch, requestInit: { redirect: "manual" } });
}

/** A server with sessions is told that this one is over; it is not waited for longer than a moment. */
export async function endSession(transport: Transport): Promise<void> {
  if (!("terminateSession" in transport) || !transport.sessionId) return;
  const told = (transport as { terminateSession(): Promise<void> }).terminateSession().catch(() => {});
  await Promise.race([told, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
}
