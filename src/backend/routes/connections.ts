import { Hono } from "hono";
import { ConnectRequest, DisconnectRequest } from "#protocol/connections";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate, hasAuthorization } from "../accounts/authenticate.ts";
import { findInstallation } from "../accounts/sessions.ts";
import { beginConnect } from "../connections/consent/authorize.ts";
import { concludeWithoutSecret } from "../connections/consent/secret-entry.ts";
import { disconnectService, listConnections } from "../connections/services/overview.ts";
import { handleServiceConnected } from "../generations/requests/auth.ts";
import type { BackendPorts } from "../ports.ts";
import { readJsonBody } from "./body.ts";

/**
 * Routes for connecting services. A request names its installation by bearer token or, in the older way, by session ID
 * alone. Reading prefers the token; disconnecting prefers the session ID in the body.
 */
export function createConnectionRoutes(ports: BackendPorts): Hono<{ Bindings: { address?: string } }> {
  const app = new Hono<{ Bindings: { address?: string } }>();
  app.post("/connections/connect", async (c) => {
    const body = parseShape(ConnectRequest, await readJsonBody(c.req.raw), "the request");
    const requester = { signedInAs: await findSignedIn(ports, c.req.raw), address: c.env?.address };
    const { response, service } = await beginConnect(ports, c.req.query("service"), body, requester);
    const conclusion = await concludeWithoutSecret(ports, service, response.state);
    if (conclusion?.connected) await handleServiceConnected(ports, conclusion.connected);
    return c.json(conclusion ? { ...response, connected: conclusion.connected !== undefined } : response);
  });
  app.get("/connections", async (c) => {
    const sessionId = hasAuthorization(c.req.raw) ? undefined : c.req.query("session_id");
    return c.json(await listConnections(ports, await getInstallation(ports, c.req.raw, sessionId)));
  });
  app.post("/connections/disconnect", async (c) => {
    const body = parseShape(DisconnectRequest, await readJsonBody(c.req.raw), "the request");
    const installationId = await getInstallation(ports, c.req.raw, body.session_id);
    const signedIn = (await findSignedIn(ports, c.req.raw)) === installationId;
    const { service, ...more } = await disconnectService(ports, installationId, c.req.query("service"), signedIn);
    return c.json({ service, connected: false, message: `Successfully disconnected from ${service}`, ...more });
  });
  return app;
}

/** Returns the installation of the access token. A missing or expired one is no error: basic clients send none. */
async function findSignedIn(ports: BackendPorts, request: Request): Promise<string | undefined> {
  if (!hasAuthorization(request)) return undefined;
  try {
    return (await authenticate(ports, request)).installationId;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) return undefined;
    throw error;
  }
}

/** @throws Problem SESSION_INVALID (400, in the guide's words), TOKEN_MISSING, TOKEN_INVALID, TOKEN_EXPIRED */
async function getInstallation(
  ports: BackendPorts,
  request: Request,
  sessionId: string | null | undefined,
): Promise<string> {
  if (!sessionId) return (await authenticate(ports, request)).installationId;
  const installationId = await findInstallation(ports.db, sessionId);
  if (installationId) return installationId;
  const message = "The provided session_id no longer exists. Please reconnect your services.";
  throw new Problem("SESSION_INVALID", message, {
    details: { error: "Invalid session_id", session_reset_required: true },
  });
}
