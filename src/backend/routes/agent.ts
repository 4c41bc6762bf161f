import { Hono } from "hono";
import { AgentSessionRequest, AgentStreamRequest } from "#protocol/agent";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import type { AgentServer } from "../agent-server/server.ts";
import type { TurnStream } from "../agent-server/turn-stream.ts";
import { createStreamingResponse, type StreamSink, type StreamSource } from "../http/streaming-response.ts";
import type { BackendPorts } from "../ports.ts";
import { compareSecrets } from "../store/secrets.ts";
import { readJsonBody } from "./body.ts";
import { type LiveSink, STREAM_HEADERS, type TimerWheel, withKeepAlive } from "./sse.ts";

/**
 * Routes of kay as an agent server (docs/protocol.md): `POST /session` for backends, `POST /stream/:sessionId` for
 * clients. With `GET /session/:sessionId`, a backend checks whether both use the same database.
 */
export function createAgentRoutes(turns: AgentServer, { password }: NonNullable<BackendPorts["agentRole"]>): Hono {
  const app = new Hono();
  app.post("/session", async (c) => {
    checkPassword(password, c.req.header("authorization"));
    const session = parseShape(AgentSessionRequest, await readJsonBody(c.req.raw), "the session");
    return c.json({ token: await turns.open(session) });
  });
  app.get("/session/:sessionId", async (c) => {
    checkPassword(password, c.req.header("authorization"));
    const sessionId = c.req.param("sessionId");
    await turns.check(sessionId);
    return c.json({ sessionId });
  });
  app.post("/stream/:sessionId", async (c) => {
    const { prompt } = parseShape(AgentStreamRequest, await readJsonBody(c.req.raw), "the request");
    if (prompt.trim() === "")
      throw new Problem("INVALID_REQUEST", "Missing required field: prompt", { details: { field: "prompt" } });
    const token = c.req.query("token") ?? "";
    return streamTurn(await turns.stream({ sessionId: c.req.param("sessionId"), token, prompt }));
  });
  return app;
}

/** Compares digests, so the time does not depend on where they differ. */
function checkPassword(password: string, header: string | undefined): void {
  const [, token = ""] = /^Bearer (.+)$/i.exec(header ?? "") ?? [];
  if (compareSecrets(token, password)) return;
  throw new Problem("TOKEN_INVALID", "The password of the agent server is wrong.", {
    hint: "The administrator of the backend must set KAY_AGENT_PASSWORD to the agent server's password.",
  });
}

/** Streams a turn as Server-Sent Events. It ends with `finish`, `error` or `abort`; otherwise it was cut. */
export function streamTurn(feed: TurnStream, wheel?: TimerWheel): Response {
  return createStreamingResponse((sink) => followTurn(feed, withKeepAlive(sink, wheel), sink), STREAM_HEADERS);
}

function followTurn(feed: TurnStream, out: LiveSink, sink: StreamSink): StreamSource {
  let hasEnded = false;
  const leave = () => {
    hasEnded = true;
    out.stop();
    feed.leave();
  };
  const advance = () => {
    if (hasEnded || out.full) return;
    const text = feed.take().map((part) => `event: message\ndata: ${JSON.stringify(part)}\n\n`);
    if (text.length > 0) out.write(text.join(""));
    if (!feed.isOver()) return;
    sink.end();
    leave();
  };
  feed.watch(advance);
  return {
    go() {
      out.full = false;
      advance();
    },
    gone: leave,
  };
}
