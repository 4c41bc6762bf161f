import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isRecord, toRecord } from "#protocol/json";

type Sdk = typeof import("@modelcontextprotocol/client");
type McpFetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

/** Code of the error that ends a request whose response ended without an answer. For errors of clients (JSON-RPC 2.0). */
export const NO_ANSWER_CODE = -32_099;

/**
 * Creates the library's Streamable HTTP transport. A request whose response ends without an answer fails at once,
 * instead of at its time limit. One that was only accepted may be answered on the server's own stream, if it has one.
 */
export function createStreamableTransport(
  url: URL,
  { sdk, fetch, ...options }: { sdk: Sdk; fetch: McpFetch; sessionId?: string; protocolVersion?: string },
): Transport {
  let isListening = Promise.resolve(false);
  const failUnanswered = (id: unknown): void => {
    if (typeof id !== "number") return;
    transport.onmessage?.({ jsonrpc: "2.0", id, error: { code: NO_ANSWER_CODE, message: "No answer" } });
  };
  const watch: McpFetch = async (address, init = {}) => {
    const pending = fetch(address, init);
    if (init.method === "GET" && !new Headers(init.headers).has("last-event-id"))
      isListening = isOpened(pending, isListening);
    const response = await pending;
    const message: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    if (response.status !== 202 || !isRecord(message)) return response;
    if (message.method === "initialize") return await listen(address, init, response);
    void isListening.then((mayFollow) => {
      if (!mayFollow) failUnanswered(message.id);
    });
    return response;
  };
  /** A server that only accepts the first request answers it on the stream, which the library opens later. */
  const listen = async (address: string | URL, init: RequestInit, accepted: Response): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.delete("content-type");
    const session = accepted.headers.get("mcp-session-id");
    if (session !== null) headers.set("mcp-session-id", session);
    const { ok, body, headers: opened } = await watch(address, { ...init, method: "GET", body: undefined, headers });
    if (ok && session !== null) opened.set("mcp-session-id", session);
    if (ok) return new Response(body, { headers: opened });
    failUnanswered(toRecord(JSON.parse(String(init.body))).id);
    return accepted;
  };
  const transport = new sdk.StreamableHTTPClientTransport(url, { fetch: watch, ...options });
  const send = transport.send.bind(transport);
  transport.send = async (message: JSONRPCMessage, sendOptions) => {
    const id = "id" in message && "method" in message ? message.id : undefined;
    await send(message, { onRequestStreamEnd: () => failUnanswered(id), ...sendOptions });
  };
  return transport;
}

/** A second stream may be refused while the first is open. */
async function isOpened(response: Promise<Response>, wasListening: Promise<boolean>): Promise<boolean> {
  const isOk = await response.then(({ ok }) => ok).catch(() => false);
  return isOk || (await wasListening);
}
