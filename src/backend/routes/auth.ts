import { Hono } from "hono";
import { RefreshRequest } from "#protocol/connections";
import { parseShape } from "#protocol/parse";
import { authenticate } from "../accounts/authenticate.ts";
import { endSignIn, rotate } from "../accounts/rotation.ts";
import { redirectUri } from "../connections/authorize.ts";
import { authorizationCallback } from "../connections/callback.ts";
import { CLIENT_DOCUMENT } from "../connections/mcp/prepare.ts";
import { clientMetadata } from "../connections/mcp/register.ts";
import { pageAnswer } from "../connections/page.ts";
import { keyEntered, keyPage } from "../connections/pasted.ts";
import { authorizationStatus } from "../connections/status.ts";
import { serviceConnected } from "../generations/auth.ts";
import type { Engine } from "../generations/engine.ts";
import type { BackendPorts } from "../ports.ts";
import { readJsonBody } from "./body.ts";

/** Signing in, staying signed in, signing out (guide, "Service Connection Flow" and "Token Refresh"). */
export function authRoutes(ports: BackendPorts, engine: Engine): Hono {
  const app = new Hono();
  app.get("/auth/callback", async (c) => {
    const { page, status, connected } = await authorizationCallback(ports, new URL(c.req.url).searchParams);
    if (connected) await serviceConnected(ports, engine, connected);
    return pageAnswer(page, status);
  });
  app.get(CLIENT_DOCUMENT, (c) =>
    c.json({ client_id: `${ports.publicUrl}${CLIENT_DOCUMENT}`, ...clientMetadata(redirectUri(ports), "none") }),
  );
  app.get("/auth/key", (c) => keyPage(ports, new URL(c.req.url).searchParams));
  app.post("/auth/key", async (c) => {
    const { response, connected } = await keyEntered(ports, new URLSearchParams(await c.req.text()));
    if (connected) await serviceConnected(ports, engine, connected);
    return response;
  });
  app.get("/auth/status/:state", async (c) => {
    return c.json(await authorizationStatus(ports, c.req.param("state"), c.req.header("kay-verifier") ?? null));
  });
  app.post("/auth/refresh", async (c) => {
    const body = parseShape(RefreshRequest, await readJsonBody(c.req.raw), "the request");
    return c.json({ ...(await rotate(ports, body.refresh_token)), message: "Token refreshed successfully" });
  });
  app.post("/auth/logout", async (c) => {
    const { familyId } = await authenticate(ports, c.req.raw);
    await endSignIn(ports, familyId);
    return c.json({ message: "Logged out successfully" });
  });
  return app;
}
