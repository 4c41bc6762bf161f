import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { StreamPart } from "#protocol/events";
import { LAST, pieces } from "./pieces.ts";

/**
 * A backend inside the bench that streams what its prompt requests, `<pieces> <pieces per second>`; 0 means as fast as
 * possible.
 */
export type StreamBackend = { url: string; close(): Promise<void> };

const IDS = { session_id: "session_bench", generation_id: "gen_bench" };
const MODEL = { name: "bench", label: "Bench", offline: true, source: "none", why: "It is a bench.", available: [] };

/** Answers everything but the stream at once, for any token. */
const ANSWERS: Record<string, unknown> = {
  "GET /model": MODEL,
  "GET /connections": { connections: { jira: { connected: true }, slack: { connected: false } } },
  "GET /sessions": { data: [], page: 1, limit: 20, total: 0, has_more: false },
  "GET /tools": { tools: [] },
};

/** Pieces that are sent together if there is no rate. */
const BURST = 50;

/** Starts it on loopback. Serves one conversation at a time. */
export async function streamBackend(): Promise<StreamBackend> {
  let wanted = { count: 0, rate: 0 };
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://bench");
    const call = `${request.method} ${pathname}`;
    const body = await read(request);
    if (call === "POST /ask") {
      const [count = 0, rate = 0] = String(JSON.parse(body).prompt).split(" ").map(Number);
      wanted = { count, rate };
      begin(response);
    } else if (pathname.endsWith("/events")) {
      begin(response);
      await stream(response, wanted);
    } else {
      const answer = ANSWERS[call];
      response.writeHead(answer ? 200 : 404, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answer ?? { error: "NOT_FOUND", message: call }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}`, close };
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "text/event-stream", "kay-session-id": IDS.session_id });
  response.write(event(1, { type: "start", messageMetadata: IDS }));
}

async function stream(response: ServerResponse, { count, rate }: { count: number; rate: number }): Promise<void> {
  let number = 1;
  const next = (part: StreamPart) => event(++number, part);
  const send = async (text: string) => {
    if (!response.write(text)) await Promise.race([once(response, "drain"), once(response, "close")]);
  };
  const status = (now: "running" | "completed") => next({ type: "data-status", data: { ...IDS, status: now } });
  await send(status("running") + next({ type: "text-start", id: "0" }));
  const start = performance.now();
  let sent = 0;
  while (sent < count && !response.closed) {
    const due = rate === 0 ? sent + BURST : Math.floor(((performance.now() - start) / 1000) * rate) + 1;
    let text = "";
    for (; sent < Math.min(due, count); sent += 1) text += next({ type: "text-delta", id: "0", delta: pieces(sent) });
    if (text !== "") await send(text);
    // With a rate, every piece is sent separately, like a model's.
    await (rate === 0
      ? new Promise(setImmediate)
      : pause(Math.max(1, start + (sent * 1000) / rate - performance.now())));
  }
  await send(next({ type: "text-delta", id: "0", delta: `\n\n${LAST}` }));
  await send(next({ type: "text-end", id: "0" }) + status("completed") + next({ type: "finish" }));
}

function event(number: number, part: StreamPart): string {
  return `id: ${number}\ndata: ${JSON.stringify(part)}\n\n`;
}

async function read(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}
