import { isLoopbackHost } from "#net/addresses";
import type { OpenStream, Streaming } from "#net/ports";
import { AGENT_SILENCE_MS } from "#protocol/agent";
import { Problem } from "#protocol/errors";
import { hideSecrets } from "#protocol/redact";
import { createEventReader } from "../sse.ts";

/**
 * A failure to open or read an agent server's stream. `clause` follows the server's name in messages. `sent`: the
 * prompt may have arrived.
 */
export class AgentStreamError extends Error {
  readonly clause: string;
  readonly sent: boolean;

  constructor(clause: string, wasSent: boolean) {
    super(clause);
    this.clause = clause;
    this.sent = wasSent;
  }
}

/** A request to an agent server. `backendUrl` is the backend that named the server; `version` is kay's. */
type AgentRequest = {
  streamUrl: string;
  token: string;
  prompt: string;
  backendUrl: string;
  version: string;
  signal: AbortSignal;
};

/** Returns the host and port of a stream for messages, never its path or query. */
export function getAgentHost(streamUrl: string): string {
  return URL.parse(streamUrl)?.host || "an unknown address";
}

/**
 * Sends the prompt once and yields each event of the stream as JSON; the final mark becomes `{"type":"finish"}`.
 * Ignores events that are not JSON, sends no credentials, and follows no redirect.
 *
 * @throws AgentStreamError when the stream cannot be opened or breaks off; Problem CANCELLED after the signal
 */
export async function* streamAgentEvents(openStream: OpenStream, request: AgentRequest): AsyncGenerator<unknown> {
  const { body } = await openAgentStream(openStream, request);
  const reader = createEventReader(getAgentHost(request.streamUrl));
  try {
    for await (const bytes of body) for (const { data } of reader.feed(bytes)) yield* parseValues(data, request.token);
    for (const { data } of reader.end()) yield* parseValues(data, request.token);
  } catch (error) {
    throw toStreamError(error, true);
  }
}

async function openAgentStream(openStream: OpenStream, agentRequest: AgentRequest): Promise<Streaming> {
  const { prompt, version, signal } = agentRequest;
  const request = {
    method: "POST" as const,
    url: buildTargetUrl(agentRequest),
    headers: { Accept: "text/event-stream", "Content-Type": "application/json", "User-Agent": `kay/${version}` },
    body: JSON.stringify({ prompt }),
    headTimeoutMs: AGENT_SILENCE_MS,
    idleTimeoutMs: AGENT_SILENCE_MS,
    signal,
  };
  const stream = await openStream(request).catch((error: unknown) => {
    throw toStreamError(error, false);
  });
  const fault = findHeadError(stream);
  if (!fault) return stream;
  stream.close();
  throw fault;
}

/**
 * Returns the URL to send to. It must be encrypted, or on this machine if the backend is local too: a remote backend
 * must not direct requests to local ports.
 */
function buildTargetUrl({ streamUrl, token, backendUrl }: AgentRequest): string {
  const url = URL.parse(streamUrl);
  const here = url !== null && isLoopbackHost(url.hostname) && isLoopbackHost(new URL(backendUrl).hostname);
  const safe = here ? /^https?:$/.test(url.protocol) : url?.protocol === "https:" && !isLoopbackHost(url.hostname);
  if (!url || !safe || url.username || url.password)
    throw new AgentStreamError("has an address that is not safe to use", false);
  url.hash = "";
  url.searchParams.set("token", token);
  return url.href;
}

/** Returns an error for an unexpected head of an answer. Only a rejection proves that the prompt was not accepted. */
function findHeadError({ status, headers }: Streaming): AgentStreamError | undefined {
  const type = headers["content-type"] ?? "";
  if (status === 200 && /^text\/event-stream\b/i.test(type)) return undefined;
  if (status >= 300 && status < 400)
    return new AgentStreamError(`answered with a redirect (HTTP ${status})`, status !== 307 && status !== 308);
  if (status === 401 || status === 403)
    return new AgentStreamError(`rejected the token of the stream (HTTP ${status})`, false);
  if (status >= 400 && status < 500 && status !== 408)
    return new AgentStreamError(`rejected the request (HTTP ${status})`, false);
  if (status >= 400) return new AgentStreamError(`failed (HTTP ${status})`, true);
  const kind = /\bhtml\b/i.test(type) ? "a web page" : "something else";
  return new AgentStreamError(`answered with ${kind} instead of a stream`, true);
}

function toStreamError(error: unknown, hasBegun: boolean): Error {
  if (!(error instanceof Problem)) return error instanceof Error ? error : new Error(String(error));
  const { code, details } = error;
  if (code === "CANCELLED") return error;
  const wasSent = hasBegun || details.sent !== false;
  const errno = typeof details.errno === "string" ? ` (${details.errno})` : "";
  if (code === "TLS_FAILED") return new AgentStreamError(`has a certificate that is not trusted here${errno}`, wasSent);
  if (code === "BAD_ANSWER") return new AgentStreamError("sent data that kay cannot read", wasSent);
  if (details.idle || (code === "TIMED_OUT" && wasSent))
    return new AgentStreamError(`sent nothing for ${AGENT_SILENCE_MS / 60_000} minutes`, wasSent);
  return new AgentStreamError(
    wasSent ? `ended the stream early${errno}` : `cannot be reached from this machine${errno}`,
    wasSent,
  );
}

function parseValues(data: string, token: string): unknown[] {
  if (data.trim() === "[DONE]") return [{ type: "finish" }];
  try {
    return [JSON.parse(hideSecrets(data, [token]))];
  } catch {
    return [];
  }
}
