import { Hono } from "hono";
import { DIRECT_HEADER } from "#protocol/agent";
import { AskRequest, ConfirmRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate } from "../accounts/authenticate.ts";
import type { Engine } from "../generations/engine.ts";
import { ask } from "../generations/requests/ask.ts";
import type { AskResult } from "../generations/requests/ask-result.ts";
import { answerConfirmation } from "../generations/requests/confirm.ts";
import type { BackendPorts } from "../ports.ts";
import { getFaultLevel, toDatabaseProblem } from "../store/database.ts";
import { findRequest } from "../store/requests.ts";
import { beginAskStream, streamGeneration } from "./ask-stream.ts";
import { toProblemResponse } from "./body.ts";
import { parseClient, type RequestedClient } from "./client-mode.ts";
import { answerDirectTurn } from "./direct-turn.ts";
import { checkOpen } from "./event-stream.ts";
import { answerOnce, authenticateWrite, type RequestRecord, runOnceLate } from "./idempotency.ts";
import { toLostProblem } from "./lost-writes.ts";
import { getStreamPosition, loadOutcome } from "./outcome.ts";
import { openAnswer } from "./stored-answer.ts";

/** Requests: `POST /ask`, `POST /ask/confirm`, and the outcome of a request, `GET /requests/:key`. */
export function createAskRoutes(ports: BackendPorts, engine: Engine): Hono {
  const app = new Hono();
  app.post("/ask", async (c) => {
    const { installationId } = await authenticateWrite(ports, c.req.raw);
    if (ports.agent && c.req.header(DIRECT_HEADER))
      return await answerDirectTurn(ports, engine, installationId, c.req.raw);
    // Before the key is stored and the work begins.
    checkOpen(engine);
    if (wantsStream(c.req.raw)) return await streamOnce(ports, engine, installationId, c.req.raw);
    return await answerOnce(ports, installationId, c.req.raw, (body, signal, { link }) =>
      answerPrompt(ports, engine, installationId, { body, signal, link }),
    );
  });
  app.post("/ask/confirm", async (c) => {
    const { installationId } = await authenticateWrite(ports, c.req.raw);
    return await answerOnce(ports, installationId, c.req.raw, (body, signal, { link }) => {
      const answer = parseShape(ConfirmRequest, body, "the confirmation");
      return answerConfirmation(ports, engine, installationId, answer, { signal, link });
    });
  });
  app.get("/requests/:key", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const key = c.req.param("key");
    const request = await findRequest(ports.db, installationId, key);
    // With the state, the client can tell an unknown key from a backend without this call.
    if (!request)
      throw new Problem("NOT_FOUND", "No request with this key has arrived.", { details: { state: "absent" } });
    return c.json(await loadOutcome(ports, openAnswer(ports, { installationId, key }, request)));
  });
  app.onError((error) => sendFailure(ports, error));
  return app;
}

/** Starts a generation that needs no follower, and answers at once. */
async function beginInBackground(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  { body, link }: { body: unknown } & Pick<RequestRecord, "link">,
): Promise<AskResult> {
  const { session_id, generation_id } = await beginAskStream(ports, engine, installationId, body, link);
  const message = "The request runs in the background.";
  return { status: 200, body: { status: "pending", message, session_id, generation_id } };
}

/** Whether the client accepts a stream. The answer to a confirmation is always JSON. */
function wantsStream(request: Request): boolean {
  return /\btext\/event-stream\b/i.test(request.headers.get("accept") ?? "");
}

/** Answers with a stream. A repeat with the same key gets the same stream from its beginning. */
async function streamOnce(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  request: Request,
): Promise<Response> {
  let client: RequestedClient | undefined;
  const { status, body: answer } = await runOnceLate(ports, installationId, request, async (body, signal, record) => {
    const { link } = record;
    const request = body as Partial<AskRequest> | null;
    // A repeat in a conversation would stop the generation of the first request.
    if (isConfirmation(body) || request?.background === true || request?.session_id) await record.claim();
    if (isConfirmation(body) || request?.background === true)
      return await answerPrompt(ports, engine, installationId, { body, signal, link });
    checkPrompt(body);
    const stream = await beginAskStream(ports, engine, installationId, body, {
      ...link,
      changes: ({ conversationId, generationId, after }) => {
        const place = { session_id: conversationId, generation_id: generationId, after };
        return record.store({ status: 200, body: { stream: place } }, generationId);
      },
    });
    const requestedClient = (body as AskRequest).client;
    client = requestedClient && parseClient(requestedClient);
    return { status: 200, body: { stream } };
  });
  const stream = getStreamPosition(answer);
  if (!stream) return Response.json(answer, { status });
  return await streamGeneration(ports, engine, stream, client).catch((error: unknown) => {
    throw toLostProblem(error, true);
  });
}

function isConfirmation(body: unknown): boolean {
  const token = (body as { confirmation_token?: unknown } | null)?.confirmation_token;
  return typeof token === "string" && token !== "";
}

async function answerPrompt(
  ports: BackendPorts,
  engine: Engine,
  installationId: string,
  { body, signal, link }: { body: unknown; signal: AbortSignal } & Pick<RequestRecord, "link">,
): Promise<AskResult> {
  if (isConfirmation(body)) {
    const { confirmation_token, approved = true } = body as Record<string, unknown>;
    const request = parseShape(ConfirmRequest, { confirmation_token, approved }, "the confirmation");
    return await answerConfirmation(ports, engine, installationId, request, { signal, link });
  }
  checkPrompt(body);
  if ((body as Partial<AskRequest>).background === true)
    return await beginInBackground(ports, engine, installationId, { body, link });
  return await ask(ports, engine, installationId, parseShape(AskRequest, body, "the request"), { signal, link });
}

/** Checks that there is a prompt. The message is part of the protocol. */
function checkPrompt(body: unknown): void {
  const prompt = (body as { prompt?: unknown } | null)?.prompt;
  if (prompt === undefined || prompt === null || (typeof prompt === "string" && prompt.trim() === "")) {
    throw new Problem("INVALID_REQUEST", "Missing required field: prompt", { details: { field: "prompt" } });
  }
}

/** Sends an error, with `status: "error"` besides the usual fields. */
function sendFailure(ports: BackendPorts, error: unknown): Response {
  const isExpected = error instanceof Problem;
  if (!isExpected) ports.log(getFaultLevel(error), "ask_failed", { error });
  const problem = isExpected
    ? error
    : (toDatabaseProblem(error) ?? new Problem("INTERNAL", "Something went wrong inside kay."));
  return toProblemResponse(problem, { status: "error" });
}
