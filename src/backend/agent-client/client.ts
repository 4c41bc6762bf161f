import { createParser } from "eventsource-parser";
import type { Fetch } from "#net/ports";
import { AGENT_SILENCE_MS } from "#protocol/agent";
import { Problem } from "#protocol/errors";

/** An agent server elsewhere. `url` without a slash at its end; its password is left out only where it asks for none. */
export type AgentServer = { url: string; password?: string };

/** Milliseconds for the answer to a new session, and for the head of a stream. */
const ANSWER_LIMIT = 15_000;

/** Milliseconds for any sign of life. */
const LIFE_LIMIT = 5_000;

/** Largest event that is read, in characters. */
const EVENT_LIMIT = 8 * 1024 * 1024;

/**
 * Make the session of a conversation at the agent server, or give the one that is there a new webhook (seed: agent streaming, step 2).
 *
 * @returns the token for its stream, to be used once
 * @throws Problem AGENT_FAILED
 */
export async function openAgentSession(
  { fetch, agent }: { fetch: Fetch; agent: AgentServer },
  { sessionId, webhookUrl }: { sessionId: string; webhookUrl: string },
): Promise<string> {
  const response = await asked(fetch, agent, `${agent.url}/session`, {
    headers: authorization(agent),
    body: { sessionId, webhookUrl },
    signal: AbortSignal.timeout(ANSWER_LIMIT),
  });
  const answer = (await response.json().catch(() => undefined)) as { token?: unknown } | undefined;
  if (typeof answer?.token === "string" && answer.token !== "") return answer.token;
  throw new Problem("AGENT_FAILED", `The agent server at ${getHost(agent)} gave no token for its stream.`);
}

/** Where a session is streamed from: for clients, which give the token in the query (seed, step 4). */
export function buildStreamUrl({ url }: AgentServer, sessionId: string): string {
  return `${url}/stream/${encodeURIComponent(sessionId)}`;
}

/**
 * What the agent server streams for a prompt, each event as its JSON; what is none is passed over.
 *
 * @throws Problem AGENT_FAILED when it refuses, cannot be reached, or breaks off
 */
export async function* streamFromAgent(
  { fetch, agent }: { fetch: Fetch; agent: AgentServer },
  { sessionId, token, prompt, signal }: { sessionId: string; token: string; prompt: string; signal: AbortSignal },
): AsyncGenerator<unknown> {
  const silence = createSilence(signal);
  const url = `${buildStreamUrl(agent, sessionId)}?token=${encodeURIComponent(token)}`;
  const response = await asked(fetch, agent, url, { headers: {}, body: { prompt }, signal: silence.signal });
  const found: unknown[] = [];
  const parser = createParser({
    maxBufferSize: EVENT_LIMIT,
    onEvent: ({ data }) => {
      const value = parse(data);
      if (value !== undefined) found.push(value);
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded")
        throw new Problem("AGENT_FAILED", `The agent server at ${getHost(agent)} sent an event of more than 8 MiB.`);
    },
  });
  const decoder = new TextDecoder();
  try {
    for await (const bytes of response.body ?? []) {
      silence.heard();
      parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }));
      yield* found.splice(0);
    }
    parser.feed("\n\n");
    yield* found.splice(0);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem("AGENT_FAILED", `The stream of the agent server at ${getHost(agent)} broke off.`, {
      cause: error,
    });
  } finally {
    silence.over();
  }
}

/** Whether anything answers there, whatever it is. */
export async function isReachable(fetch: Fetch, { url }: AgentServer): Promise<boolean> {
  const answer = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(LIFE_LIMIT) }).catch(() => null);
  await answer?.body?.cancel().catch(() => {});
  return answer !== null;
}

/** What kay's own agent server says of itself (`GET /capabilities`): it carries generations of its database on. */
export const CARRIES_CAPABILITY = "carries_generations";

/** Whether it says so. */
export async function canCarryGenerations(fetch: Fetch, agent: AgentServer): Promise<boolean> {
  const told = (await found(fetch, agent, "/capabilities")) as { features?: unknown } | undefined;
  return Array.isArray(told?.features) && told.features.includes(CARRIES_CAPABILITY);
}

/** Whether a conversation is one of its own. */
export async function hasConversation(fetch: Fetch, agent: AgentServer, id: string): Promise<boolean> {
  const told = (await found(fetch, agent, `/session/${encodeURIComponent(id)}`)) as { sessionId?: unknown } | undefined;
  return told?.sessionId === id;
}

/** Name and port of an agent server, for sentences. */
export function getHost({ url }: AgentServer): string {
  return new URL(url).host;
}

/** What it answers, as JSON; undefined for whatever else. @throws Problem AGENT_FAILED when it cannot be reached */
async function found(fetch: Fetch, agent: AgentServer, path: string): Promise<unknown> {
  const request = {
    headers: authorization(agent),
    redirect: "manual" as const,
    signal: AbortSignal.timeout(LIFE_LIMIT),
  };
  const response = await fetch(`${agent.url}${path}`, request).catch(unreached(agent));
  if (response.ok) return await response.json().catch(() => undefined);
  await response.body?.cancel().catch(() => {});
  return undefined;
}

function authorization({ password }: AgentServer): Record<string, string> {
  return password ? { authorization: `Bearer ${password}` } : {};
}

function unreached(agent: AgentServer): (cause: unknown) => never {
  return (cause) => {
    throw new Problem("AGENT_FAILED", `The agent server at ${getHost(agent)} could not be reached.`, { cause });
  };
}

async function asked(
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
  const response = await fetch(url, request).catch(unreached(agent));
  if (response.ok) return response;
  await response.body?.cancel().catch(() => {});
  const refused = response.status === 401 || response.status === 403;
  const why = refused ? "refused the password or the token" : "did not take the request";
  throw new Problem("AGENT_FAILED", `The agent server at ${getHost(agent)} ${why} (HTTP ${response.status}).`, {
    ...(refused ? { hint: "Whoever runs the backend sets KAY_AGENT_PASSWORD to the agent server's password." } : {}),
  });
}

/** Ends what nothing comes from for too long. */
function createSilence(signal: AbortSignal): { signal: AbortSignal; heard(): void; over(): void } {
  const silent = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), AGENT_SILENCE_MS).unref();
  };
  heard();
  return { signal: AbortSignal.any([signal, silent.signal]), heard, over: () => clearTimeout(timer) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
