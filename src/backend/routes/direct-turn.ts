import { AskStreamRequest, type AskStreamResponse } from "#protocol/agent";
import { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { buildStreamUrl } from "../agent-client/client.ts";
import type { Engine } from "../generations/engine.ts";
import { openTurn, toRemoteTurn } from "../generations/remote.ts";
import { type LinkRequest, type NewGeneration, parseChoices, parseLimits } from "../generations/request.ts";
import { startGeneration } from "../generations/requests/start.ts";
import type { BackendPorts } from "../ports.ts";
import { streamGeneration } from "./ask-stream.ts";
import { runOnce } from "./idempotency.ts";
import { getStreamPosition } from "./outcome.ts";

/**
 * Starts a turn that the client streams from the agent server directly, for `POST /ask/stream` and for a `POST /ask`
 * whose client prefers it.
 *
 * @throws Problem AGENT_NOT_CONFIGURED, AGENT_FAILED, INVALID_REQUEST for limits that an agent server cannot enforce
 */
export async function answerDirectTurn(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  request: Request,
): Promise<Response> {
  let turn: AskStreamResponse | undefined;
  const { status, body: storedAnswer } = await runOnce(
    ports,
    installationId,
    request,
    async (body, signal, { link }) => {
      turn = await beginDirectTurn(ports, engine, installationId, { body, link });
      // The caller has disconnected, so nobody reads the stream.
      if (signal.aborted) await engine.stop(turn.generation_id, "The caller has disconnected.");
      const { session_id, generation_id, after = 0 } = turn;
      // The token is for this caller alone; a repeat reads the turn from the log.
      return { status: 200, body: { stream: { session_id, generation_id, after } } };
    },
  );
  const stream = getStreamPosition(storedAnswer);
  if (turn || !stream) return Response.json(turn ?? storedAnswer, { status });
  return await streamGeneration(ports, engine, stream);
}

async function beginDirectTurn(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  { body, link }: { body: unknown; link: LinkRequest },
): Promise<AskStreamResponse> {
  const { agent } = ports;
  if (!agent) throw new Problem("AGENT_NOT_CONFIGURED", "Agent URL not configured");
  const { prompt, session_id } = parseShape(AskStreamRequest, body, "the request");
  if (prompt.trim() === "")
    throw new Problem("INVALID_REQUEST", "Missing required field: prompt", { details: { field: "prompt" } });
  const askRequest = parseShape(AskRequest, body, "the request");
  const request: NewGeneration["request"] = {
    prompt,
    context: {},
    interactive: false,
    confirm: askRequest.confirm ?? false,
    mode: "stream",
    source: "typed",
    limits: parseLimits(askRequest),
    ...parseChoices(askRequest),
  };
  const remote = toRemoteTurn(ports.clock.now(), true);
  const { attachments } = askRequest;
  const turn = await startGeneration(ports, engine, installationId, { session_id, request, attachments, remote, link });
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
