import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A generic agent server, written from the protocol alone: sessions behind a password, a stream for a token, finished
 * messages to the webhook. It shares no code with kay.
 */
export type SeedAgent = {
  url: string;
  password: string;
  /** What it does with a prompt: events of its stream, and reports to the webhook. */
  script: (turn: AgentTurn) => Promise<void>;
  /** How it sends reports to the webhook. */
  deliver: (request: Request) => Promise<Response>;
  /** Requested sessions. */
  sessions: { sessionId: string; webhookUrl: string; authorization: string | undefined }[];
  prompts: string[];
  /** What each stream request had: its authorization header, and its token. */
  streams: { authorization: string | undefined; token: string | null }[];
  /** Answers instead of a stream, one each: before the prompt is accepted, or after it with `taken`. */
  instead: { status: number; type: string; text: string; location?: string; taken?: true }[];
  /** Called when a client closes a stream before its end. */
  closed?: () => void;
  /** What the webhook answered. */
  answers: { status: number; body: unknown }[];
  close(): Promise<void>;
};

export type AgentTurn = {
  prompt: string;
  stream(event: object): void;
  report(body: object): Promise<{ status: number; body: unknown }>;
  /** Breaks the connection. */
  cut(): void;
};

export async function startSeedAgent(password = "agent-password"): Promise<SeedAgent> {
  const sessions = new Map<string, { webhookUrl: string; token: string }>();
  const open = new Set<ServerResponse>();
  let count = 0;
  const agent: SeedAgent = {
    url: "",
    password,
    script: async ({ stream }) => stream({ type: "finish", finishReason: "stop" }),
    deliver: (request) => fetch(request),
    sessions: [],
    prompts: [],
    streams: [],
    instead: [],
    answers: [],
    close: () =>
      new Promise((resolve) => {
        for (const response of open) response.destroy();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  const session = async (request: IncomingMessage, response: ServerResponse) => {
    const { sessionId, webhookUrl } = (await readBody(request)) as { sessionId: string; webhookUrl: string };
    const { authorization } = request.headers;
    agent.sessions.push({ sessionId, webhookUrl, authorization });
    if (authorization !== `Bearer ${agent.password}`) return answer(response, 401, { error: "Unauthorized" });
    const token = `stream-token-${++count}`;
    sessions.set(sessionId, { webhookUrl, token });
    answer(response, 200, { token });
  };
  const stream = async (request: IncomingMessage, response: ServerResponse, url: URL) => {
    const sessionId = decodeURIComponent(url.pathname.slice("/stream/".length));
    agent.streams.push({ authorization: request.headers.authorization, token: url.searchParams.get("token") });
    const otherReply = agent.instead.shift();
    if (otherReply && !otherReply.taken) return refuse(response, otherReply);
    const callbackSession = sessions.get(sessionId);
    if (!callbackSession || url.searchParams.get("token") !== callbackSession.token)
      return answer(response, 401, { error: "Bad token" });
    const { prompt } = (await readBody(request)) as { prompt: string };
    agent.prompts.push(prompt);
    if (otherReply) refuse(response, otherReply);
    else response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    open.add(response);
    response.on("close", () => !response.writableEnded && agent.closed?.());
    await agent.script({
      prompt,
      stream: (event) => void (otherReply ?? response.write(`event: message\ndata: ${JSON.stringify(event)}\n\n`)),
      cut: () => response.destroy(),
      report: async (body) => {
        const callback = await agent.deliver(
          new Request(callbackSession.webhookUrl, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ sessionId, timestamp: Date.now(), ...body }),
          }),
        );
        const callbackReply = { status: callback.status, body: await callback.json() };
        agent.answers.push(callbackReply);
        return callbackReply;
      },
    });
    open.delete(response);
    response.end();
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://agent");
    const handled = url.pathname === "/session" ? session(request, response) : stream(request, response, url);
    handled.catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  agent.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return agent;
}

function refuse(response: ServerResponse, { status, type, text, location }: SeedAgent["instead"][number]): void {
  response.writeHead(status, { "content-type": type, ...(location ? { location } : {}) }).end(text);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const piece of request) text += piece;
  return JSON.parse(text);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
