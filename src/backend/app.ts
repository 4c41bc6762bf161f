import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { getPath } from "hono/utils/url";
import { createMcpClientPool } from "#connectors/mcp/client-pool";
import { MAX_ATTACHMENTS_BODY_BYTES } from "#protocol/attachment-text";
import { Problem } from "#protocol/errors";
import type { Log } from "#telemetry/log";
import { createAccessWatch } from "./accounts/access-watch.ts";
import { authenticate, findCaller } from "./accounts/authenticate.ts";
import { type AgentServer, createAgentServer } from "./agent-server/server.ts";
import { createEngine, type Engine } from "./generations/engine.ts";
import { sendNotices } from "./generations/notices.ts";
import { createRateLimits } from "./http/rate-limits.ts";
import { logRequest } from "./http/request-log.ts";
import { watchStream } from "./http/streaming-response.ts";
import type { Backend, BackendPorts } from "./ports.ts";
import { createAboutRoutes, createModelRoutes } from "./routes/about.ts";
import { checkAdmission } from "./routes/admission.ts";
import { createAgentRoutes } from "./routes/agent.ts";
import { createAnswerPageRoutes } from "./routes/answer-page/routes.ts";
import { createApprovalRoutes } from "./routes/approvals.ts";
import { createAskRoutes } from "./routes/ask.ts";
import { createAuthRoutes } from "./routes/auth.ts";
import { limitBody, toProblemResponse } from "./routes/body.ts";
import { createClientRoutes } from "./routes/client-mode.ts";
import { createConnectionRoutes } from "./routes/connections.ts";
import { createCustomServiceRoutes } from "./routes/custom-services.ts";
import { createGenerationRoutes } from "./routes/generations.ts";
import { createMcpRoutes } from "./routes/mcp/routes.ts";
import { createPolicyRoutes } from "./routes/policies.ts";
import { createProgramCallRoutes } from "./routes/program-calls.ts";
import { createRemoteRoutes } from "./routes/remote.ts";
import { createScheduleRoutes } from "./routes/schedules.ts";
import { checkScriptAccess } from "./routes/script-access.ts";
import { createScriptTokenRoutes } from "./routes/script-tokens.ts";
import { createSessionRoutes } from "./routes/sessions.ts";
import { createToolRoutes } from "./routes/tools.ts";
import { createWriteRoutes } from "./routes/writes.ts";
import { createScheduler, type Scheduler } from "./schedules/scheduler.ts";
import { getFaultLevel, toDatabaseProblem } from "./store/database.ts";
import { getWorkStatus } from "./store/node.ts";
import { connectWakeUps } from "./store/wake-ups.ts";

/** How long `close` waits for running work, in ms. */
const CLOSE_LIMIT = 10_000;

/** How long the database may take to report the status of all nodes, in ms. */
const STATUS_LIMIT = 2_000;

/** Set by the guard for the routes behind it. */
type Env = { Bindings: { requestId: string; address: string } };

/**
 * Creates the backend: Request in, Response out. Access, size and rate limits are enforced here, once for all routes.
 * The socket (`listen.ts`) and the database (closed by its owner) are not part of it.
 */
export function createBackend(ports: BackendPorts): Backend {
  const links = ports.links ?? createMcpClientPool(ports);
  ports.links = links;
  ports.db = connectWakeUps(ports.db, ports.node);
  const engine = createEngine(ports);
  const turns = ports.agentRole ? createAgentServer(ports) : undefined;
  const scheduler = createScheduler(ports, engine);
  let draining = false;
  const app = createRoutes(ports, engine, { turns, scheduler, draining: () => draining });
  const limits = createRateLimits(ports.limits, ports.observe);
  const access = createAccessWatch(ports);
  const runningRequests = new Set<Promise<Response>>();

  function answer(request: Request, address: string): Promise<Response> {
    const requestId = randomUUID();
    // The router matches the decoded path, so limits and logs must not look at the raw one.
    const route = getRoute(app, request.method, getPath(request));
    return logRequest(ports, { request, requestId, route }, async () => {
      const response = await answerAdmitted(request, { address, requestId, route }).catch((error: unknown) =>
        toErrorResponse(error, ports.log, requestId),
      );
      return withSafeHeaders(response, requestId);
    });
  }

  async function answerAdmitted(
    request: Request,
    { address, requestId, route }: { address: string; requestId: string; route: string },
  ): Promise<Response> {
    checkAdmission(ports, request);
    await limits.check(route, address);
    if (route !== UNKNOWN_ROUTE) checkScriptAccess(request, route);
    const limitedRequest = await limitBody(request, ports.limits.bodyBytes, async () => {
      // Only an ask can bring files, and only of someone who is signed in.
      if (route !== "/ask") return 0;
      return await authenticate(ports, request).then(
        () => MAX_ATTACHMENTS_BODY_BYTES,
        () => 0,
      );
    });
    const response = await app.fetch(limitedRequest, { requestId, address });
    const caller = findCaller(limitedRequest);
    if (caller) watchStream(response, (cut) => access.watch(caller, cut));
    return response;
  }

  return {
    fetch(request, address = "local") {
      const response = answer(request, address).finally(() => runningRequests.delete(response));
      runningRequests.add(response);
      return response;
    },
    busy: () => runningRequests.size + engine.busy() + (turns?.busy() ?? 0),
    async status() {
      const shared = await Promise.race([
        getWorkStatus(ports.db, ports.clock.now()).catch(() => undefined),
        sleep(STATUS_LIMIT),
      ]);
      return { ...engine.counts(), ...(shared ? { shared } : {}) };
    },
    async tick() {
      const schedules = ports.agentRole?.alone ? undefined : scheduler.tick();
      await Promise.all([engine.tick(), turns?.tick(), schedules, sendNotices(ports), access.tick()]);
      await links.tick();
    },
    async drain() {
      draining = true;
      await engine.drain();
    },
    async close() {
      draining = true;
      await Promise.all([engine.close(), turns?.close()]);
      await Promise.race([Promise.allSettled(runningRequests), sleep(CLOSE_LIMIT)]);
      await links.close();
    },
  };
}

/** Creates the routes of a backend, by its role. */
export function createRoutes(
  ports: BackendPorts,
  engine: Engine,
  { turns, scheduler, draining }: { turns?: AgentServer | undefined; scheduler: Scheduler; draining(): boolean },
): Hono<Env> {
  const app = new Hono<Env>();
  app.route("/", createAboutRoutes(ports, draining));
  if (turns && ports.agentRole) app.route("/", createAgentRoutes(turns, ports.agentRole));
  if (!ports.agentRole?.alone) registerClientRoutes(app, ports, { engine, scheduler });
  if (ports.mcp && !ports.agentRole?.alone) app.route("/", createMcpRoutes(ports, engine, draining));
  app.onError((error, c) => toErrorResponse(error, ports.log, c.env.requestId));
  app.notFound((c) => rejectUnknownRoute(app, c.req.method, c.req.path));
  return app;
}

/** Registers the routes for clients, which a pure agent server does not have. */
function registerClientRoutes(
  app: Hono<Env>,
  ports: BackendPorts,
  { engine, scheduler }: { engine: Engine; scheduler: Scheduler },
): void {
  app.route("/", createConnectionRoutes(ports));
  app.route("/", createAuthRoutes(ports));
  app.route("/", createScriptTokenRoutes(ports));
  app.route("/", createToolRoutes(ports));
  app.route("/", createProgramCallRoutes(ports, engine));
  app.route("/", createModelRoutes(ports));
  app.route("/", createCustomServiceRoutes(ports));
  app.route("/", createAskRoutes(ports, engine));
  app.route("/", createAnswerPageRoutes(ports, engine));
  app.route("/", createGenerationRoutes(ports, engine));
  app.route("/", createPolicyRoutes(ports));
  app.route("/", createApprovalRoutes(ports));
  app.route("/", createScheduleRoutes(ports, engine, scheduler));
  app.route("/", createSessionRoutes(ports));
  app.route("/", createClientRoutes(ports));
  app.route("/", createRemoteRoutes(ports, engine));
  app.route("/", createWriteRoutes(ports));
}

const UNKNOWN_ROUTE = "other";

/** Returns the template of the route that matches a request, never text from its sender. HEAD runs the route of GET. */
function getRoute(app: Hono<Env>, sentMethod: string, path: string): string {
  const method = sentMethod === "HEAD" ? "GET" : sentMethod;
  const matches = app.router.match(method, path)[0].map(([handler]) => handler[1]);
  return matches.find((route) => route.method === method)?.path ?? UNKNOWN_ROUTE;
}

/**
 * Responds 405 with the allowed methods if the path exists with another method (RFC 9110 section 15.5.6), otherwise
 * 404.
 */
function rejectUnknownRoute(app: Hono<Env>, method: string, path: string): Response {
  const allowedMethods = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter(
    (candidate) => app.router.match(candidate, path)[0].length > 0,
  );
  if (allowedMethods.length === 0) throw new Problem("NOT_FOUND", "Not found.");
  throw new Problem("METHOD_NOT_ALLOWED", `This path accepts ${allowedMethods.join(", ")}, not ${method}.`, {
    details: { allow: allowedMethods },
  });
}

function withSafeHeaders(response: Response, requestId: string): Response {
  response.headers.set("kay-request-id", requestId);
  response.headers.set("x-content-type-options", "nosniff");
  if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
  return response;
}

function sleep(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), milliseconds).unref());
}

/**
 * The one place where an error becomes a response. Expected errors are described. Any other error shows only the
 * request ID; the rest goes to the log.
 */
function toErrorResponse(error: unknown, log: Log, requestId: string): Response {
  const problem = asProblem(error, log, requestId);
  if (problem.cause !== undefined && error instanceof Problem) {
    log(problem.status < 500 ? "debug" : "warn", "request.refused", {
      request: requestId,
      problem: problem.code,
      cause: problem.cause,
    });
  }
  return toProblemResponse(problem);
}

function asProblem(error: unknown, log: Log, requestId: string): Problem {
  if (error instanceof Problem) return error;
  log(getFaultLevel(error), "request.fault", { request: requestId, cause: error });
  return (
    toDatabaseProblem(error) ??
    new Problem("INTERNAL", `Something went wrong inside kay (request ${requestId}).`, {
      details: { request_id: requestId },
    })
  );
}
