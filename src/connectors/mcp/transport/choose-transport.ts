import type { Transport } from "@modelcontextprotocol/client";
import type { McpClientOptions } from "../types.ts";
import { createMcpFetch } from "./http-transport.ts";

type Sdk = typeof import("@modelcontextprotocol/client");

/** How messages travel to a server on the network: Streamable HTTP, or HTTP with SSE as before 2025-03-26. */
export type HttpVariant = "streamable" | "sse";

/** Creates the library's transport to a server. `failed` receives each failed request in kay's words. */
export async function createMcpTransport(
  { title, place, variant, resumes }: Pick<McpClientOptions, "title" | "place" | "resumes"> & { variant: HttpVariant },
  sdk: Sdk,
  failed: (problem: unknown) => void,
): Promise<Transport> {
  if ("program" in place) return (await import("./stdio-transport.ts")).createProgramTransport(place.program);
  const url = new URL(place.http.url);
  const fetch = createMcpFetch(title, place.http, failed);
  if (variant === "sse") return (await import("./sse-transport.ts")).createSseTransport(url, fetch);
  const { session: sessionId, version: protocolVersion } = resumes ?? {};
  return (await import("./streamable-transport.ts")).createStreamableTransport(url, {
    sdk,
    fetch,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
  });
}

/** Ends the session at the server, waiting only briefly for the response. */
export async function endSession(transport: Transport): Promise<void> {
  if (!("terminateSession" in transport) || !transport.sessionId) return;
  const ended = (transport as { terminateSession(): Promise<void> }).terminateSession().catch(() => {});
  await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
}
