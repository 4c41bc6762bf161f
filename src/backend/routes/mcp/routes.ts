import { Hono } from "hono";
import type { Engine } from "../../generations/engine.ts";
import type { BackendPorts } from "../../ports.ts";
import { MCP_PATH } from "../../programs/metadata.ts";
import { createOAuthRoutes } from "./oauth.ts";
import { createProgramRoutes } from "./programs.ts";

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
