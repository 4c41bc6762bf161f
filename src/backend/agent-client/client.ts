import { createParser } from "eventsource-parser";
import { createSilenceTimer } from "#agent/silence";
import type { Fetch } from "#net/ports";
import { AGENT_SILENCE_MS } from "#protocol/agent";
import { Problem } from "#protocol/errors";
import { tryParseJson } from "#protocol/json";

/** A remote agent server. `url` has no trailing slash; `password` is absent only if the server requires none. */
export type AgentServer = { url: string; password?: string };

/** Time limit for the response to a new session and for the headers of a stream, in ms. */
const ANSWER_LIMIT = 15_000;

/** Time limit for a health check, in ms. */
const LIFE_LIMIT = 5_000;

/** Maximum size of an event, in characters. */
const EVENT_LIMIT = 8 * 1024 * 1024;

/**
 * Creates a conversation's session at the agent server, or gives an existing one a new webhook (docs/protocol.md,
 * "Agent servers").
 *
 * @returns the single-use token for its stream
 * @throws Problem AGENT_FAILED
 */
export async function openAgentSession(
  { fetch, agent }: { fetch: Fetch; agent: AgentServer },
  { sessionId, webhookUrl }: { sessionId: string; webhookUrl: string },
): Promise<string> {
  const response = await postToAgent(fetch, agent, `${agent.url}/session`, {
    headers: buildAuthorization(agent),
    body: { sessionId, webhookUrl },
    signal: AbortSignal.timeout(ANSWER_LIMIT),
  });
  const answer = (await response.json().catch(() => undefined)) as { token?: unknown } | undefined;
  if (typeof answer?.token === "string" && answer.token !== "") return answer.token;
  throw new Problem("AGENT_FAILED", `The agent server at ${getHost(agent)} did not return a token for its stream.`);
}

/** Returns the URL from which clients stream a session; they pass the token in the query. */
export function buildStreamUrl({ url }: AgentServer, sessionId: string): string {
  return `${url}/stream/${encodeURIComponent(sessionId)}`;
}

/**
 * Streams an agent server's response to a prompt, one parsed JSON event at a time. Skips events that are not JSON.
 *
 * @throws Problem AGENT_FAILED when the server rejects the request, cannot be reached, or closes the stream early
 */
export async function* streamFromAgent(
  { fetch, agent }: { fetch: Fetch; agent: AgentServer },
  { sessionId, token, prompt, signal }: { sessionId: string; token: string; prompt: string; signal: AbortSignal },
): AsyncGenerator<unknown> {
  const silence = createSilenceTimer(signal, AGENT_SILENCE_MS);
  const url = `${buildStreamUrl(agent, sessionId)}?token=${encodeURIComponent(token)}`;
  const response = await postToAgent(fetch, agent, url, { headers: {}, body: { prompt }, signal: silence.signal });
  const events: unknown[] = [];
  const parser = createParser({
    maxBufferSize: EVENT_LIMIT,
    onEvent: ({ data }) => {
      const value = tryParseJson(data);
      if (value !== undefined) events.push(value);
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded")
        throw new Problem("AGENT_FAILED", `The agent server at ${getHost(agent)} sent an event larger than 8 MiB.`);
    },
  });
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body ?? []) {
      silence.restart(AGENT_SILENCE_MS);
      parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
      yield* events.splice(0);
    }
    parser.feed("\n\n");
    yield* events.splice(0);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem("AGENT_FAILED", `The stream of the agent server at ${getHost(agent)} ended early.`, {
      cause: error,
    });
  } finally {
    silence.clear();
  }
}

/** Whether a server responds at this URL, with any response. */
export async function isReachable(fetch: Fetch, { url }: AgentServer): Promise<boolean> {
  const answer = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(LIFE_LIMIT) }).catch(() => null);
  await answer?.body?.cancel().catch(() => {});
  return answer !== null;
}

/** Feature in `GET /capabilities` of kay's agent server: it continues the generations of its database. */
export const CARRIES_CAPABILITY = "carries_generations";

/** Whether the agent server reports {@link CARRIES_CAPABILITY}. */
export async function canCarryGenerations(fetch: Fetch, agent: AgentServer): Promise<boolean> {
  const capabilities = (await fetchJson(fetch, agent, "/capabilities")) as { features?: unknown } | undefined;
  return Array.isArray(capabilities?.features) && capabilities.features.includes(CARRIES_CAPABILITY);
}

/** Whether the agent server has this conversation in its database. */
export async function hasConversation(fetch: Fetch, agent: AgentServer, id: string): Promise<boolean> {
  const session = (await fetchJson(fetch, agent, `/session/${encodeURIComponent(id)}`)) as
    | { sessionId?: unknown }
    | undefined;
  return session?.sessionId === id;
}

/** Returns the host and port of an agent server, for messages. */
export function getHost({ url }: AgentServer): string {
  return new URL(url).host;
}

/**
 * Returns the JSON at a path, or undefined for an error status or another type.
 *
 * @throws Problem AGENT_FAILED when the server cannot be reached
 */
async function fetchJson(fetch: Fetch, agent: AgentServer, path: string): Promise<unknown> {
  const request = {
    headers: buildAuthorization(agent),
    redirect: "manual" as const,
    signal: AbortSignal.timeout(LIFE_LIMIT),
  };
  const response = await fetch(`${agent.url}${path}`, request).catch(createUnreachableHandler(agent));
  if (response.ok) return await response.json().catch(() => undefined);
  await response.body?.cancel().catch(() => {});
  return undefined;
}

function buildAuthorization({ password }: AgentServer): Record<string, string> {
  return password ? { authorization: `Bearer ${password}` } : {};
}

function createUnreachableHandler(agent: AgentServer): (cause: unknown) => never {
  return (cause) => {
    throw new Problem("AGENT_FAILED", `Could not reach the agent server at ${getHost(agent)}.`, { cause });
  };
}

async function postToAgent(
  fetch: Fetch,
  agent: AgentServer,
  url: string,
  { headers, body, signal }: { headers: Record<string, string>; body: unknown; signal: AbortSignal },
): Promise<Response> {
  const request = {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: JSON.stringify(body),
    redirect: "manual" as const,
    signal,
  };
  const response = await fetch(url, request).catch(createUnreachableHandler(agent));
  if (response.ok) return response;
  await response.body?.cancel().catch(() => {});
  const isRejected = response.status === 401 || response.status === 403;
  const reason = isRejected ? "rejected the password or the token" : "rejected the request";
  throw new Problem("AGENT_FAILED", `The agent server at ${getHost(agent)} ${reason} (HTTP ${response.status}).`, {
    ...(isRejected ? { hint: "Ask your administrator to set KAY_AGENT_PASSWORD to the agent server's password." } : {}),
  });
}
