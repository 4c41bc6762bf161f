import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { createMcpClientPool } from "#connectors/mcp/client-pool";
import { Problem } from "#protocol/errors";
import { type AgentServer, createAgentServer } from "./agent-server/server.ts";
import { createEngine, type Engine } from "./generations/engine.ts";
import { createRateLimits } from "./http/rate-limits.ts";
import { logRequest } from "./http/request-log.ts";
import type { Backend, BackendPorts } from "./ports.ts";
import { createAboutRoutes, createModelRoutes } from "./routes/about.ts";
import { checkAdmission } from "./routes/admission.ts";
import { createAgentRoutes } from "./routes/agent.ts";
import { createApprovalRoutes } from "./routes/approvals.ts";
import { createAskRoutes } from "./routes/ask.ts";
import { createAuthRoutes } from "./routes/auth.ts";
import { limitBody } from "./routes/body.ts";
import { createClientRoutes } from "./routes/client-mode.ts";
import { createConnectionRoutes } from "./routes/connections.ts";
import { createCustomServiceRoutes } from "./routes/custom-services.ts";
import { toErrorResponse } from "./routes/error-response.ts";
import { createGenerationRoutes } from "./routes/generations.ts";
import { createPolicyRoutes } from "./routes/policies.ts";
import { createRemoteRoutes } from "./routes/remote.ts";
import { createSessionRoutes } from "./routes/sessions.ts";
import { createToolRoutes } from "./routes/tools.ts";
import { getWorkStatus } from "./store/node.ts";

/** How long `close` waits for what is under way, in milliseconds. */
const CLOSE_LIMIT = 10_000;

/** How long the database may take to say what all nodes are at, in milliseconds. */
const STATUS_LIMIT = 2_000;

/** Set by the guard for the routes behind it. */
type Env = { Bindings: { requestId: string } };

/**
 * The backend: Request in, Response out. Who may ask, how much and how often is settled here, once for all routes; the routes are thin.
 * Neither the socket (`listen.ts`) nor the database (its owner closes it) belongs to it.
 */
export function createBackend(ports: BackendPorts): Backend {
  const links = ports.links ?? createMcpClientPool(ports);
  ports.links = links;
  const engine = createEngine(ports);
  const turns = ports.agentRole ? createAgentServer(ports) : undefined;
  let draining = false;
  const app = routes(ports, engine, { turns, draining: () => draining });
  const limits = createRateLimits(ports.limits, ports.observe);
  const running = new Set<Promise<Response>>();

  function answer(request: Request, address: string): Promise<Response> {
    const requestId = randomUUID();
    const route = getRoute(app, request.method, new URL(request.url).pathname);
    return logRequest(ports, { request, requestId, route }, async () => {
      const response = await guarded(request, address, requestId).catch((error: unknown) =>
        toErrorResponse(error, ports.log, requestId),
      );
      return withSafeHeaders(response, requestId);
    });
  }

  async function guarded(request: Request, address: string, requestId: string): Promise<Response> {
    checkAdmission(ports, request);
    await limits.check(new URL(request.url).pathname, address);
    return app.fetch(await limitBody(request, ports.limits.bodyBytes), { requestId });
  }

  return {
    fetch(request, address = "local") {
      const answered = answer(request, address).finally(() => running.delete(answered));
      running.add(answered);
      return answered;
    },
    busy: () => running.size + engine.busy() + (turns?.busy() ?? 0),
    async status() {
      const shared = await Promise.race([getWorkStatus(ports.db).catch(() => undefined), expire(STATUS_LIMIT)]);
      return { ...engine.counts(), ...(shared ? { shared } : {}) };
    },
    async tick() {
      await Promise.all([engine.tick(), turns?.tick()]);
      await links.tick();
    },
    async drain() {
      draining = true;
      await engine.drain();
    },
    async close() {
      draining = true;
      await Promise.all([engine.close(), turns?.close()]);
      await Promise.race([Promise.allSettled(running), expire(CLOSE_LIMIT)]);
      await links.close();
    },
  };
}

function routes(
  ports: BackendPorts,
  engine: Engine,
  { turns, draining }: { turns?: AgentServer | undefined; draining(): boolean },
): Hono<Env> {
  const app = new Hono<Env>();
  app.route("/", createAboutRoutes(ports, draining));
  if (turns && ports.agentRole) app.route("/", createAgentRoutes(turns, ports.agentRole));
  if (!ports.agentRole?.alone) peopleRoutes(app, ports, engine);
  app.onError((error, c) => toErrorResponse(error, ports.log, c.env.requestId));
  app.notFound((c) => unknownRoute(app, c.req.method, c.req.path));
  return app;
}

/** What an agent server that is no backend does not have. */
function peopleRoutes(app: Hono<Env>, ports: BackendPorts, engine: Engine): void {
  app.route("/", createConnectionRoutes(ports));
  app.route("/", createAuthRoutes(ports, engine));
  app.route("/", createToolRoutes(ports));
  app.route("/", createModelRoutes(ports));
  app.route("/", createCustomServiceRoutes(ports));
  app.route("/", createAskRoutes(ports, engine));
  app.route("/", createGenerationRoutes(ports, engine));
  app.route("/", createPolicyRoutes(ports));
  app.route("/", createApprovalRoutes(ports));
  app.route("/", createSessionRoutes(ports));
  app.route("/", createClientRoutes(ports));
  app.route("/", createRemoteRoutes(ports, engine));
}

/** The template of the route that a request meets; nothing that its sender made up. */
function getRoute(app: Hono<Env>, method: string, path: string): string {
  const met = app.router.match(method, path)[0].map(([handler]) => handler[1]);
  return met.find((route) => route.method === method)?.path ?? "other";
}

/** A path that exists with another method is 405 and says which (RFC 9110 section 15.5.6). */
function unknownRoute(app: Hono<Env>, method: string, path: string): Response {
  const allowed = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter(
    (each) => app.router.match(each, path)[0].length > 0,
  );
  if (allowed.length === 0) throw new Problem("NOT_FOUND", "Not found.");
  throw new Problem("METHOD_NOT_ALLOWED", `This path takes ${allowed.join(", ")}, not ${method}.`, {
    details: { allow: allowed },
  });
}

function withSafeHeaders(response: Response, requestId: string): Response {
  response.headers.set("kay-request-id", requestId);
  response.headers.set("x-content-type-options", "nosniff");
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
  return response;
}

function expire(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds).unref());
}
