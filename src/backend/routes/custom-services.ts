import { Hono } from "hono";
import { AddServiceRequest, ApproveRequest } from "#protocol/custom-services";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { authenticate, hasAuthorization } from "../accounts/authenticate.ts";
import { createSession, findInstallation } from "../accounts/sessions.ts";
import { inspectRequested } from "../connections/mcp/inspect.ts";
import { addServer, approveServer } from "../connections/mcp/servers.ts";
import { addService, getDescription, parseService, removeService } from "../connections/services/custom-services.ts";
import { handleServiceRemoved } from "../generations/requests/auth.ts";
import type { BackendPorts } from "../ports.ts";
import { listKnownAccounts } from "../store/installations.ts";
import { readJsonBody } from "./body.ts";

/**
 * Routes for custom services and MCP servers: `POST /services`, `DELETE /services/:name`, `GET
 * /services/:name/description`, and for a server `POST /services/:name/approve`.
 */
export function createCustomServiceRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  app.post("/services", async (c) => {
    const body = parseShape(AddServiceRequest, await readJsonBody(c.req.raw), "the request");
    const { source, mcp, expected, dry_run: dryRun = false, trust_reads: trustReads, session_id: sessionId } = body;
    if ((source === undefined) === (mcp === undefined))
      throw new Problem("INVALID_REQUEST", "The request must have one of source and mcp.", { hint: "" });
    const caller = await getOwner(ports, c.req.raw, sessionId);
    const inspected = mcp
      ? await inspectRequested(ports, caller?.installationId, mcp, c.req.raw.signal)
      : await parseService(ports, source ?? "");
    const session = caller ?? (dryRun ? undefined : await createSession(ports.db, ports.clock.now()));
    const owner = session?.installationId;
    const signedIn = hasAuthorization(c.req.raw);
    const answer =
      "source" in inspected
        ? await addService(ports, owner, inspected, { dryRun })
        : await addServer(ports, owner, inspected, { dryRun, expected, trustReads, signedIn });
    return c.json({ ...answer, ...(session?.sessionId ? { session_id: session.sessionId } : {}) });
  });
  app.delete("/services/:name", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const service = await removeService(ports, installationId, c.req.param("name"));
    await handleServiceRemoved(ports, { installationId, service });
    return c.json({ service, removed: true, message: `Removed ${service}` });
  });
  app.post("/services/:name/approve", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const body = parseShape(ApproveRequest, await readJsonBody(c.req.raw), "the request");
    const { dry_run: dryRun = false, expected, trust_reads: trustReads } = body;
    const { signal } = c.req.raw;
    const storing = { dryRun, expected, trustReads, signedIn: true, signal };
    return c.json(await approveServer(ports, installationId, c.req.param("name"), storing));
  });
  app.get("/services/:name/description", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json(await getDescription(ports, installationId, c.req.param("name")));
  });
  return app;
}

/**
 * Returns the installation for a description. A user whose first service is a custom one cannot be signed in yet. Once
 * an installation has a sign-in, its session ID alone changes none of its services.
 */
async function getOwner(
  ports: BackendPorts,
  request: Request,
  sessionId: string | null | undefined,
): Promise<{ installationId: string; sessionId?: string } | undefined> {
  if (hasAuthorization(request)) return await authenticate(ports, request);
  const installationId = await findInstallation(ports.db, sessionId);
  if (!sessionId || !installationId) return undefined;
  if ((await listKnownAccounts(ports.db, installationId)).length === 0) return { installationId, sessionId };
  throw new Problem("TOKEN_MISSING", "This installation has a sign-in. Send its access token.");
}
