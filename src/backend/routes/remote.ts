import { Hono } from "hono";
import { AskStreamRequest, type AskStreamResponse, StreamOutcome } from "#protocol/agent";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate } from "../accounts/authenticate.ts";
import { ownGeneration } from "../generations/auth.ts";
import type { Engine } from "../generations/engine.ts";
import { optionsOf } from "../generations/options.ts";
import { openTurn, remoteTurn } from "../generations/remote.ts";
import { noteStream, takeReport } from "../generations/reports.ts";
import { start } from "../generations/start.ts";
import { failureOf } from "../observe.ts";
import type { BackendPorts } from "../ports.ts";
import { streamUrl } from "../remote/agent-server.ts";
import { readJsonBody } from "./body.ts";

/**
 * Agent servers elsewhere (protocol section 4): `POST /ask/stream` and `POST /generations/:id/stream` for clients that stream from there
 * themselves, `POST /agent/webhook` for the agent server.
 */
export function remoteRoutes(ports: BackendPorts, engine: Engine): Hono {
  const app = new Hono();
  app.post("/ask/stream", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const answer = await askStream(ports, engine, installationId, await readJsonBody(c.req.raw));
    // Nobody is there to stream it.
    if (c.req.raw.signal.aborted) await engine.stop(answer.generation_id, "Whoever asked has gone.");
    return c.json(answer);
  });
  app.post("/generations/:id/stream", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const { id, options } = await ownGeneration(ports, installationId, c.req.param("id"));
    const outcome = parseShape(StreamOutcome, await readJsonBody(c.req.raw), "what became of the stream");
    if (!optionsOf({ options }).remote?.direct)
      throw new Problem("INVALID_REQUEST", "No client streams this turn from an agent server.");
    await noteStream(ports, id, outcome);
    return c.json({ success: true });
  });
  app.post("/agent/webhook", async (c) => {
    const token = c.req.query("token");
    if (!token) throw new Problem("INVALID_REQUEST", "Missing token", { details: { field: "token" } });
    const count = (outcome: string) => ports.observe?.count("kay_webhooks_total", { outcome });
    const isNew = await takeReport(ports, token, await readJsonBody(c.req.raw)).catch((error: unknown) => {
      count(failureOf(error));
      throw error;
    });
    count(isNew ? "new" : "duplicate");
    return c.json({ success: true, ...(isNew ? {} : { duplicate: true }) });
  });
  return app;
}

async function askStream(
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
  const now = ports.clock.now();
  const begun = await start(ports, engine, installationId, {
    session_id,
    options: {
      prompt,
      context: {},
      interactive: false,
      confirm: false,
      mode: "stream",
      source: "typed",
      ...remoteTurn(now, true),
    },
  });
  const { conversationId, generationId, after } = begun;
  const token = await openTurn(ports, agent, begun).catch(async (error: unknown) => {
    await engine.stop(generationId, "The agent server could not be asked.");
    throw error;
  });
  engine.wake(generationId);
  return {
    session_id: conversationId,
    generation_id: generationId,
    stream_token: token,
    stream_url: streamUrl(agent, conversationId),
    after,
  };
}
