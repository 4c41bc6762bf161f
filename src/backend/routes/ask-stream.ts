import { AskStreamRequest, type AskStreamResponse } from "#protocol/agent";
import { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { buildStreamUrl } from "../agent-client/client.ts";
import type { Engine } from "../generations/engine.ts";
import { openTurn, toRemoteTurn } from "../generations/remote.ts";
import { checkAllowList, type NewGeneration, parseLimits } from "../generations/request.ts";
import { startGeneration } from "../generations/start.ts";
import type { BackendPorts } from "../ports.ts";
import { putClient } from "../store/clients.ts";
import { readJsonBody } from "./body.ts";
import { parseClient, type RequestedClient, toClientMode } from "./client-mode.ts";
import { streamEvents } from "./event-stream.ts";

/** Position of an ask's stream, for a repeated request or a lookup. */
export type StreamPosition = { session_id: string; generation_id: string; after: number };

/** Begin a generation whose events are streamed (protocol section 2). */
export async function beginAskStream(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  body: unknown,
): Promise<StreamPosition> {
  const asked = parseShape(AskRequest, body, "the request");
  const client = asked.client && parseClient(asked.client);
  await checkAllowList(ports, installationId, asked);
  const { prompt, interactive = false, confirm = false, context = {} } = asked;
  const limits = parseLimits(asked);
  const started = await startGeneration(ports, engine, installationId, {
    ...asked,
    request: { prompt, context, interactive, confirm, mode: "stream", source: "typed", limits },
  });
  const { conversationId, generationId, after, queued } = started;
  // Before the work begins, which may ask at once.
  if (client)
    await putClient(ports.db, { conversationId, clientId: client.id }, toClientMode(client), ports.clock.now());
  if (!queued) engine.wake(generationId);
  return { session_id: conversationId, generation_id: generationId, after };
}

/** Streams a generation from its first event to its last. A reader counts as a follower while it reads. */
export async function streamGeneration(
  ports: BackendPorts,
  engine: Engine,
  { session_id: conversationId, generation_id: generationId, after }: StreamPosition,
  client?: RequestedClient,
): Promise<Response> {
  const left = client && (await engine.attendance.attend({ conversationId, clientId: client.id }, client));
  return streamEvents(engine, ports, { conversationId, generationId, after, left });
}

/**
 * Begin a turn that the client streams from the agent server itself: the whole of `POST /ask/stream`, and of a `POST /ask` whose client said
 * that it would rather have that.
 *
 * @throws Problem AGENT_NOT_CONFIGURED, AGENT_FAILED, INVALID_REQUEST for what an agent server cannot be held to
 */
export async function beginDirectTurn(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  request: Request,
): Promise<AskStreamResponse> {
  const answer = await begun(ports, engine, installationId, await readJsonBody(request));
  // The caller is gone, so there is no reader.
  if (request.signal.aborted) await engine.stop(answer.generation_id, "The caller has disconnected.");
  return answer;
}

async function begun(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  body: unknown,
): Promise<AskStreamResponse> {
  const { agent } = ports;
  if (!agent) throw new Problem("AGENT_NOT_CONFIGURED", "Agent URL not configured");
  const { prompt, session_id } = parseShape(AskStreamRequest, body, "the request");
  if (prompt.trim() === "")
    throw new Problem("INVALID_REQUEST", "Missing required field: prompt", { details: { field: "prompt" } });
  const asked = parseShape(AskRequest, body, "the request");
  const request: NewGeneration["request"] = {
    prompt,
    context: {},
    interactive: false,
    confirm: asked.confirm ?? false,
    mode: "stream",
    source: "typed",
    limits: parseLimits(asked),
  };
  const remote = toRemoteTurn(ports.clock.now(), true);
  const turn = await startGeneration(ports, engine, installationId, { session_id, request, remote });
  const token = await openTurn(ports, agent, turn).catch(async (error: unknown) => {
    await engine.stop(turn.generationId, "The agent server could not be asked.");
    throw error;
  });
  engine.wake(turn.generationId);
  return {
    session_id: turn.conversationId,
    generation_id: turn.generationId,
    stream_token: token,
    stream_url: buildStreamUrl(agent, turn.conversationId),
    after: turn.after,
  };
}
