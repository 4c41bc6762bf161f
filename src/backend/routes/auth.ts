import { Hono } from "hono";
import { LogoutRequest, RefreshRequest } from "#protocol/connections";
import { parseShape } from "#protocol/parse";
import { authenticateSignIn } from "../accounts/authenticate.ts";
import { endSignIn, rotateTokens } from "../accounts/rotation.ts";
import { getRedirectUri } from "../connections/consent/authorize.ts";
import { showBeginPage, submitBegin } from "../connections/consent/begin-page.ts";
import { handleCallback } from "../connections/consent/callback.ts";
import { renderPage } from "../connections/consent/page.ts";
import { showKeyPage, submitKey } from "../connections/consent/secret-entry.ts";
import { getAuthorizationStatus } from "../connections/consent/status.ts";
import { undoConnection } from "../connections/consent/undo.ts";
import { buildClientDocument, CLIENT_METADATA_PATH } from "../connections/mcp/client-document.ts";
import { disconnectAll } from "../connections/services/overview.ts";
import { handleServiceConnected } from "../generations/requests/auth.ts";
import type { BackendPorts } from "../ports.ts";
import { revokeScriptTokensSince } from "../store/script-tokens.ts";
import { readJsonBody } from "./body.ts";

/** Routes for signing in, refreshing tokens, and signing out. */
export function createAuthRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  app.on("GET", ["/auth/callback", "/auth/callback/:place"], async (c) => {
    const { page, status, connected } = await handleCallback(ports, new URL(c.req.url).searchParams, {
      cookies: c.req.header("cookie") ?? null,
      place: c.req.param("place"),
    });
    if (connected) await handleServiceConnected(ports, connected);
    return renderPage(page, status);
  });
  app.get("/auth/begin", (c) => showBeginPage(ports, new URL(c.req.url).searchParams));
  app.post("/auth/begin", async (c) => submitBegin(ports, new URLSearchParams(await c.req.text())));
  app.post("/auth/undo", async (c) => {
    const { page, status } = await undoConnection(ports, new URLSearchParams(await c.req.text()));
    return renderPage(page, status);
  });
  app.get(CLIENT_METADATA_PATH, (c) => c.json(buildClientDocument(ports, getRedirectUri(ports))));
  app.get("/auth/key", (c) => showKeyPage(ports, new URL(c.req.url).searchParams));
  app.post("/auth/key", async (c) => {
    const { response, connected } = await submitKey(ports, new URLSearchParams(await c.req.text()));
    if (connected) await handleServiceConnected(ports, connected);
    return response;
  });
  app.get("/auth/status/:state", async (c) => {
    return c.json(await getAuthorizationStatus(ports, c.req.param("state"), c.req.header("kay-verifier") ?? null));
  });
  app.post("/auth/refresh", async (c) => {
    const body = parseShape(RefreshRequest, await readJsonBody(c.req.raw), "the request");
    return c.json({ ...(await rotateTokens(ports, body.refresh_token)), message: "Token refreshed successfully" });
  });
  app.post("/auth/logout", async (c) => {
    const { familyId, installationId } = await authenticateSignIn(ports, c.req.raw);
    // The guide's client sends no body, and keeps its connections.
    const body = parseShape(LogoutRequest, await readJsonBody(c.req.raw), "the request");
    await endSignIn(ports, familyId);
    if (body.disconnect)
      await revokeScriptTokensSince(ports.db, installationId, new Date(0), new Date(ports.clock.now()));
    const revocations = body.disconnect ? await disconnectAll(ports, installationId) : undefined;
    return c.json({ message: "Logged out successfully", ...(revocations ? { revocations } : {}) });
  });
  return app;
}
