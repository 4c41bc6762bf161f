import { Hono } from "hono";
import { DIRECT_HEADER } from "#protocol/agent";
import { AskRequest, ConfirmRequest, type OutcomeResponse } from "#protocol/ask";
import { Problem, toProblemBody } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate } from "../accounts/authenticate.ts";
import { type AskResult, ask } from "../generations/ask.ts";
import { answerConfirmation } from "../generations/confirm.ts";
import type { Engine } from "../generations/engine.ts";
import { loadAnswer } from "../generations/run-result.ts";
import type { BackendPorts } from "../ports.ts";
import { getFaultLevel, toDatabaseProblem } from "../store/database.ts";
import { findRequest, type StoredRequest } from "../store/requests.ts";
import { beginAskStream, beginDirectTurn, type StreamPosition, streamGeneration } from "./ask-stream.ts";
import { parseClient, type RequestedClient } from "./client-mode.ts";
import { answerOnce, runOnce } from "./idempotency.ts";

/** Asking (guide, "Ask Endpoint"): `POST /ask`, `POST /ask/confirm`, and what became of a request, `GET /requests/:key`. */
export function createAskRoutes(ports: BackendPorts, engine: Engine): Hono {
  const app = new Hono();
  app.post("/ask", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    if (ports.agent && c.req.header(DIRECT_HEADER))
      return c.json(await beginDirectTurn(ports, engine, installationId, c.req.raw));
    if (wantsStream(c.req.raw)) return await streamed(ports, engine, installationId, c.req.raw);
    return await answerOnce(ports, installationId, c.req.raw, (body, signal, started) =>
      asked(ports, engine, installationId, { body, signal, started }),
    );
  });
  app.post("/ask/confirm", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return await answerOnce(ports, installationId, c.req.raw, (body, signal) =>
      answerConfirmation(ports, engine, installationId, parseShape(ConfirmRequest, body, "the confirmation"), signal),
    );
  });
  app.get("/requests/:key", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json(await outcome(ports, installationId, c.req.param("key")));
  });
  app.onError((error) => failure(ports, error));
  return app;
}

/** A client that takes a stream gets one; what answers a confirmation is JSON in any case. */
function wantsStream(request: Request): boolean {
  return /\btext\/event-stream\b/i.test(request.headers.get("accept") ?? "");
}

/** A repeat with the same key gets the same stream, from its beginning. */
async function streamed(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  request: Request,
): Promise<Response> {
  let client: RequestedClient | undefined;
  const { status, body: kept } = await runOnce(ports, installationId, request, async (body, signal, started) => {
    if (isConfirmation(body)) return await asked(ports, engine, installationId, { body, signal, started });
    checkPrompt(body);
    const stream = await beginAskStream(ports, engine, installationId, body);
    const given = (body as AskRequest).client;
    client = given && parseClient(given);
    return { status: 200, body: { stream } };
  });
  const { stream } = kept as { stream?: StreamPosition };
  return stream ? await streamGeneration(ports, engine, stream, client) : Response.json(kept, { status });
}

function isConfirmation(body: unknown): boolean {
  const token = (body as { confirmation_token?: unknown } | null)?.confirmation_token;
  return typeof token === "string" && token !== "";
}

async function asked(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  { body, signal, started }: { body: unknown; signal: AbortSignal; started(generationId: string): Promise<void> },
): Promise<AskResult> {
  if (isConfirmation(body)) {
    const { confirmation_token, approved = true } = body as Record<string, unknown>;
    const request = parseShape(ConfirmRequest, { confirmation_token, approved }, "the confirmation");
    return await answerConfirmation(ports, engine, installationId, request, signal);
  }
  checkPrompt(body);
  return await ask(ports, engine, installationId, parseShape(AskRequest, body, "the request"), {
    signal,
    started,
  });
}

/** In the guide's words. */
function checkPrompt(body: unknown): void {
  const prompt = (body as { prompt?: unknown } | null)?.prompt;
  if (prompt === undefined || prompt === null || (typeof prompt === "string" && prompt.trim() === "")) {
    throw new Problem("INVALID_REQUEST", "Missing required field: prompt", { details: { field: "prompt" } });
  }
}

async function outcome(ports: BackendPorts, installationId: string, key: string): Promise<OutcomeResponse> {
  const found = await findRequest(ports.db, installationId, key);
  if (!found) throw new Problem("NOT_FOUND", "No request with this key has arrived.");
  if (found.state !== "done") return await underWay(ports, found);
  const { stream } = (found.answer ?? {}) as { stream?: StreamPosition };
  if (stream) {
    const { session_id, generation_id, after } = stream;
    const answer = await loadAnswer(ports, generation_id);
    return answer ? { state: "done", status: 200, answer } : { state: "running", session_id, after };
  }
  return { state: "done", status: found.status ?? undefined, answer: found.answer };
}

/** A generation makes its answer also when the process that took the request is gone. */
async function underWay(ports: BackendPorts, { state, generationId }: StoredRequest): Promise<OutcomeResponse> {
  const answer = generationId === null ? undefined : await loadAnswer(ports, generationId);
  return answer ? { state: "done", status: 200, answer } : { state: state === "done" ? "running" : state };
}

/** Every failure of asking says `status: "error"` besides the fields of the table (guide). */
function failure(ports: BackendPorts, error: unknown): Response {
  const known = error instanceof Problem;
  if (!known) ports.log(getFaultLevel(error), "ask_failed", { error });
  const problem = known
    ? error
    : (toDatabaseProblem(error) ?? new Problem("INTERNAL", "Something went wrong inside kay."));
  return Response.json({ status: "error", ...toProblemBody(problem) }, { status: problem.status });
}
