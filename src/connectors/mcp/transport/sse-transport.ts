import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  SseError,
  type Transport,
} from "@modelcontextprotocol/client";

/** Time limit in ms for a server to say where messages go. */
const START_TIMEOUT_MS = 10_000;

type McpFetch = (address: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * Creates the library's transport of HTTP with SSE (MCP before 2025-03-26). A stream that breaks ends the connection:
 * the library would open another stream, whose session at the server was not initialized.
 */
export function createSseTransport(url: URL, fetch: McpFetch): Transport {
  const transport: SSEClientTransport = new SSEClientTransport(url, {
    fetch: withStatus(fetch, (message) => transport.onmessage?.(message)),
  });
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await awaitInTime(start(), () => transport.close());
    const { onerror } = transport;
    transport.onerror = (error) => {
      onerror?.(error);
      if (error instanceof SseError) void transport.close();
    };
  };
  return transport;
}

/**
 * Makes an error with its status of a refused message, which the library words as a text only. Some servers answer in
 * the response to a message instead of on the stream; `answer` gets that.
 */
function withStatus(fetch: McpFetch, answer: (message: JSONRPCMessage) => void): McpFetch {
  return async (address, init) => {
    const response = await fetch(address, init);
    if (init?.method !== "POST" || response.headers.has("location")) return response;
    const { status, statusText } = response;
    const text = await response.text();
    if (response.ok) {
      const message = parseAnswer(text);
      if (message) answer(message);
      return new Response(null, { status: 202 });
    }
    const message = `HTTP ${status}`;
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, message, { status, statusText, text });
  };
}

function parseAnswer(text: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function awaitInTime(started: Promise<void>, stop: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The server named no address for messages.")), START_TIMEOUT_MS);
  });
  try {
    await Promise.race([started, late]);
  } catch (error) {
    started.catch(() => {});
    await stop();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
