import { Hono } from "hono";
import { cleanLine } from "#protocol/clean";
import {
  ConversationChange,
  type ConversationDeleted,
  type ConversationsResponse,
  type ConversationView,
} from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate } from "../accounts/authenticate.ts";
import type { BackendPorts } from "../ports.ts";
import {
  deleteConversation,
  findConversation,
  type ListedConversation,
  listConversations,
  renameConversation,
} from "../store/conversation-list.ts";
import { parseWholeNumber, readJsonBody } from "./body.ts";

/** Highest page number that is accepted. */
const LAST_PAGE = 1_000_000;

/** Routes for conversations: `/sessions`, `/sessions/:id`. */
export function createSessionRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  app.get("/sessions", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const page = parseWholeNumber("page", c.req.query("page") ?? "1", LAST_PAGE);
    const limit = parseWholeNumber("limit", c.req.query("limit") ?? "20", 100);
    return c.json(await getPage(ports, installationId, page, limit));
  });
  app.get("/sessions/:id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json(await getView(ports, installationId, c.req.param("id")));
  });
  app.patch("/sessions/:id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const { title } = parseShape(ConversationChange, await readJsonBody(c.req.raw), "the request");
    const id = c.req.param("id");
    if (!(await renameConversation(ports.db, installationId, id, cleanTitle(title)))) throw sessionNotFoundProblem();
    return c.json(await getView(ports, installationId, id));
  });
  app.delete("/sessions/:id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json(await removeConversation(ports, installationId, c.req.param("id")));
  });
  return app;
}

async function getPage(
  ports: BackendPorts,
  installationId: string,
  page: number,
  limit: number,
): Promise<ConversationsResponse> {
  const offset = (page - 1) * limit;
  const { conversations, total } = await listConversations(ports.db, installationId, { offset, limit });
  return { data: conversations.map(toView), page, limit, total, has_more: offset + limit < total };
}

async function getView(ports: BackendPorts, installationId: string, id: string): Promise<ConversationView> {
  const conversation = await findConversation(ports.db, installationId, id);
  if (!conversation) throw sessionNotFoundProblem();
  return toView(conversation);
}

async function removeConversation(
  ports: BackendPorts,
  installationId: string,
  id: string,
): Promise<ConversationDeleted> {
  const outcome = await deleteConversation(ports.db, installationId, id);
  if (outcome === "missing") throw sessionNotFoundProblem();
  if (outcome === "deleted") return { id, deleted: true };
  throw new Problem("BACKEND_BUSY", "A request is running in this conversation.", {
    hint: "Cancel it or wait until it ends, then delete the conversation.",
  });
}

function toView({ id, title, created_at, updated_at, last_event, status }: ListedConversation): ConversationView {
  return {
    id,
    title: title === null ? null : cleanLine(title),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    ...(status === null ? {} : { status }),
    last_event,
  };
}

function cleanTitle(title: string): string {
  const cleaned = cleanLine(title);
  if (cleaned !== "") return cleaned;
  throw new Problem("INVALID_REQUEST", "The title is empty.", { details: { field: "title" } });
}

/** Creates the error for an unknown conversation, and for one of another installation. */
export function sessionNotFoundProblem(): Problem {
  return new Problem("SESSION_NOT_FOUND", "No conversation has this ID.", {
    hint: "Run `kay sessions list` to list them.",
  });
}
