import { isScriptToken } from "#protocol/script-token";
import { signInRequiredProblem } from "../accounts/authenticate.ts";

/**
 * Routes that accept a script token; every other route requires a sign-in. What a script does ends with its request: it
 * cannot change what later requests may do, nor create other access (docs/decisions/script-tokens.md).
 */
const SCRIPT_ROUTES = new Set([
  "GET /auth/token",
  "GET /connections",
  "GET /services",
  "GET /services/:name/description",
  "GET /tools",
  "GET /tools/:name",
  "POST /tools/:name/call",
  "POST /calls",
  "GET /calls/:id",
  "GET /model",
  "POST /model/test",
  "POST /ask",
  "POST /ask/confirm",
  "POST /ask/stream",
  "GET /requests/:key",
  "GET /sessions",
  "GET /sessions/:id",
  "PATCH /sessions/:id",
  "DELETE /sessions/:id",
  "GET /sessions/:id/events",
  "GET /sessions/:id/clients",
  "PUT /sessions/:id/clients/:client_id",
  "POST /sessions/:id/interactions/:interaction_id",
  "POST /sessions/:id/interactions/:interaction_id/extend",
  "GET /pending",
  "GET /pending/:id",
  "GET /generations/:id",
  "POST /generations/:id/auth",
  "POST /generations/:id/cancel",
  "POST /generations/:id/detach",
  "POST /generations/:id/stream",
  "GET /writes",
  "GET /policies",
  "GET /approvals",
  "POST /approvals/test",
  "GET /schedules",
  "POST /schedules/:id/run",
  "GET /capabilities",
  "GET /health",
  "GET /health/stream",
  "GET /ready",
]);

/**
 * Refuses a script token at a route that requires a sign-in, whether or not the route reads the token.
 *
 * @param route template of the matched route
 * @throws Problem SIGN_IN_REQUIRED
 */
export function checkScriptAccess(request: Request, route: string): void {
  const [, token = ""] = /^Bearer +(\S+)/i.exec(request.headers.get("authorization") ?? "") ?? [];
  if (!isScriptToken(token)) return;
  const method = request.method === "HEAD" ? "GET" : request.method;
  if (!SCRIPT_ROUTES.has(`${method} ${route}`)) throw signInRequiredProblem();
}
