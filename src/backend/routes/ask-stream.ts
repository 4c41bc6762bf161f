import { AskRequest } from "#protocol/ask";
import { parseShape } from "#protocol/parse";
import type { Engine } from "../generations/engine.ts";
import { parseLimits } from "../generations/generation-record.ts";
import { checkAllowList } from "../generations/permits.ts";
import { startGeneration } from "../generations/start.ts";
import type { BackendPorts } from "../ports.ts";
import { putClient } from "../store/clients.ts";
import { parseClient, type RequestedClient, toClientMode } from "./client-mode.ts";
import { streamEvents } from "./event-stream.ts";

/** Where the stream of an ask is, for whoever repeats it or looks up what became of it. */
export type StreamPosition = { session_id: string; generation_id: string; after: number };

/** Begin a generation whose events are streamed (protocol section 2). */
export async function beginAskStream(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  body: unknown,
): Promise<StreamPosition> {
  const request = parseShape(AskRequest, body, "the request");
  const client = request.client && parseClient(request.client);
  await checkAllowList(ports, installationId, request);
  const { prompt, interactive = false, confirm = false, context = {} } = request;
  const started = await startGeneration(ports, engine, installationId, {
    ...request,
    options: { prompt, context, interactive, confirm, mode: "stream", source: "typed", ...parseLimits(request) },
  });
  const { conversationId, generationId, after, queued } = started;
  // Before the work begins, which may ask at once.
  if (client)
    await putClient(ports.db, { conversationId, clientId: client.id }, toClientMode(client), ports.clock.now());
  if (!queued) engine.wake(generationId);
  return { session_id: conversationId, generation_id: generationId, after };
}

/** The stream of a generation, from its first event to its last. Whoever reads it is there for as long as they do. */
export async function streamGeneration(
  ports: BackendPorts,
  engine: Engine,
  { session_id: conversationId, generation_id: generationId, after }: StreamPosition,
  client?: RequestedClient,
): Promise<Response> {
  const left = client && (await engine.attendance.attend({ conversationId, clientId: client.id }, client));
  return streamEvents(engine, ports, { conversationId, generationId, after, left });
}
