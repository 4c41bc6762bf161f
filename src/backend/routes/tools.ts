import { Hono } from "hono";
import { callToolDirectly, createDirectCallId, findTool, toToolView } from "#agent/calls/call-directly";
import { getIntegrations } from "#agent/results";
import { searchTools } from "#agent/steps/select-tools";
import type { AgentTool } from "#agent/tool";
import { Problem, toProblemBody } from "#protocol/errors";
import { parseShape } from "#protocol/parse";
import { resolveTimeZone } from "#protocol/time";
import { ToolCallRequest, type ToolView } from "#protocol/tools";
import { authenticate } from "../accounts/authenticate.ts";
import { findService, listServices } from "../connections/services/catalog.ts";
import { listConnectedServices } from "../connections/services/overview.ts";
import { describeServices } from "../connections/services/service-views.ts";
import type { BackendPorts } from "../ports.ts";
import { buildServiceTools } from "../tools/toolbox.ts";
import { answerOnce, authenticateWrite, type RequestRecord } from "./idempotency.ts";

/** Longest query that is searched for, in characters. */
const MAX_QUERY_LENGTH = 500;

/** Routes for services and tools: `GET /services`, `GET /tools`, `GET /tools/:name`, `POST /tools/:name/call`. */
export function createToolRoutes(ports: BackendPorts): Hono {
  const app = new Hono();
  app.get("/services", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    return c.json(await describeServices(ports, installationId));
  });
  app.get("/tools", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const { service, query } = c.req.query();
    return c.json({ tools: await listTools(ports, installationId, { service, query }) });
  });
  app.get("/tools/:name", async (c) => {
    const { installationId } = await authenticate(ports, c.req.raw);
    const tool = findTool(await getTools(ports, installationId), c.req.param("name"));
    return c.json((await listToolViews(ports, installationId, [tool]))[0]);
  });
  app.post("/tools/:name/call", async (c) => {
    const { installationId } = await authenticateWrite(ports, c.req.raw);
    return await answerOnce(ports, installationId, c.req.raw, (body, signal, record) =>
      runTool(ports, installationId, { name: c.req.param("name"), body, signal, record }),
    );
  });
  return app;
}

/** Lists the tools of an installation: those of one service or all, or the best matches of a query. */
export async function listTools(
  ports: BackendPorts,
  installationId: string,
  { service: serviceName, query }: { service?: string | undefined; query?: string | undefined },
): Promise<ToolView[]> {
  const service =
    serviceName === undefined
      ? undefined
      : findService(await listServices(ports, installationId), serviceName).service.name;
  const tools = (await getTools(ports, installationId)).filter(
    (tool) => service === undefined || tool.service === service,
  );
  const matches = query === undefined ? tools : searchTools(tools, query.slice(0, MAX_QUERY_LENGTH));
  return await listToolViews(ports, installationId, matches);
}

function getTools(ports: BackendPorts, installationId: string): Promise<AgentTool[]> {
  return buildServiceTools(ports, { installationId, generationId: "" });
}

async function listToolViews(ports: BackendPorts, installationId: string, tools: AgentTool[]) {
  const connected = await listConnectedServices(ports, installationId);
  return tools.map((tool) => ({ ...toToolView(tool), connected: connected.includes(tool.service) }));
}

async function runTool(
  ports: BackendPorts,
  installationId: string,
  { name, body, signal, record }: { name: string; body: unknown; signal: AbortSignal; record: RequestRecord },
): Promise<{ status: number; body: unknown }> {
  const id = createDirectCallId();
  try {
    const { input = {}, time_zone } = parseShape(ToolCallRequest, body, "the request");
    const owner = { installationId, generationId: id, timeZone: time_zone && resolveTimeZone(time_zone) };
    const tool = findTool(await buildServiceTools(ports, owner), name);
    if (tool.access !== "read") record.begin();
    return { status: 200, body: await callToolDirectly(tool, input, { id, signal }) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { status: error.status, body: toFailureBody(error) };
  }
}

/** Builds the body of a failure. A missing connection has an `error` object, as in the results of tools. */
function toFailureBody(problem: Problem): Record<string, unknown> {
  const [integration] = getIntegrations(problem);
  const body = toProblemBody(problem);
  if (integration === undefined) return body;
  return { ...body, error: { code: problem.code, integration, message: problem.message } };
}
