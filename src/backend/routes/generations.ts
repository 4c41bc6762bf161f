import { Hono } from "hono";
import { AuthAnswer, InteractionAnswer, type InteractionAnswered } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate, type Caller } from "../accounts/authenticate.ts";
import type { Engine } from "../generations/engine.ts";
import { extendRequest } from "../generations/extend.ts";
import { getPendingRequest, listPendingRequests } from "../generations/pending.ts";
import { answerInteraction, queryAnswerRows } from "../generations/requests/answer.ts";
import { answerAuth, findOwnGeneration, toGenerationView } from "../generations/requests/auth.ts";
import type { BackendPorts } from "../ports.ts";
import { isConversationOwner } from "../store/conversations.ts";
import { findLastEventNumber } from "../store/events.ts";
import { detachGeneration } from "../store/generations.ts";
import { readJsonBody } from "./body.ts";
import { parseClientQuery } from "./client-mode.ts";
import { streamEvents } from "./event-stream.ts";
import { authenticateWriteReading, runOnceLate } from "./idempotency.ts";

/** Routes for following conversations and answering open requests. */
export function createGenerationRoutes(ports: BackendPorts, engine: Engine): Hono {
  const app = new Hono();
  app.get("/sessions/:id/events", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const conversationId = await requireConversation(ports, installationId, c.req.param("id"));
    const after = parseEventNumber(c.req.header("last-event-id") ?? c.req.query("after"));
    // A reader of the existing log only is not a follower.
    if (c.req.query("live") === "false") {
      const until = await findLastEventNumber(ports.db, conversationId);
      const headers = { etag: `"${ports.version}-${after}-${until}"`, "cache-control": "public, no-cache" };
      if (matchesTag(headers.etag, c.req.header("if-none-match"))) return new Response(null, { status: 304, headers });
      return streamEvents(engine, ports, { conversationId, after, until, headers });
    }
    const client = parseClientQuery(c.req.query());
    const leave = client && (await engine.attendance.attend({ conversationId, clientId: client.id }, client));
    return streamEvents(engine, ports, { conversationId, after, left: leave });
  });
  app.post("/sessions/:id/interactions/:interaction_id", async (c) => {
    const { id: conversationId, interaction_id: interactionId } = c.req.param();
    const queries = queryAnswerRows(ports.db, interactionId);
    const { caller, rows } = await authenticateWriteReading(ports, c.req.raw, queries);
    const { installationId } = caller;
    const place = { installationId, conversationId, interactionId };
    const { status, body } = await runOnceLate(ports, installationId, c.req.raw, async (rawAnswer, _signal, record) => {
      const answer = parseShape(InteractionAnswer, rawAnswer, "the answer");
      checkScope(caller, answer.approval_scope);
      const store = (answered: InteractionAnswered) =>
        record.store({ status: 200, body: answered }, answered.generation_id);
      record.begin();
      return { status: 200, body: await answerInteraction(ports, engine, place, answer, { rows, store }) };
    });
    return Response.json(body, { status });
  });
  app.post("/sessions/:id/interactions/:interaction_id/extend", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const { id: conversationId, interaction_id: interactionId } = c.req.param();
    return c.json(await extendRequest(ports, { installationId, conversationId, interactionId }));
  });
  app.get("/pending", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json({ pending: await listPendingRequests(ports, installationId) });
  });
  app.get("/pending/:id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json(await getPendingRequest(ports, installationId, c.req.param("id")));
  });
  app.get("/generations/:id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json(toGenerationView(await findOwnGeneration(ports, installationId, c.req.param("id"))));
  });
  app.post("/generations/:id/auth", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const row = await findOwnGeneration(ports, installationId, c.req.param("id"));
    await answerAuth(ports, engine, row, parseShape(AuthAnswer, await readJsonBody(c.req.raw), "the answer"));
    return c.json(toGenerationView(await findOwnGeneration(ports, installationId, row.id)));
  });
  app.post("/generations/:id/detach", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const row = await findOwnGeneration(ports, installationId, c.req.param("id"));
    if (!(await detachGeneration(ports.db, row.id)))
      throw new Problem("GENERATION_CLOSED", "This request has ended.", { hint: "" });
    return c.json(toGenerationView(row));
  });
  app.post("/generations/:id/cancel", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const row = await findOwnGeneration(ports, installationId, c.req.param("id"));
    if (row.finished_at === null) await engine.stop(row.id, "The user cancelled it.");
    return c.json(toGenerationView(await findOwnGeneration(ports, installationId, row.id)));
  });
  return app;
}

async function requireConversation(ports: BackendPorts, installationId: string, id: string): Promise<string> {
  if (await isConversationOwner(ports.db, installationId, id)) return id;
  throw new Problem("SESSION_NOT_FOUND", "Invalid or expired session_id");
}

/** Checks how long an approval lasts. @throws Problem SIGN_IN_REQUIRED for one that would outlast a script token */
function checkScope(caller: Caller, scope: InteractionAnswer["approval_scope"] = "once"): void {
  if (scope === "once" || "familyId" in caller) return;
  throw new Problem("SIGN_IN_REQUIRED", "A script token can approve only once.", {
    hint: "Approve once, or answer in a signed-in terminal.",
  });
}

function parseEventNumber(text: string | undefined): number {
  const number = Number(text || 0);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new Problem("INVALID_REQUEST", "after must be the number of an event.", { details: { field: "after" } });
}

/**
 * Whether a cache has these events. A log only grows, so the same range is always the same text. Caches must ask each
 * time, because each reader's token must be checked.
 */
function matchesTag(tag: string, header: string | undefined): boolean {
  return (header ?? "").split(",").some((tagText) => tagText.trim().replace(/^W\//, "") === tag);
}
