import { Hono } from "hono";
import { testModel } from "#agent/models/test";
import { describeModel } from "#agent/models/view";
import type { Clock } from "#net/ports";
import { Problem } from "#protocol/errors";
import { authenticate } from "../accounts/authenticate.ts";
import { CARRIES_CAPABILITY, canCarryGenerations } from "../agent-client/client.ts";
import type { BackendPorts } from "../ports.ts";
import { hasOwnTables } from "../store/database.ts";
import { STREAM_HEADERS } from "./sse.ts";

/** Features that an agent server outside this database does not get or cannot enforce. */
const BOUNDS = [
  "output_schema",
  "max_steps",
  "dry_run",
  "allow",
  "ask_model",
  "approval_timeout",
  "attachments",
  "instructions",
];

/** Features of this backend beyond the basic protocol. A client may rely on each that is listed. */
const FEATURES = [
  "code_challenge",
  "needs_tokens",
  "sites",
  "status_details",
  "idempotency",
  "services",
  "tools",
  "calls",
  "streaming",
  "interactions",
  "sessions",
  "policies",
  "approvals",
  "model",
  ...BOUNDS,
  "answer_page",
  "usage",
  "background",
  "schedules",
  "script_tokens",
];

/**
 * Routes about the backend: what it offers (`GET /capabilities`), whether it works (`GET /health`) and accepts requests
 * (`GET /ready`), both for probes without a secret, and whether its streams arrive as they are sent (`GET
 * /health/stream`).
 *
 * @param draining whether the node will stop soon
 */
export function createAboutRoutes(ports: BackendPorts, draining: () => boolean): Hono {
  const app = new Hono();
  const { version, sandbox } = ports;
  app.get("/health", async (c) => {
    await getTables(ports);
    return c.json({ name: "kay", version, sandbox, status: "ok" });
  });
  app.get("/ready", async (c) => {
    if (draining()) throw new Problem("NOT_READY", "This node is shutting down. Use another one.");
    if (!(await getTables(ports))) throw new Problem("NOT_READY", "The database schema is older than this node's.");
    return c.json({ status: "ready" });
  });
  app.get("/health/stream", () => streamBeats(ports.clock));
  app.get("/capabilities", async (c) => {
    const { name: model } = await describeModel(ports.model());
    return c.json({ name: "kay", version, sandbox, model, features: await getFeatures(ports) });
  });
  return app;
}

async function getFeatures(ports: BackendPorts): Promise<string[]> {
  const features = await listFeatures(ports);
  return ports.mcp ? [...features, "mcp_endpoint"] : features;
}

async function listFeatures({ agent, agentRole, fetch }: BackendPorts): Promise<string[]> {
  const roleFeatures = agentRole ? [CARRIES_CAPABILITY] : [];
  if (agentRole?.alone) return roleFeatures;
  if (!agent) return [...FEATURES, ...roleFeatures];
  const enforcesLimits = await canCarryGenerations(fetch, agent).catch(() => false);
  return [...FEATURES.filter((name) => enforcesLimits || !BOUNDS.includes(name)), "agent_stream", ...roleFeatures];
}

async function getTables({ db }: BackendPorts): Promise<boolean> {
  return await hasOwnTables(db).catch((cause: unknown) => {
    throw new Problem("DATABASE_UNAVAILABLE", "The database cannot be reached at the moment.", { cause });
  });
}

/** Number of beats, and the milliseconds between two of them. */
const BEATS = 3;
const PAUSE = 400;

/**
 * Streams a few beats, each with its time. A client that receives all of them at once is behind something that buffers
 * streams.
 */
export function streamBeats(clock: Clock): Response {
  const encoder = new TextEncoder();
  let sentCount = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (sentCount === BEATS) {
          controller.enqueue(encoder.encode("data: [DONE]\n\n"));
          return controller.close();
        }
        if (sentCount > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE));
        sentCount += 1;
        const beat = { type: "beat", number: sentCount, at: new Date(clock.now()).toISOString() };
        controller.enqueue(encoder.encode(`id: ${sentCount}\ndata: ${JSON.stringify(beat)}\n\n`));
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: STREAM_HEADERS });
}

/** Routes about the model: which one answers and why (`GET /model`), and whether it works (`POST /model/test`). */
export function createModelRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  app.get("/model", async (c) => {
    await admit(ports, c.req.raw);
    return c.json(await describeModel(ports.model()));
  });
  app.post("/model/test", async (c) => {
    await admit(ports, c.req.raw);
    return c.json(await testModel(ports, c.req.raw.signal));
  });
  return app;
}

/**
 * Checks the sign-in. On a local backend, the local secret is enough, so that its owner can see the model before the
 * first sign-in.
 */
async function admit(ports: BackendPorts, request: Request): Promise<void> {
  if (ports.localSecret === undefined) await authenticate(ports, request);
}
