import { Hono } from "hono";
import { StreamOutcome } from "#protocol/agent";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { getFailureCode } from "#telemetry/trace";
import { authenticate } from "../accounts/authenticate.ts";
import type { Engine } from "../generations/engine.ts";
import { acceptReport, recordStreamOutcome } from "../generations/reports.ts";
import { findOwnGeneration } from "../generations/requests/auth.ts";
import type { BackendPorts } from "../ports.ts";
import { readJsonBody } from "./body.ts";
import { answerDirectTurn } from "./direct-turn.ts";
import { authenticateWrite } from "./idempotency.ts";

/**
 * Routes for remote agent servers: `POST /ask/stream` and `POST /generations/:id/stream` for clients that stream from
 * them directly, `POST /agent/webhook` for the agent server.
 */
export function createRemoteRoutes(ports: BackendPorts, engine: Engine): Hono {
  const app = new Hono();
  app.post("/ask/stream", async (c) => {
    const { installationId } = await authenticateWrite(ports, c.req.raw);
    return await answerDirectTurn(ports, engine, installationId, c.req.raw);
  });
  app.post("/generations/:id/stream", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const { id, progress } = await findOwnGeneration(ports, installationId, c.req.param("id"));
    const outcome = parseShape(StreamOutcome, await readJsonBody(c.req.raw), "the outcome of the stream");
    if (!progress.remote?.direct)
      throw new Problem("INVALID_REQUEST", "No client streams this turn from an agent server.");
    await recordStreamOutcome(ports, id, outcome);
    return c.json({ success: true });
  });
  app.post("/agent/webhook", async (c) => {
    const token = c.req.query("token");
    if (!token) throw new Problem("INVALID_REQUEST", "Missing token", { details: { field: "token" } });
    const count = (outcome: string) => ports.observe?.count("kay_webhooks_total", { outcome });
    const isNew = await acceptReport(ports, token, await readJsonBody(c.req.raw)).catch((error: unknown) => {
      count(getFailureCode(error));
      throw error;
    });
    count(isNew ? "new" : "duplicate");
    return c.json({ success: true, ...(isNew ? {} : { duplicate: true }) });
  });
  return app;
}
