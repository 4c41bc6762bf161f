import { expect, test } from "vitest";
import type { AgentServer } from "#backend/agent-server/server";
import { createRoutes } from "#backend/app";
import type { Engine } from "#backend/generations/engine";
import type { Scheduler } from "#backend/schedules/scheduler";
import { createWorld, useBackend } from "#test/backend";
import { connect } from "#test/consent";

const world = useBackend({ mcp: true });

/**
 * Every route of a backend, and whether it accepts a script token. A new route must be added here. What a script does
 * ends with its request, so routes that create access or change what later requests may do are `false`.
 */
const DECISIONS: Record<string, boolean> = {
  // asking and following
  "POST /ask": true,
  "POST /ask/confirm": true,
  "POST /ask/stream": true,
  "GET /requests/:key": true,
  "GET /sessions": true,
  "GET /sessions/:id": true,
  "PATCH /sessions/:id": true,
  "DELETE /sessions/:id": true,
  "GET /sessions/:id/events": true,
  "GET /sessions/:id/clients": true,
  "PUT /sessions/:id/clients/:client_id": true,
  "POST /sessions/:id/interactions/:interaction_id": true,
  "POST /sessions/:id/interactions/:interaction_id/extend": true,
  "GET /pending": true,
  "GET /pending/:id": true,
  "GET /generations/:id": true,
  "POST /generations/:id/auth": true,
  "POST /generations/:id/cancel": true,
  "POST /generations/:id/detach": true,
  "POST /generations/:id/stream": true,
  // tools and their results
  "GET /connections": true,
  "GET /services": true,
  "GET /services/:name/description": true,
  "GET /tools": true,
  "GET /tools/:name": true,
  "POST /tools/:name/call": true,
  "POST /calls": true,
  "GET /calls/:id": true,
  "GET /writes": true,
  "GET /model": true,
  "POST /model/test": true,
  // about itself and the backend
  "GET /auth/token": true,
  "GET /capabilities": true,
  "GET /health": true,
  "GET /health/stream": true,
  "GET /ready": true,
  // what later requests may do: reading only
  "GET /policies": true,
  "PUT /policies": false,
  "GET /approvals": true,
  "POST /approvals/test": true,
  "DELETE /approvals": false,
  "DELETE /approvals/:id": false,
  "GET /schedules": true,
  "POST /schedules": false,
  "PATCH /schedules/:id": false,
  "DELETE /schedules/:id": false,
  "POST /schedules/:id/run": true,
  "POST /services": false,
  "DELETE /services/:name": false,
  "POST /services/:name/approve": false,
  // consents, sign-ins and other access
  "POST /connections/connect": false,
  "POST /connections/disconnect": false,
  "GET /auth/status/:state": false,
  "GET /auth/callback": false,
  "GET /auth/callback/:place": false,
  "GET /auth/begin": false,
  "POST /auth/begin": false,
  "POST /auth/undo": false,
  "GET /auth/key": false,
  "POST /auth/key": false,
  "GET /auth/client": false,
  "POST /auth/refresh": false,
  "POST /auth/logout": false,
  "POST /auth/tokens": false,
  "GET /auth/tokens": false,
  "DELETE /auth/tokens/:id": false,
  "POST /pending/link": false,
  "GET /answer": false,
  "GET /answer/:id": false,
  "POST /answer/:id": false,
  "POST /answer/device": false,
  "POST /answer/device/forget": false,
  "GET /answer/device/:token": false,
  // other programs and agent servers, which have their own tokens
  "POST /mcp": false,
  "GET /mcp/authorize": false,
  "GET /mcp/authorize/:code": false,
  "POST /mcp/token": false,
  "POST /mcp/register": false,
  "POST /mcp/revoke": false,
  "GET /mcp/requests/:code": false,
  "POST /mcp/requests/:code": false,
  "GET /mcp/programs": false,
  "DELETE /mcp/programs/:id": false,
  "GET /.well-known/oauth-authorization-server": false,
  "GET /.well-known/oauth-authorization-server/*": false,
  "GET /.well-known/oauth-protected-resource": false,
  "GET /.well-known/oauth-protected-resource/*": false,
  "POST /agent/webhook": false,
  "POST /session": false,
  "GET /session/:sessionId": false,
  "POST /stream/:sessionId": false,
};

/** A backend with every route: it serves clients, programs and other backends. */
function createWholeWorld() {
  return createWorld({ ...world().ports, agentRole: { password: "x".repeat(32), alone: false, allowInsecure: false } });
}

test("every route has a decision about script tokens", async () => {
  const { ports, backend } = createWholeWorld();
  const routes = createRoutes(ports, {} as Engine, {
    turns: {} as AgentServer,
    scheduler: {} as Scheduler,
    draining: () => false,
  }).routes.map(({ method, path }) => `${method} ${path}`);
  await backend.close();
  expect([...new Set(routes)].sort()).toEqual(Object.keys(DECISIONS).sort());
});

test("each route accepts or refuses a script token as decided, before it does anything", async () => {
  const { token: signIn } = await connect(world());
  const { body } = await world().call("POST /auth/tokens", { token: signIn, body: { name: "ci" } });
  const whole = createWholeWorld();
  const answers = await Promise.all(
    Object.keys(DECISIONS).map(async (route) => {
      const request = route.replace(/:\w+|\*/g, "x");
      const answer = await whole.call(request, {
        token: String(body.token),
        ...(route.startsWith("GET") ? {} : { body: {} }),
      });
      if (answer.status === 403) expect(answer.body).toEqual(REFUSAL);
      expect([route, answer.status]).not.toEqual([route, 401]);
      return [route, answer.status !== 403];
    }),
  );
  await whole.backend.close();
  expect(Object.fromEntries(answers)).toEqual(DECISIONS);
});

const REFUSAL = {
  error: "SIGN_IN_REQUIRED",
  code: "SIGN_IN_REQUIRED",
  message: "A script token cannot do this; it requires a sign-in.",
};
