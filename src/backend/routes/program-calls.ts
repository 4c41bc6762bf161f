import { Hono } from "hono";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { ProgramCallRequest } from "#protocol/program-calls";
import { authenticate } from "../accounts/authenticate.ts";
import type { Engine } from "../generations/engine.ts";
import { startProgramCall, waitForProgramCall } from "../generations/requests/program-call.ts";
import type { BackendPorts } from "../ports.ts";
import { answerOnce, authenticateWrite } from "./idempotency.ts";

/** Longest wait of one `GET /calls/:id`, in seconds. Proxies and hosts cut longer ones. */
const MAX_WAIT_SECONDS = 50;

/** Calls that another program makes in the user's name: `POST /calls`, `GET /calls/:id`. */
export function createProgramCallRoutes(ports: BackendPorts, engine: Engine): Hono {
  const app = new Hono();
  app.post("/calls", async (c) => {
    const { installationId } = await authenticateWrite(ports, c.req.raw);
    return await answerOnce(ports, installationId, c.req.raw, async (body, signal, { link }) => {
      const request = parseShape(ProgramCallRequest, body, "the call");
      return { status: 200, body: await startProgramCall(ports, engine, installationId, request, { link, signal }) };
    });
  });
  app.get("/calls/:id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const waitMs = parseWait(c.req.query("wait")) * 1_000;
    const past = c.req.query("for") === "end" ? ({ past: "waiting" } as const) : {};
    const call = { waitMs, signal: c.req.raw.signal, ...past };
    return c.json(await waitForProgramCall(ports, engine, installationId, c.req.param("id"), call));
  });
  return app;
}

/** @throws Problem INVALID_REQUEST */
function parseWait(text: string | undefined): number {
  const seconds = Number(text ?? 0);
  if (text !== "" && seconds >= 0 && seconds <= MAX_WAIT_SECONDS) return seconds;
  throw new Problem("INVALID_REQUEST", `wait must be a number of seconds from 0 to ${MAX_WAIT_SECONDS}.`, {
    details: { field: "wait" },
  });
}
