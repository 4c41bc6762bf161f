import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

export type GuideBackend = {
  url: string;
  /** From now on, refreshed tokens are valid for an hour. */
  lengthen(): void;
  /** Refreshes since {@link lengthen}. */
  refreshes(): number;
  close(): Promise<void>;
};

const services = ["jira", "confluence", "bitbucket", "slack", "gmail", "calendar"];

/**
 * A backend that answers at once: connect, status, refresh and the list of connections, also below `/api/v3` for `gh
 * api`. Anyone is signed in after one status call.
 *
 * @param lifeSeconds lifetime of access tokens
 */
export async function guideBackend(lifeSeconds: number, tls?: { key: string; cert: string }): Promise<GuideBackend> {
  let refreshes = 0;
  let life = lifeSeconds;
  const answers: Record<string, () => Record<string, unknown>> = {
    "POST /connections/connect": () => ({
      service: "jira",
      session_id: "kaysession_bench",
      state: "state",
      authorization_url: "http://127.0.0.1:9/consent",
    }),
    "GET /auth/status/state": () => ({
      status: "completed",
      account_id: "a",
      token: token(life),
      refresh_token: "r0",
    }),
    "POST /auth/refresh": () => ({ token: token(life), refresh_token: `r${++refreshes}` }),
    "GET /connections": connections,
    "GET /api/v3/connections": connections,
  };
  const listener: RequestListener = async (request, response) => {
    await read(request);
    const path = new URL(request.url ?? "/", "http://bench").pathname;
    const answer = answers[`${request.method} ${path}`];
    response.writeHead(answer ? 200 : 404, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answer ? answer() : { error: "NOT_FOUND", message: path }));
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const lengthen = () => {
    life = 3600;
    refreshes = 0;
  };
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const { port } = server.address() as AddressInfo;
  return { url: `${tls ? "https" : "http"}://127.0.0.1:${port}`, lengthen, refreshes: () => refreshes, close };
}

function connections() {
  const user = { account_id: "a", display_name: "Ada Lovelace", email: "ada@example.com" };
  return {
    connections: Object.fromEntries(
      services.map((name, index) => [name, index < 3 ? { connected: true, user } : { connected: false }]),
    ),
  };
}

/** Not signed, because the client reads only its expiry. */
function token(lifeSeconds: number): string {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: "a", iat: now, exp: now + lifeSeconds })}.${"s".repeat(43)}`;
}

async function read(request: IncomingMessage): Promise<void> {
  for await (const _chunk of request);
}
