import { Hono } from "hono";
import { AskRequest, ConfirmRequest, type OutcomeResponse } from "#protocol/ask";
import { Problem, problemBody } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate } from "../accounts/authenticate.ts";
import { type Answer, ask } from "../agent/ask.ts";
import { confirm } from "../agent/confirm.ts";
import type { BackendPorts } from "../ports.ts";
import { findRequest } from "../store/requests.ts";
import { answerOnce } from "./idempotency.ts";

/** Asking (guide, "Ask Endpoint"): `POST /ask`, `POST /ask/confirm`, and what became of a request, `GET /requests/:key`. */
export function askRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  app.post("/ask", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return await answerOnce(ports, installationId, c.req.raw, (body, signal) =>
      asked(ports, installationId, body, signal),
    );
  });
  app.post("/ask/confirm", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return await answerOnce(ports, installationId, c.req.raw, (body, signal) =>
      confirm(ports, installationId, parseShape(ConfirmRequest, body, "the confirmation"), signal),
    );
  });
  app.get("/requests/:key", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json(await outcome(ports, installationId, c.req.param("key")));
  });
  app.onError((error) => failure(ports, error));
  return app;
}

async function asked(ports: BackendPorts, installationId: string, body: unknown, signal: AbortSignal): Promise<Answer> {
  const token = (body as { confirmation_token?: unknown } | null)?.confirmation_token;
  if (typeof token === "string" && token !== "") {
    const approved = (body as { approved?: unknown }).approved ?? true;
    const request = parseShape(ConfirmRequest, { confirmation_token: token, approved }, "the confirmation");
    return await confirm(ports, installationId, request, signal);
  }
  const prompt = (body as { prompt?: unknown } | null)?.prompt;
  if (prompt === undefined || prompt === null || (typeof prompt === "string" && prompt.trim() === "")) {
    throw new Problem("INVALID_REQUEST", "Missing required field: prompt", { details: { field: "prompt" } });
  }
  return await ask(ports, installationId, parseShape(AskRequest, body, "the request"), signal);
}

async function outcome(ports: BackendPorts, installationId: string, key: string): Promise<OutcomeResponse> {
  const found = await findRequest(ports.db, installationId, key);
  if (!found) throw new Problem("NOT_FOUND", "No request with this key has arrived.");
  if (found.state !== "done") return { state: found.state };
  return { state: "done", status: found.status ?? undefined, answer: found.answer };
}

/** Every failure of asking says `status: "error"` besides the fields of the table (guide). */
function failure(ports: BackendPorts, error: unknown): Response {
  const known = error instanceof Problem;
  if (!known) ports.log("error", "ask_failed", { error });
  const problem = known ? error : new Problem("INTERNAL", "Something went wrong inside kay.");
  return Response.json({ status: "error", ...problemBody(problem) }, { status: problem.status });
}
