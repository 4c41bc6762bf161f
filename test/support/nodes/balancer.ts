import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Interval of readiness checks, and time limit of one, in ms. */
const LOOK_EVERY = 200;
const LOOK_LIMIT = 1_000;

/** Header that names the node of a response. */
export const SERVED_BY = "x-served-by";

export type Balancer = { url: string; ready(node: string): boolean; close(): void };

/**
 * A load balancer: each request goes to the next ready node. A node that refuses the connection has not seen the
 * request, so the next one gets it. Responses are passed through as they arrive.
 *
 * @param nodes addresses by name
 */
export async function openBalancer(nodes: Record<string, string>): Promise<Balancer> {
  const names = Object.keys(nodes);
  const ready = new Set<string>();
  const closing = new AbortController();
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    turn++;
    const order = names.map((_, index) => names[(turn + index) % names.length] ?? "");
    const able = order.filter((name) => ready.has(name));
    pass(
      incoming,
      outgoing,
      (able.length > 0 ? able : order).map((name) => ({ name, url: nodes[name] ?? "" })),
    );
  });
  for (const name of names) void watch(name, nodes[name] ?? "", ready, closing.signal);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: (node) => ready.has(node),
    close: () => {
      closing.abort();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function watch(name: string, url: string, ready: Set<string>, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(LOOK_LIMIT)]);
    const answer = await fetch(`${url}/ready`, { signal }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => {});
    if (answer?.ok) ready.add(name);
    else ready.delete(name);
    await pause(LOOK_EVERY, undefined, { signal: closing }).catch(() => {});
  }
}

type Target = { name: string; url: string };

function pass(incoming: IncomingMessage, outgoing: ServerResponse, [target, ...others]: Target[]): void {
  if (!target) {
    fail(outgoing);
    return;
  }
  const { hostname, port } = new URL(target.url);
  const forwardedFor = incoming.headers["x-forwarded-for"];
  const asker = incoming.socket.remoteAddress ?? "";
  const headers = {
    ...incoming.headers,
    "x-forwarded-for": forwardedFor ? `${forwardedFor}, ${asker}` : asker,
    connection: "close",
  };
  const { method, url: path } = incoming;
  const forwarded = request({ hostname, port, method, path, headers, agent: false });
  forwarded.once("response", (answer) => {
    const { connection: _, "transfer-encoding": __, "keep-alive": ___, ...kept } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, { ...kept, [SERVED_BY]: target.name });
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    answer.once("error", () => outgoing.destroy());
  });
  forwarded.once("error", (error: NodeJS.ErrnoException) => {
    if (outgoing.headersSent) return void outgoing.destroy();
    if (error.code === "ECONNREFUSED" && others.length > 0) pass(incoming, outgoing, others);
    else fail(outgoing);
  });
  outgoing.once("close", () => forwarded.destroy());
  // Only once connected, because a body that was not sent can still go to another node.
  forwarded.once("socket", (socket) => socket.once("connect", () => incoming.pipe(forwarded)));
}

function fail(outgoing: ServerResponse): void {
  if (outgoing.headersSent) return void outgoing.destroy();
  outgoing.writeHead(502).end();
}
