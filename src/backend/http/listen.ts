import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Problem } from "#protocol/errors";
import { getStreamSource, type StreamSink, type StreamSource } from "./streaming-response.ts";

export type ListenOptions = {
  /** Name or address to listen on; loopback by default. */
  host: string;
  /** 0 lets the system choose. */
  port: number;
  /** How long running requests get when the socket closes, in ms. Default: 10 s. */
  grace?: number;
  /**
   * An answer with this header is not sent. Its connection is cut instead, for the sandbox's dropped-connection fault.
   */
  dropHeader?: string;
};

export type Listener = {
  /** Its URL, such as `http://127.0.0.1:4000`, without a trailing slash. */
  url: string;
  port: number;
  /** Lets responses finish and closes each connection after its response, so that clients choose another node. */
  drain(): void;
  /** Stops accepting requests, lets running ones finish, then closes the remaining connections. */
  close(): Promise<void>;
};

/** Time limits for the headers of a request and for the whole request, in ms. Answers have no limit. */
const HEADERS_LIMIT = 15_000;
const REQUEST_LIMIT = 60_000;
const GRACE = 10_000;

/**
 * Serves a function from Request to Response on a socket. Each request carries the peer's address.
 *
 * @throws Problem BACKEND_START_FAILED when it cannot listen on the address
 */
export async function listen(
  fetch: (request: Request, address?: string) => Response | Promise<Response>,
  { host, port, grace = GRACE, dropHeader }: ListenOptions,
): Promise<Listener> {
  const handle = getRequestListener(
    async (request, env) => {
      const { incoming, outgoing } = env as HttpBindings;
      const response = await fetch(request, toPeerAddress(incoming.socket.remoteAddress));
      if (dropHeader && response.headers.has(dropHeader)) incoming.socket.destroy();
      const open = getStreamSource(response);
      if (!open) return response;
      push(outgoing, response, open);
      return RESPONSE_ALREADY_SENT;
    },
    { overrideGlobalObjects: false },
  );
  let isDraining = false;
  const server = createServer(
    { headersTimeout: HEADERS_LIMIT, requestTimeout: REQUEST_LIMIT, connectionsCheckingInterval: 5_000 },
    (incoming, outgoing) => {
      if (isDraining) outgoing.setHeader("connection", "close");
      void handle(incoming, outgoing);
    },
  );
  await bind(server, host, port);
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://${toUrlHost(host)}:${boundPort}`,
    port: boundPort,
    drain: () => {
      isDraining = true;
    },
    close: () => close(server, grace),
  };
}

/** Writes directly to the socket, so that a reader costs no more than its connection. */
function push(outgoing: ServerResponse, { status, headers }: Response, open: (sink: StreamSink) => StreamSource): void {
  // Headers of the ended request only.
  outgoing.removeAllListeners("close");
  outgoing.writeHead(status, Object.fromEntries(headers));
  outgoing.flushHeaders();
  const source = open({ write: (text) => outgoing.write(text), end: (last) => outgoing.end(last) });
  outgoing.on("drain", source.go).on("close", source.gone);
  if (outgoing.destroyed) source.gone();
  else source.go();
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(startProblem(error, host, port)));
    server.listen({ host, port, exclusive: true }, () => {
      server.removeAllListeners("error");
      server.on("error", ignore);
      resolve();
    });
  });
}

/** Ignores later faults: each concerns one connection that could not be accepted, as its client sees. */
function ignore(): void {}

const LOOPBACK = "127.0.0.1";

function startProblem(error: NodeJS.ErrnoException, host: string, port: number): Problem {
  const address = `${host}:${port}`;
  const problems: Record<string, [sentence: string, hint: string]> = {
    EADDRINUSE: [
      `Another program already listens at ${address}.`,
      "Choose another port with `kay serve --port <port>`.",
    ],
    EACCES: [
      `Listening at ${address} is not allowed to this user.`,
      "Choose a port above 1023 with `kay serve --port <port>`.",
    ],
    EADDRNOTAVAIL: [
      `This machine does not have the address ${host}.`,
      host === LOOPBACK
        ? "kay needs it on IPv6 networks too. On Linux, run `ip link set lo up && ip address add 127.0.0.1/8 dev lo` as root."
        : "Choose another with `kay serve --host <address>`.",
    ],
    ENOTFOUND: [`The name ${host} is not known.`, "Choose another with `kay serve --host <address>`."],
  };
  const [sentence, hint] = problems[error.code ?? ""] ?? [
    `Listening at ${address} failed (${error.code ?? error.message}).`,
    "",
  ];
  return new Problem("BACKEND_START_FAILED", sentence, { hint, cause: error });
}

/** Closes idle connections at once, and the others when their response is sent or the grace period ends. */
function close(server: Server, grace: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), grace);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function toUrlHost(host: string): string {
  if (host === "0.0.0.0" || host === "") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

/** Returns a peer's address. IPv4 peers of an IPv6 socket get their IPv4 address. */
function toPeerAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, "");
}
