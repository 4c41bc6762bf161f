import { Hono } from "hono";
import { sql } from "kysely";
import { Problem } from "#protocol/errors";
import { describeModel } from "../models/describe.ts";
import type { BackendPorts } from "../ports.ts";
import { beatStream } from "./beat-stream.ts";

/** What this backend has beyond the guide; a client may rely on what is named here. */
const FEATURES = [
  "code_challenge",
  "needs_tokens",
  "sites",
  "status_details",
  "idempotency",
  "services",
  "tools",
  "streaming",
  "interactions",
  "sessions",
  "policies",
  "approvals",
  "model",
  "output_schema",
  "max_steps",
  "dry_run",
  "allow",
];

/** What an agent server elsewhere cannot be held to. */
const BOUNDS = ["output_schema", "max_steps", "dry_run", "allow"];

/**
 * What this backend is (`GET /capabilities`), whether it works (`GET /health`, for probes: no secret needed), and whether its streams arrive as
 * they are sent (`GET /health/stream`).
 */
export function aboutRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  const { version, sandbox } = ports;
  app.get("/health", async (c) => {
    await sql`select 1`.execute(ports.db).catch((cause: unknown) => {
      throw new Problem("DATABASE_UNAVAILABLE", "The database cannot be reached at the moment.", { cause });
    });
    return c.json({ name: "kay", version, sandbox, status: "ok" });
  });
  app.get("/health/stream", () => beatStream(ports.clock));
  app.get("/capabilities", async (c) => {
    const { name: model } = await describeModel(ports.model());
    const features = ports.agent ? [...FEATURES.filter((name) => !BOUNDS.includes(name)), "agent_stream"] : FEATURES;
    return c.json({ name: "kay", version, sandbox, model, features });
  });
  return app;
}
