import type { JSONSchema7 } from "ai";
import * as z from "zod/mini";
import { usableGrant } from "../connections/access.ts";
import { findService as serviceNamed, servicesFor } from "../connections/catalog.ts";
import { usableUntil } from "../connections/open-grant.ts";
import { servicesOf } from "../connections/services.ts";
import { accountOf } from "../interactions/account.ts";
import type { BackendPorts } from "../ports.ts";
import type { ServiceConfiguration, Tool } from "../services/service.ts";
import { wantScopes } from "../store/grants.ts";
import { type Reach, runCall, summaryOf } from "./call.ts";
import { effectLog } from "./effect-log.ts";
import { inputProblem } from "./input.ts";
import { runKept } from "./kept-calls.ts";
import type { AgentTool, RunContext } from "./tool.ts";
import { askUser } from "./tools/ask-user.ts";
import { httpRequest } from "./tools/http-request.ts";
import { searchTool } from "./tools/search-tools.ts";
import { connectService, findService } from "./tools/services.ts";

/** For whom tools run: the installation whose connections they use, and the generation their effects belong to. `dryRun`: they only read. */
export type ToolOwner = { installationId: string; generationId: string; dryRun?: boolean };

/** Every tool of every service of an installation, connected or not: a missing connection is found out by the call that needs it. */
export async function toolbox(ports: BackendPorts, owner: ToolOwner): Promise<AgentTool[]> {
  return toolsWithin(reachOf(ports, owner, await servicesFor(ports, owner.installationId)));
}

/** The same and kay's own: asking the person, finding and connecting services, and requests that no tool makes. */
export async function agentTools(ports: BackendPorts, owner: ToolOwner): Promise<AgentTool[]> {
  const configured = await servicesFor(ports, owner.installationId);
  const reach = reachOf(ports, owner, configured);
  const services = async () => (await servicesOf(ports, owner.installationId)).services;
  const request = httpRequest(configured, (configuration, tool) => agentTool(reach, configuration, tool));
  const ofServices = toolsWithin(reach);
  return [
    ...ofServices,
    searchTool(ofServices),
    askUser,
    findService(services),
    connectService(services),
    ...(request ? [request] : []),
  ];
}

function reachOf(ports: BackendPorts, owner: ToolOwner, services: ServiceConfiguration[]): Reach {
  return {
    services,
    fetch: ports.fetch,
    clock: ports.clock,
    access: async (service, rejected) => {
      const named = serviceNamed(services, service);
      const open = await usableGrant(ports, owner.installationId, named, rejected ? { rejected } : {});
      const { grant, tokens } = open;
      return { token: tokens.access, metadata: grant.metadata, as: accountOf(grant), until: usableUntil(open) };
    },
    effects: effectLog(ports, owner),
    ...(owner.dryRun ? { dryRun: true } : {}),
    wants: (service, scopes) => wantScopes(ports.db, owner.installationId, service, scopes.join(" ")),
    keep: (context, work) => {
      const { toolCallId } = context;
      return runKept({ node: ports.node, generationId: owner.generationId, toolCallId }, context, work);
    },
  };
}

/** All tools that people described or brought along, for whoever counts. */
const OWN = "own";

/** The same tools, wherever their tokens come from. */
export function toolsWithin(reach: Reach): AgentTool[] {
  return reach.services.flatMap((configuration) =>
    configuration.service.tools.map((tool) => agentTool(reach, configuration, tool)),
  );
}

function agentTool(ports: Reach, configuration: ServiceConfiguration, tool: Tool): AgentTool {
  const { service } = configuration;
  return {
    name: tool.name,
    service: service.name,
    title: service.title,
    description: tool.description,
    access: tool.access,
    ...(tool.mode ? { mode: tool.mode } : {}),
    modeOf: (input) => tool.modeOf?.(input),
    resource: (input) => tool.resource?.(input),
    ready: async () => (await ports.access(service.name)).as,
    examples: tool.examples,
    ...(configuration.described ? { counted: OWN } : {}),
    schema: schemaOf(tool),
    parse: (input) => checkedInput(tool, input),
    summary: (input) => summaryOf(tool, input),
    run: async (input, context) => {
      const work = (context: RunContext) => runCall(ports, configuration, tool, { input, context });
      return await (tool.kept && ports.keep && context.interaction.available
        ? ports.keep(context, work)
        : work(context));
    },
  };
}

/** Tools are put together for every piece of work, while their shapes stay: each is written out once. */
const schemas = new WeakMap<Tool, JSONSchema7>();

function schemaOf(tool: Tool): JSONSchema7 {
  const known = tool.schema ?? schemas.get(tool) ?? (z.toJSONSchema(tool.input, { io: "input" }) as JSONSchema7);
  schemas.set(tool, known);
  return known;
}

function checkedInput(tool: Tool, input: unknown): Record<string, unknown> {
  if (tool.check) return tool.check(input);
  const result = tool.input.safeParse(input);
  if (result.success) return result.data;
  throw inputProblem(tool.name, input, result.error.issues);
}
