import type { JSONSchema7 } from "ai";
import * as z from "zod/mini";
import { cleanLine } from "#protocol/clean";
import { usableGrant } from "../connections/access.ts";
import { findService as serviceNamed, servicesFor } from "../connections/catalog.ts";
import { authRequired, usableUntil } from "../connections/open-grant.ts";
import { servicesOf } from "../connections/services.ts";
import { type Account, accountOf } from "../interactions/account.ts";
import type { BackendPorts } from "../ports.ts";
import { createServiceHttp } from "../services/http.ts";
import { pause } from "../services/http-retry.ts";
import type { ServiceConfiguration, ServiceHttp, Tool, ToolResult } from "../services/service.ts";
import { wantScopes } from "../store/grants.ts";
import { notSent, readsOnly } from "./dry-run.ts";
import { type Effect, type EffectLog, recordEffect } from "./effect.ts";
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

/** How tools reach their services: whose tokens they use, and where their effects are written down. */
export type Reach = Pick<BackendPorts, "services" | "fetch" | "clock"> & {
  /** The token of now, and what the connection is bound to. `rejected` is a token that the service refused with 401. */
  access(service: string, rejected?: string): Promise<Access>;
  effects: EffectLog;
  /** Nothing that changes anything leaves. */
  dryRun?: boolean;
  /** Permissions that a service asks for besides those that were given. */
  wants?(service: string, scopes: string[]): Promise<void>;
  /** How a call goes on where it is while a person is asked; see `Tool.kept`. */
  keep?(context: RunContext, work: (context: RunContext) => Promise<ToolResult>): Promise<ToolResult>;
};

/** A token, what the connection is bound to, and in whose name it is. Until `until` (milliseconds) the token need not be asked for again. */
type Access = { token: string; metadata: Record<string, unknown>; as?: Account; until?: number };

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

/** A read runs as it is; a write is an effect. */
async function runCall(
  ports: Reach,
  configuration: ServiceConfiguration,
  tool: Tool,
  { input, context }: Pick<Run, "input" | "context">,
): Promise<ToolResult> {
  if (tool.access === "read") return await runTool(ports, configuration, tool, { input, context });
  const summary = summaryOf(tool, input);
  if (ports.dryRun) throw notSent(summary);
  return await recordEffect(ports.effects, { tool: tool.name, input, summary }, context, (effect) =>
    runTool(ports, configuration, tool, { input, context, effect }),
  );
}

/** Tools are put together for every piece of work, while their shapes stay: each is written out once. */
const schemas = new WeakMap<Tool, JSONSchema7>();

function schemaOf(tool: Tool): JSONSchema7 {
  const known = tool.schema ?? schemas.get(tool) ?? (z.toJSONSchema(tool.input, { io: "input" }) as JSONSchema7);
  schemas.set(tool, known);
  return known;
}

/** Characters of a summary; what is approved is shown whole, field by field, beside it. */
const SUMMARY = 160;

/** One line, whatever the model put into the input: a line of its own would look like one more thing that is asked for. */
function summaryOf(tool: Tool, input: Record<string, unknown>): string {
  const line = [...tool.summary(input).replace(/\s+/g, " ").trim()];
  return line.length <= SUMMARY ? line.join("") : `${line.slice(0, SUMMARY - 1).join("")}…`;
}

type Run = { input: Record<string, unknown>; context: RunContext; effect?: Effect };

async function runTool(
  ports: Reach,
  { service, endpoints, described }: ServiceConfiguration,
  tool: Tool,
  { input, context, effect }: Run,
): Promise<ToolResult> {
  let access = await ports.access(service.name);
  const idempotencyKey = effect?.id ?? context.toolCallId;
  // A long turn outlives the token it began with (case G16).
  const token = async () => {
    if (ports.clock.now() >= (access.until ?? 0)) access = await ports.access(service.name);
    return access.token;
  };
  const http = createServiceHttp({
    fetch: described?.fetch ?? ports.fetch,
    clock: ports.clock,
    endpoints,
    service,
    token,
    onRejected: async (rejected) => {
      access = await ports.access(service.name, rejected);
      return access.token;
    },
    sleep: async (ms, signal) => {
      context.log(
        `${service.title} did not answer, or is busy; trying again in ${Math.max(1, Math.round(ms / 1_000))} s.`,
      );
      await pause(ms, signal);
    },
    // A write under way is never cut off: its answer says whether it was done.
    ...(effect ? { idempotencyKey } : { signal: context.signal }),
  });
  const { interaction, requestInteraction, log } = context;
  const reading = ports.dryRun ? readsOnly(http, summaryOf(tool, input)) : http;
  return await tool.run(input, {
    http: effect ? watched(http, effect) : reading,
    metadata: access.metadata,
    signal: effect ? new AbortController().signal : context.signal,
    idempotencyKey,
    clock: ports.clock,
    people: { interaction, requestInteraction, log },
    raw: {
      token: async () => (await ports.access(service.name)).token,
      rejected: async (rejected) => (await ports.access(service.name, rejected)).token,
      lacks: async (scopes) => {
        await ports.wants?.(service.name, scopes);
        const words = scopes.length > 0 ? ` (${cleanLine(scopes.join(" "), 200)})` : "";
        throw authRequired(service, `${service.title} asks for more permission than was given${words}.`);
      },
      sent: async () => await effect?.sent(),
      unsent: async () => await effect?.unsent(),
      wrote: () => effect?.wrote(),
    },
  });
}

/** Notes the moment before the first write leaves, and each write that went through. */
function watched(http: ServiceHttp, effect: Effect): ServiceHttp {
  return {
    ...http,
    request: async (request) => {
      if ((request.method ?? "GET") === "GET" || request.reads === true) return await http.request(request);
      await effect.sent();
      const answer = await http.request(request);
      effect.wrote();
      return answer;
    },
  };
}

function checkedInput(tool: Tool, input: unknown): Record<string, unknown> {
  if (tool.check) return tool.check(input);
  const result = tool.input.safeParse(input);
  if (result.success) return result.data;
  throw inputProblem(tool.name, input, result.error.issues);
}
