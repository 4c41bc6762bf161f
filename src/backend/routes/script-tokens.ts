import { Hono } from "hono";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { type CreatedScriptToken, ScriptTokenRequest, type ScriptTokenView } from "#protocol/script-tokens";
import { authenticate, authenticateSignIn } from "../accounts/authenticate.ts";
import { createScriptToken } from "../accounts/script-tokens.ts";
import type { BackendPorts } from "../ports.ts";
import { listScriptTokens, revokeScriptToken, type StoredScriptToken } from "../store/script-tokens.ts";
import { readJsonBody } from "./body.ts";

/**
 * Routes for script tokens: `/auth/tokens` and `/auth/tokens/:id`, which require a sign-in, and `GET /auth/token`, which
 * describes the script token that is sent. No answer but the first contains a secret, so answers are never stored.
 */
export function createScriptTokenRoutes(ports: BackendPorts): Hono {
  const { db, clock, log } = ports;
  const app = new Hono();
  app.get("/auth/token", async (c) => {
    const caller = await authenticate(ports, c.req.raw);
    if ("scriptToken" in caller) return c.json(toView(caller.scriptToken));
    throw new Problem("NOT_FOUND", "The request has an access token, not a script token.", { hint: "" });
  });
  app.post("/auth/tokens", async (c) => {
    const caller = await authenticateSignIn(ports, c.req.raw);
    const request = parseShape(ScriptTokenRequest, await readJsonBody(c.req.raw), "the request");
    const { token, row } = await createScriptToken(ports, caller, request);
    return c.json({ ...toView(row), token } satisfies CreatedScriptToken);
  });
  app.get("/auth/tokens", async (c) => {
    const { installationId } = await authenticateSignIn(ports, c.req.raw);
    return c.json({ tokens: (await listScriptTokens(db, installationId)).map(toView) });
  });
  app.delete("/auth/tokens/:id", async (c) => {
    const { installationId } = await authenticateSignIn(ports, c.req.raw);
    const row = await revokeScriptToken(db, installationId, c.req.param("id"), new Date(clock.now()));
    if (!row) throw new Problem("NOT_FOUND", "No script token has this ID.", { hint: "Run `kay token list`." });
    log("info", "script_token.revoked", { id: row.id });
    return c.json(toView(row));
  });
  return app;
}

function toView({ id, name, created_at, expires_at, used_at }: StoredScriptToken): ScriptTokenView {
  return {
    id,
    name,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
    last_used_at: used_at?.toISOString() ?? null,
  };
}
