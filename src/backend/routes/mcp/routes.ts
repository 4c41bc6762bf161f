import { Hono } from "hono";
import { Problem } from "#protocol/errors";
import { tryParseJson } from "#protocol/json";
import { parseShape } from "#protocol/parse";
import { ProgramAccessAnswer, type ProgramAccessRequest, type ProgramView } from "#protocol/program-calls";
import { authenticateSignIn } from "../../accounts/authenticate.ts";
import type { Engine } from "../../generations/engine.ts";
import type { BackendPorts } from "../../ports.ts";
import { registerClient } from "../../programs/clients.ts";
import {
  AUTHORIZE_PATH,
  buildResourceMetadata,
  buildServerMetadata,
  isOwnResource,
  MCP_PATH,
  REGISTER_PATH,
  RESOURCE_METADATA_PATH,
  REVOKE_PATH,
  SERVER_METADATA_PATH,
  TOKEN_PATH,
} from "../../programs/metadata.ts";
import { OAuthError, toOAuthResponse } from "../../programs/oauth-error.ts";
import {
  answerRequest,
  beginRequest,
  buildRedirect,
  findAllowedRequest,
  getOpenRequest,
} from "../../programs/requests.ts";
import { exchangeCode, refreshTokens, revokeToken } from "../../programs/tokens.ts";
import { deleteProgram, listPrograms, type Program, type ProgramRequest } from "../../store/programs.ts";
import { readJsonBody } from "../body.ts";
import { getRedirectHost, showRefusal, showRequestPage, showReturnPage } from "./pages.ts";

/**
 * Routes of kay as an MCP server over Streamable HTTP: `POST /mcp`, its authorization server, and the calls by which a
 * terminal authorizes programs. The SDK is loaded with the first request.
 *
 * @param draining whether this node will end soon
 */
export function createMcpRoutes(ports: BackendPorts, engine: Engine, draining: () => boolean): Hono {
  const app = new Hono();
  app.route("/", createOAuthRoutes(ports));
  app.route("/", createProgramRoutes(ports));
  let endpoint: Promise<(request: Request) => Promise<Response>> | undefined;
  app.post(MCP_PATH, async (c) => {
    endpoint ??= import("./endpoint.ts").then(({ createEndpoint }) => createEndpoint(ports, engine, draining));
    return await (await endpoint)(c.req.raw);
  });
  return app;
}

/** Routes for the user's terminal: programs that request access to `/mcp`, and programs that have it. */
function createProgramRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  const list = (installationId: string) => listPrograms(ports.db, installationId, new Date(ports.clock.now()));
  app.get("/mcp/requests/:code", async (c) => {
    await authenticateSignIn(ports, c.req.raw);
    return c.json(toRequestView(await getOpenRequest(ports, c.req.param("code"))));
  });
  app.post("/mcp/requests/:code", async (c) => {
    const { familyId } = await authenticateSignIn(ports, c.req.raw);
    const { allow } = parseShape(ProgramAccessAnswer, await readJsonBody(c.req.raw), "the answer");
    const url = await answerRequest(ports, familyId, { userCode: c.req.param("code"), allow });
    return c.json(url === undefined ? {} : { url });
  });
  app.get("/mcp/programs", async (c) => {
    const { installationId } = await authenticateSignIn(ports, c.req.raw);
    return c.json({ programs: (await list(installationId)).map(toProgramView) });
  });
  app.delete("/mcp/programs/:id", async (c) => {
    const { installationId } = await authenticateSignIn(ports, c.req.raw);
    const program = (await list(installationId)).find(({ id }) => id === c.req.param("id"));
    if (!program) throw new Problem("NOT_FOUND", "No program has this ID.", { hint: "Run `kay mcp list`." });
    await deleteProgram(ports.db, program.id);
    return c.json(toProgramView(program));
  });
  return app;
}

function toRequestView(request: ProgramRequest): ProgramAccessRequest {
  const { name, client_id, requested_from, created_at, expires_at } = request;
  return {
    name,
    redirect_host: getRedirectHost(request),
    ...(client_id.startsWith("https://") ? { document_host: new URL(client_id).host } : {}),
    requested_from,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}

function toProgramView(program: Program): ProgramView {
  const { id, name, created_at, used_at } = program;
  return {
    id,
    name,
    redirect_host: getRedirectHost(program),
    created_at: created_at.toISOString(),
    used_at: used_at.toISOString(),
  };
}

/**
 * Routes of the authorization server of `/mcp` (OAuth 2.1 as the MCP specification of 2026-07-28 uses it), for programs
 * and for the browser of their user.
 */
function createOAuthRoutes(ports: BackendPorts): Hono<{ Bindings: { address?: string } }> {
  const app = new Hono<{ Bindings: { address?: string } }>();
  // Clients append the path of the resource to the well-known path (RFC 9728 section 3.1, RFC 8414 section 3).
  app.on("GET", [RESOURCE_METADATA_PATH, `${RESOURCE_METADATA_PATH}/*`], (c) => c.json(buildResourceMetadata(ports)));
  app.on("GET", [SERVER_METADATA_PATH, `${SERVER_METADATA_PATH}/*`], (c) => c.json(buildServerMetadata(ports)));
  app.get(AUTHORIZE_PATH, async (c) => {
    try {
      const request = await beginRequest(ports, new URL(c.req.url).searchParams, c.env?.address);
      return showRequestPage(ports, request, buildRedirect(ports, request, { error: "access_denied" }));
    } catch (error) {
      if (!(error instanceof OAuthError) && !(error instanceof Problem)) throw error;
      return showRefusal(error.message, 400);
    }
  });
  app.get(`${AUTHORIZE_PATH}/:code`, async (c) => {
    const code = c.req.param("code");
    const request = await findAllowedRequest(ports, code);
    if (!request) return showRefusal("This link no longer works. It works once, for ten minutes.", 410);
    return showReturnPage(request, buildRedirect(ports, request, { code }));
  });
  app.post(REGISTER_PATH, async (c) => {
    try {
      const { id, name, redirectUris } = registerClient(ports, tryParseJson(await c.req.text()));
      return c.json({ client_id: id, client_name: name, redirect_uris: redirectUris, ...PUBLIC_CLIENT }, 201);
    } catch (error) {
      return toOAuthResponse(error);
    }
  });
  app.post(TOKEN_PATH, async (c) => {
    try {
      return c.json(await issueTokens(ports, new URLSearchParams(await c.req.text())));
    } catch (error) {
      return toOAuthResponse(error);
    }
  });
  app.post(REVOKE_PATH, async (c) => {
    await revokeToken(ports, new URLSearchParams(await c.req.text()).get("token") ?? "");
    return c.json({});
  });
  return app;
}

const PUBLIC_CLIENT = {
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};

async function issueTokens(ports: BackendPorts, form: URLSearchParams) {
  const clientId = form.get("client_id") ?? "";
  if (!form.getAll("resource").every((resource) => isOwnResource(ports, resource)))
    throw new OAuthError("invalid_target", "resource must be the address of this MCP server.");
  switch (form.get("grant_type")) {
    case "authorization_code":
      return await exchangeCode(ports, {
        clientId,
        code: form.get("code") ?? "",
        redirectUri: form.get("redirect_uri"),
        verifier: form.get("code_verifier") ?? "",
      });
    case "refresh_token":
      return await refreshTokens(ports, { clientId, refreshToken: form.get("refresh_token") ?? "" });
    default:
      throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.");
  }
}
