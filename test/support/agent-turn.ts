import { beforeEach, expect } from "vitest";
import { type Part, type Roles, useRoles } from "./agent-role.ts";
import { connect } from "./consent.ts";
import { type DeskLog, deskServices } from "./desk.ts";
import { openStream } from "./event-stream.ts";

/** A backend and an agent server for each test, the actions of a client on them, and what the tools did. */
export function useAgentTurns() {
  const log: DeskLog = [];
  let meanwhile = async (): Promise<void> => {};
  const roles = useRoles(deskServices(log, () => meanwhile()));
  beforeEach(() => {
    meanwhile = async () => {};
  });
  return {
    log,
    roles,
    begin: (prompt: string) => beginTurn(roles(), prompt),
    shown: (turn: Begun) => readTurn(roles(), turn),
    sent: (turn: Begun) => listSentReports(roles(), turn),
    waiting: (turn: Begun) => listWaitingReports(roles(), turn),
    /** Holds the next write before anything of it is sent. */
    holdWrite(): { reached: Promise<void>; release(): void } {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      meanwhile = () => {
        meanwhile = async () => {};
        reached.resolve();
        return released.promise;
      };
      return { reached: reached.promise, release: released.resolve };
    },
  };
}

/** A turn that a client streams by itself. */
export type Begun = { token: string; session: string; url: string; streamToken: string; generation: string };

/** A turn that the client streams by itself. */
async function beginTurn(roles: Roles, prompt: string): Promise<Begun> {
  const { token } = await connect(roles.backend);
  const { status, body } = await roles.backend.call("POST /ask/stream", { token, body: { prompt } });
  expect(status).toBe(200);
  const { session_id, stream_url, stream_token, generation_id } = body as Record<string, string>;
  return {
    token,
    session: String(session_id),
    url: String(stream_url),
    streamToken: String(stream_token),
    generation: String(generation_id),
  };
}

/** What the conversation shows at the backend, once its turn has ended. */
async function readTurn(roles: Roles, { session, token, generation }: Begun) {
  const stream = await openStream(roles.backend, `GET /sessions/${session}/events`, token);
  for (let isOver = false; !isOver; ) {
    const { data } = await stream.next("data-status");
    isOver = data.generation_id === generation && ["completed", "error", "cancelled"].includes(data.status);
  }
  await stream.close();
  return { text: stream.text(), tools: listTools(stream.parts) };
}

function listTools(parts: object[]): string[] {
  return parts.flatMap((part) => ("toolCallId" in part && "type" in part ? [String(part.type)] : []));
}

/** The text of a stream. */
export function joinText(parts: Part[]): string {
  return parts.map((part) => (part.type === "text-delta" ? part.text : "")).join("");
}

/** Types of the reports that were sent to the backend's webhook for a conversation. */
function listSentReports(roles: Roles, { session }: Begun): unknown[] {
  return roles.reports.filter(({ sessionId }) => sessionId === session).map(({ type }) => type);
}

/** Types of what is to be delivered for a conversation. */
async function listWaitingReports(roles: Roles, { session }: Begun): Promise<unknown[]> {
  const rows = await roles.backend.ports.db
    .selectFrom("agent_outbox")
    .innerJoin("agent_turns", "agent_turns.generation_id", "agent_outbox.generation_id")
    .select("report")
    .where("conversation_id", "=", session)
    .where("delivered_at", "is", null)
    .orderBy("number")
    .execute();
  return rows.map(({ report }) => report.type);
}
