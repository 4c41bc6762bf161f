import { Hono } from "hono";
import { Problem } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { ProgramAccessAnswer, type ProgramAccessRequest, type ProgramView } from "#protocol/program-calls";
import { authenticate } from "../../accounts/authenticate.ts";
import type { Engine } from "../../generations/engine.ts";
import type { BackendPorts } from "../../ports.ts";
import { MCP_PATH } from "../../programs/metadata.ts";
import { answerRequest, getOpenRequest } from "../../programs/requests.ts";
import { deleteProgram, listPrograms, type Program, type ProgramRequest } from "../../store/programs.ts";
import { readJsonBody } from "../body.ts";
import { createOAuthRoutes } from "./oauth.ts";
import { getRedirectHost } from "./pages.ts";

/**
 * kay as an MCP server over Streamable HTTP: `POST /mcp`, its authorization server, and the calls by which a terminal
 * authorizes programs. The SDK is loaded with the first request.
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
    await authenticate(ports, c.req.raw);
    return c.json(toRequestView(await getOpenRequest(ports, c.req.param("code"))));
  });
  app.post("/mcp/requests/:code", async (c) => {
    const { familyId } = await authenticate(ports, c.req.raw);
    const { allow } = parseShape(ProgramAccessAnswer, await readJsonBody(c.req.raw), "the answer");
    const url = await answerRequest(ports, familyId, { userCode: c.req.param("code"), allow });
    return c.json(url === undefined ? {} : { url });
  });
  app.get("/mcp/programs", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json({ programs: (await list(installationId)).map(toProgramView) });
  });
  app.delete("/mcp/programs/:id", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
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
