import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** What a model outputs in one step: pieces of text, then calls by tool name. */
export type ModelStep = { text: string[]; calls?: [id: string, tool: string, input: object][] };

/**
 * The parts of a model request that scripts use: the number of results in its latest turn, and how often this step was
 * requested.
 */
export type ModelAsk = { results: number; time: number; messages: { role: string; content: unknown }[] };

export type FakeModel = {
  url: string;
  asks: ModelAsk[];
  close(): Promise<void>;
};

/**
 * A model that gives the same answer to the same question, piece by piece over a real socket.
 *
 * @param remembers its requests; without that `time` is always 1
 */
export async function fakeModel(
  script: (ask: ModelAsk) => ModelStep,
  pieceMs = 3,
  remembers = true,
): Promise<FakeModel> {
  const asks: ModelAsk[] = [];
  const times = new Map<string, number>();
  const { url, close } = await startServer(async (request, response) => {
    const text = await readBody(request);
    const { messages } = JSON.parse(text) as ModelAsk;
    const time = (times.get(text) ?? 0) + 1;
    if (remembers) times.set(text, time);
    const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
    const ask = { results: since.filter(({ role }) => role === "tool").length, time, messages };
    if (remembers) asks.push(ask);
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const chunk of chunks(script(ask))) {
      response.write(`data: ${chunk}\n\n`);
      await pause(pieceMs);
    }
    response.end("data: [DONE]\n\n");
  });
  return { url, asks, close };
}

export type FakeService = {
  url: string;
  /** Paths of received writes, with their idempotency keys. */
  arrived: { path: string; key: string | undefined }[];
  /** HTTP status of its answers. */
  status: number;
  /** Called when a write has arrived, before it is answered. */
  onArrival: (() => Promise<void> | void) | undefined;
  close(): Promise<void>;
};

/** A service that counts requests. */
export async function fakeService(): Promise<FakeService> {
  const arrived: FakeService["arrived"] = [];
  const { url, close } = await startServer(async (request, response) => {
    await readBody(request);
    arrived.push({ path: request.url ?? "", key: request.headers["idempotency-key"] as string | undefined });
    await service.onArrival?.();
    response.writeHead(service.status, { "content-type": "application/json" }).end("{}");
  });
  const service: FakeService = { url, arrived, status: 200, onArrival: undefined, close };
  return service;
}

async function startServer(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    response.on("error", () => {});
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString();
}

function chunks({ text, calls = [] }: ModelStep): string[] {
  const made = calls.flatMap(([id, tool, input], index) => {
    const json = JSON.stringify(input);
    const half = Math.ceil(json.length / 2);
    const name = tool.replaceAll(".", "__");
    return [
      { tool_calls: [{ index, id, type: "function", function: { name, arguments: json.slice(0, half) } }] },
      { tool_calls: [{ index, function: { arguments: json.slice(half) } }] },
    ];
  });
  const deltas = [{ role: "assistant" }, ...text.map((content) => ({ content })), ...made];
  const base = { id: "c", object: "chat.completion.chunk", created: 0, model: "scripted" };
  const parts = deltas.map((delta) => ({ ...base, choices: [{ index: 0, delta, finish_reason: null }] }));
  const finish_reason = calls.length > 0 ? "tool_calls" : "stop";
  return [...parts, { ...base, choices: [{ index: 0, delta: {}, finish_reason }] }].map((part) => JSON.stringify(part));
}
