import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { Problem } from "#protocol/errors";
import { createEngine, type Engine } from "./generations/engine.ts";
import { createRateLimits } from "./limits.ts";
import type { Backend, BackendPorts } from "./ports.ts";
import { aboutRoutes } from "./routes/about.ts";
import { agentRoutes } from "./routes/agent.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { askRoutes } from "./routes/ask.ts";
import { authRoutes } from "./routes/auth.ts";
import { withLimitedBody } from "./routes/body.ts";
import { clientRoutes } from "./routes/clients.ts";
import { connectionRoutes } from "./routes/connections.ts";
import { describedRoutes } from "./routes/described.ts";
import { failureAnswer } from "./routes/failure.ts";
import { generationRoutes } from "./routes/generations.ts";
import { admit } from "./routes/guard.ts";
import { modelRoutes } from "./routes/model.ts";
import { policyRoutes } from "./routes/policies.ts";
import { remoteRoutes } from "./routes/remote.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { toolRoutes } from "./routes/tools.ts";
import { createLinks } from "./services/mcp/links.ts";
import { workStatus } from "./store/status.ts";
import { createTurns, type Turns } from "./turns/turns.ts";
import { watched } from "./watched.ts";

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
  const links = ports.links ?? createLinks(ports);
  ports.links = links;
  const engine = createEngine(ports);
  const turns = ports.agentRole ? createTurns(ports) : undefined;
  let draining = false;
  const app = routes(ports, engine, { turns, draining: () => draining });
  const limits = createRateLimits(ports.limits, ports.observe);
  const running = new Set<Promise<Response>>();

  function answer(request: Request, address: string): Promise<Response> {
    const requestId = randomUUID();
    const route = routeOf(app, request.method, new URL(request.url).pathname);
    return watched(ports, { request, requestId, route }, async () => {
      const response = await guarded(request, address, requestId).catch((error: unknown) =>
        failureAnswer(error, ports.log, requestId),
      );
      return withSafeHeaders(response, requestId);
    });
  }

  async function guarded(request: Request, address: string, requestId: string): Promise<Response> {
    admit(ports, request);
    await limits.check(new URL(request.url).pathname, address);
    return app.fetch(await withLimitedBody(request, ports.limits.bodyBytes), { requestId });
  }

  return {
    fetch(request, address = "local") {
      const answered = answer(request, address).finally(() => running.delete(answered));
      running.add(answered);
      return answered;
    },
    busy: () => running.size + engine.busy() + (turns?.busy() ?? 0),
    async status() {
      const shared = await Promise.race([workStatus(ports.db).catch(() => undefined), expired(STATUS_LIMIT)]);
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
      await Promise.race([Promise.allSettled(running), expired(CLOSE_LIMIT)]);
      await links.close();
    },
  };
}

function routes(
  ports: BackendPorts,
  engine: Engine,
  { turns, draining }: { turns?: Turns | undefined; draining(): boolean },
): Hono<Env> {
  const app = new Hono<Env>();
  app.route("/", aboutRoutes(ports, draining));
  if (turns && ports.agentRole) app.route("/", agentRoutes(turns, ports.agentRole));
  if (!ports.agentRole?.alone) peopleRoutes(app, ports, engine);
  app.onError((error, c) => failureAnswer(error, ports.log, c.env.requestId));
  app.notFound((c) => unknownRoute(app, c.req.method, c.req.path));
  return app;
}

/** What an agent server that is no backend does not have. */
function peopleRoutes(app: Hono<Env>, ports: BackendPorts, engine: Engine): void {
  app.route("/", connectionRoutes(ports));
  app.route("/", authRoutes(ports, engine));
  app.route("/", toolRoutes(ports));
  app.route("/", modelRoutes(ports));
  app.route("/", describedRoutes(ports));
  app.route("/", askRoutes(ports, engine));
  app.route("/", generationRoutes(ports, engine));
  app.route("/", policyRoutes(ports));
  app.route("/", approvalRoutes(ports));
  app.route("/", sessionRoutes(ports));
  app.route("/", clientRoutes(ports));
  app.route("/", remoteRoutes(ports, engine));
}

/** The template of the route that a request meets; nothing that its sender made up. */
function routeOf(app: Hono<Env>, method: string, path: string): string {
  const met = app.router.match(method, path)[0].map(([handler]) => handler[1]);
  return met.find((route) => route.method === method)?.path ?? "other";
}

/** A path that exists with another method is 405 and says which (RFC 9110 section 15.5.6). */
function unknownRoute(app: Hono<Env>, method: string, path: string): Response {
  const allowed = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter(
    (each) => app.router.match(each, path)[0].length > 0,
  );
  if (allowed.length === 0) throw new Problem("NOT_FOUND", "There is nothing at this path.");
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

function expired(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds).unref());
}
