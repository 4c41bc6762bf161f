import { AskRequest } from "#protocol/ask";
import { parseShape } from "#protocol/parse";
import type { Engine } from "../generations/engine.ts";
import {
  checkAllowList,
  checkModelChoice,
  type LinkRequest,
  parseChoices,
  parseLimits,
} from "../generations/request.ts";
import { startGeneration } from "../generations/requests/start.ts";
import type { BackendPorts } from "../ports.ts";
import { putClient } from "../store/clients.ts";
import { retryWhileAway } from "../store/round-trips.ts";
import { parseClient, type RequestedClient, toClientMode } from "./client-mode.ts";
import { streamEvents } from "./event-stream.ts";

/** Position of a request's stream, for a repeated request or a lookup. */
export type StreamPosition = { session_id: string; generation_id: string; after: number };

/** Starts a generation whose events are streamed. */
export async function beginAskStream(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  body: unknown,
  link: LinkRequest,
): Promise<StreamPosition> {
  const request = parseShape(AskRequest, body, "the request");
  const client = request.client && parseClient(request.client);
  await checkAllowList(ports, installationId, request);
  await checkModelChoice(ports, request.model);
  const { prompt, interactive = false, confirm = false, plan = false, context = {} } = request;
  const limits = parseLimits(request);
  const generation = await startGeneration(ports, engine, installationId, {
    ...request,
    request: {
      ...{ prompt, context, interactive, confirm, mode: "stream", source: "typed", limits },
      ...(confirm && plan ? { plan } : {}),
      ...parseChoices(request),
    },
    link,
  });
  const { conversationId, generationId, after, queued } = generation;
  // Before the work begins, because it may ask at once.
  if (client) {
    const place = { conversationId, clientId: client.id };
    await retryWhileAway(() => putClient(ports.db, place, toClientMode(client), ports.clock.now()));
  }
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
  const leave = client && (await engine.attendance.attend({ conversationId, clientId: client.id }, client));
  return streamEvents(engine, ports, { conversationId, generationId, after, left: leave });
}
