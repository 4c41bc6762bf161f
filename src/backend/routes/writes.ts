import { Hono } from "hono";
import { clean, cleanLine } from "#protocol/clean";
import type { WritesResponse, WriteView } from "#protocol/conversations";
import { Problem } from "#protocol/errors";
import { authenticate } from "../accounts/authenticate.ts";
import type { BackendPorts } from "../ports.ts";
import { type ListedWrite, listWrites, type WritePosition } from "../store/writes.ts";
import { parseWholeNumber } from "./body.ts";

/** Longest prompt and error of a write, in characters. */
const MAX_TEXT_LENGTH = 500;

/** Routes for the writes of all conversations: `GET /writes`. */
export function createWriteRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  app.get("/writes", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const { cursor, since, service, limit: count = "30" } = c.req.query();
    const limit = parseWholeNumber("limit", count, 100);
    const rows = await listWrites(ports.db, installationId, {
      limit: limit + 1,
      ...(cursor ? { before: parseCursor(cursor) } : {}),
      ...(since ? { since: parseTime(since) } : {}),
      ...(service ? { service } : {}),
    });
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    const answer: WritesResponse = {
      data: rows.slice(0, limit).map(toView),
      ...(last ? { cursor: `${last.created_at.getTime()}.${last.id}` } : {}),
    };
    return c.json(answer);
  });
  return app;
}

/** @throws Problem INVALID_REQUEST for an invalid cursor */
function parseCursor(text: string): WritePosition {
  const [, ms = "", id = ""] = /^(\d{1,15})\.(\S{1,100})$/.exec(text) ?? [];
  if (id !== "") return { at: new Date(Number(ms)), id };
  throw new Problem("INVALID_REQUEST", "cursor must come from an earlier answer.", {
    details: { field: "cursor" },
  });
}

function parseTime(text: string): Date {
  const date = new Date(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(date.getTime())) return date;
  throw new Problem("INVALID_REQUEST", "since must be a time in ISO 8601.", { details: { field: "since" } });
}

function toView(row: ListedWrite): WriteView {
  const { response } = row;
  return {
    id: row.id,
    service: cleanLine(row.service, 60),
    tool: cleanLine(row.tool, 120),
    summary: cleanLine(row.summary),
    state: getState(row),
    ...(row.url ? { url: clean(row.url, { lines: false }) } : {}),
    ...(row.error ? { error: cleanLine(row.error, MAX_TEXT_LENGTH) } : {}),
    ...(row.account ? { account: cleanLine(row.account) } : {}),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    ...(row.conversation_id === null
      ? {}
      : { session_id: row.conversation_id, title: row.title === null ? null : cleanLine(row.title) }),
    ...(row.generation_id === null ? {} : { generation_id: row.generation_id }),
    ...(row.prompt ? { prompt: cleanLine(row.prompt, MAX_TEXT_LENGTH) } : {}),
    ...(response?.action === "approve"
      ? {
          approved: {
            ...(response.approval_scope ? { scope: response.approval_scope } : {}),
            ...(response.client ? { client: cleanLine(response.client, 60) } : {}),
            edited: response.edited_args !== undefined,
            at: response.answered_at ?? row.created_at.toISOString(),
          },
        }
      : {}),
    ...(row.allowed_by ? { allowed_by: cleanLine(row.allowed_by, 200) } : {}),
  };
}

/** Returns the state for clients. A failed effect without a refusal was never sent. */
function getState({ state, error }: ListedWrite): WriteView["state"] {
  switch (state) {
    case "settled":
      return "done";
    case "failed":
      return error === null ? "not_sent" : "failed";
    case "unknown":
      return "unknown";
    default:
      return "running";
  }
}
