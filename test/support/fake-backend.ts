import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** One request as the fake received it. */
export type Seen = {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
};

/**
 * How the fake handles one request. `drop` destroys the socket after the whole request was read, `hang` never answers.
 * A text that is `open` is one to which more may come.
 */
export type Reply =
  | { status?: number; headers?: Record<string, string>; json?: unknown; text?: string; cut?: boolean; open?: boolean }
  | "drop"
  | "hang"
  | ((request: Seen) => Reply | Promise<Reply>);

export type FakeBackend = {
  url: string;
  port: number;
  /** Every request in order. */
  seen: Seen[];
  /** `METHOD path` of every request. */
  calls(): string[];
  /** `METHOD path` of every request whose client left before its answer. */
  abandoned(): string[];
  /** Scripts the answers of one route, one each. */
  on(route: string, ...replies: Reply[]): void;
  /** Answers every request of a route without scripted answers; none is required. */
  always(route: string, reply: Reply): void;
};

/**
 * A strict stand-in for a backend on 127.0.0.1 (or `host`). It is closed when the test ends; the test fails on an
 * unscripted request, or a missing scripted one.
 */
export async function fakeBackend(
  options: { host?: string; tls?: { key: string; cert: string } } = {},
): Promise<FakeBackend> {
  const requests: Seen[] = [];
  const scripts = new Map<string, Reply[]>();
  const constant = new Map<string, Reply>();
  const unknown: string[] = [];
  const abandoned: string[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const received = await readRequest(request);
    requests.push(received);
    const route = `${received.method} ${received.path}`;
    response.once("close", () => response.writableEnded || abandoned.push(route));
    const reply = scripts.get(route)?.shift() ?? constant.get(route);
    if (reply === undefined) unknown.push(route);
    await answer(
      reply ?? { status: 418, json: { error: "UNKNOWN", message: `not scripted: ${route}` } },
      received,
      request,
      response,
    );
  };
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void handle(request, response).catch(() => request.destroy());
  const server: Server = options.tls ? createTlsServer(options.tls, listener) : createServer(listener);
  const host = options.host ?? "127.0.0.1";
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, host, resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const unused = [...scripts].flatMap(([route, remaining]) => remaining.map(() => route));
    if (unknown.length > 0) throw new Error(`requests that were not scripted: ${unknown.join(", ")}`);
    if (unused.length > 0) throw new Error(`scripted requests that never came: ${unused.join(", ")}`);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    seen: requests,
    calls: () => requests.map(({ method, path }) => `${method} ${path}`),
    abandoned: () => abandoned,
    on: (route, ...replies) => void scripts.set(route, [...(scripts.get(route) ?? []), ...replies]),
    always: (route, reply) => void constant.set(route, reply),
  };
}

async function readRequest(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  const json = request.headers["content-type"]?.includes("json");
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    body: json ? JSON.parse(text) : text,
  };
}

async function answer(reply: Reply, received: Seen, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (typeof reply === "function") return answer(await reply(received), received, request, response);
  if (reply === "hang") return;
  if (reply === "drop") return void request.socket.destroy();
  const text = reply.text ?? (reply.json === undefined ? "" : JSON.stringify(reply.json));
  const type = reply.text === undefined ? "application/json" : "text/html";
  if (reply.open) {
    response.writeHead(reply.status ?? 200, { "Content-Type": type, ...reply.headers });
    return void response.write(text);
  }
  const length = Buffer.byteLength(text) + (reply.cut ? 10 : 0);
  response.writeHead(reply.status ?? 200, { "Content-Type": type, "Content-Length": String(length), ...reply.headers });
  if (!reply.cut) return void response.end(text);
  response.write(text);
  setTimeout(() => request.socket.destroy(), 20);
}
