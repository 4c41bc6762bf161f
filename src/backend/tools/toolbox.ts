import { bindAttachments } from "#agent/calls/bind-attachments";
import { getInputSchema, toInputProblem } from "#agent/calls/input";
import { formatSummary, runToolCall, type ToolAccess } from "#agent/calls/run-tool";
import { runSuspendable } from "#agent/calls/suspended-calls";
import type { AgentTool, RunContext } from "#agent/tool";
import { askUserTool } from "#agent/tools/ask-user";
import { createHttpRequestTool } from "#agent/tools/http-request";
import { createSearchTool } from "#agent/tools/search-tools";
import { createConnectServiceTool, createFindServiceTool } from "#agent/tools/services";
import type { ServiceConfiguration } from "#connectors/service";
import type { Tool } from "#connectors/tool";
import type { Attachment } from "#protocol/attachments";
import { getBaseName } from "#protocol/tool-names";
import { toAccount } from "../approvals/scope.ts";
import { listServices, findService as serviceNamed } from "../connections/services/catalog.ts";
import { describeServices } from "../connections/services/service-views.ts";
import { getUsableGrant } from "../connections/tokens/access.ts";
import { getUsableUntil } from "../connections/tokens/open-grant.ts";
import type { BackendPorts } from "../ports.ts";
import { listAttachments, loadAttachments } from "../store/attachments.ts";
import { requestScopes } from "../store/grants.ts";
import type { CallFactsReader } from "./call-facts.ts";
import { createEffectLog } from "./effect-log.ts";

/**
 * Whom tools run for: the installation whose connections they use, and the generation of their effects. `node`: the
 * number under which this node holds that generation. `dryRun`: they only read. `timeZone`: the user's (default: that of this machine). `attachments`: the files of the conversation, if already loaded. `facts`: what was read for the calls of a
 * step.
 */
export type ToolOwner = {
  installationId: string;
  generationId: string;
  node?: number;
  dryRun?: boolean;
  timeZone?: string | undefined;
  attachments?: Attachment[];
  facts?: CallFactsReader;
};

/**
 * Builds every tool of every service of an installation, connected or not. A call finds out whether its connection is
 * missing.
 */
export async function buildServiceTools(ports: BackendPorts, owner: ToolOwner): Promise<AgentTool[]> {
  return buildLocalTools(getReach(ports, owner, await listServices(ports, owner.installationId)));
}

/** The same with kay's own tools: asking the user, finding and connecting services, and raw HTTP requests. */
export async function buildAgentTools(
  ports: BackendPorts,
  owner: ToolOwner,
  configurations?: ServiceConfiguration[],
): Promise<AgentTool[]> {
  const [configured, attachments] = await Promise.all([
    configurations ?? listServices(ports, owner.installationId),
    owner.attachments ?? listAttachments(ports.db, owner.generationId),
  ]);
  const reach = getReach(ports, { ...owner, attachments }, configured);
  const listDescribed = async () => (await describeServices(ports, owner.installationId)).services;
  const request = createHttpRequestTool(configured, (configuration, tool) =>
    createAgentTool(reach, configuration, tool),
  );
  return addOwnTools(buildLocalTools(reach), request, listDescribed);
}

/** Adds kay's own tools to those of services. */
export function addOwnTools(
  ofServices: AgentTool[],
  request: AgentTool | undefined,
  services: Parameters<typeof createFindServiceTool>[0],
): AgentTool[] {
  return [
    ...ofServices,
    createSearchTool(ofServices),
    askUserTool,
    createFindServiceTool(services),
    createConnectServiceTool(services),
    ...(request ? [request] : []),
  ];
}

function getReach(ports: BackendPorts, owner: ToolOwner, services: ServiceConfiguration[]): ToolAccess {
  return {
    services,
    fetch: ports.fetch,
    clock: ports.clock,
    access: async (service, rejected) => {
      const configuration = serviceNamed(services, service);
      const grants = owner.facts?.current()?.grants;
      const options = rejected ? { rejected } : grants ? { grants } : {};
      const open = await getUsableGrant(ports, owner.installationId, configuration, options);
      const { grant, tokens } = open;
      return { token: tokens.access, metadata: grant.metadata, as: toAccount(grant), until: getUsableUntil(open) };
    },
    effects: createEffectLog(ports, owner),
    files: {
      list: owner.attachments ?? [],
      load: async (id) => (await loadAttachments(ports.db, owner.generationId, [id])).get(id),
    },
    ...(owner.dryRun ? { dryRun: true } : {}),
    // Read when a tool runs, because the system takes 0.2 ms to say it.
    get timeZone() {
      return owner.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
    wants: (service, scopes) => requestScopes(ports.db, owner.installationId, service, scopes.join(" ")),
    keep: (context, work) => {
      const { toolCallId } = context;
      return runSuspendable({ node: ports.node, generationId: owner.generationId, toolCallId }, context, work);
    },
  };
}

/** Name of all custom services' tools in metrics. */
const OWN = "own";

/** Builds the tools, wherever their tokens come from. */
export function buildLocalTools(reach: ToolAccess): AgentTool[] {
  return reach.services.flatMap((configuration) =>
    configuration.service.tools.map((tool) => createAgentTool(reach, configuration, tool)),
  );
}

function createAgentTool(ports: ToolAccess, configuration: ServiceConfiguration, tool: Tool): AgentTool {
  const { service } = configuration;
  // A call uses the connection that it was checked with, which is read once.
  let checked: Awaited<ReturnType<ToolAccess["access"]>> | undefined;
  const access: ToolAccess["access"] = async (name, rejected) => {
    const access = name === service.name && rejected === undefined ? checked : undefined;
    checked = undefined;
    return access ?? (await ports.access(name, rejected));
  };
  return {
    ...describeTool(tool),
    service: service.name,
    title: service.title,
    ...(tool.describeTarget ? { describeTarget: createTargetReader(ports, configuration, tool) } : {}),
    ...(tool.destinations || configuration.described
      ? { destinations: (input) => tool.destinations?.(input) ?? [service.name] }
      : {}),
    ready: async () => {
      checked = await ports.access(service.name);
      return checked.as;
    },
    ...(configuration.described ? { metricName: OWN } : {}),
    ...(tool.name.includes("@") ? { metricName: getBaseName(tool.name) } : {}),
    parse: (input) => bindAttachments(tool, checkInput(tool, input), ports.files?.list ?? []),
    run: async (input, context) => {
      const work = (context: RunContext) => runToolCall({ ...ports, access }, configuration, tool, { input, context });
      return await (tool.suspendable && ports.keep && context.interaction.available
        ? ports.keep(context, work)
        : work(context));
    },
  };
}

type Description = Omit<AgentTool, "service" | "title" | "parse" | "run">;

/** Cached, because each request has every tool. */
const descriptions = new WeakMap<Tool, Description>();

function describeTool(tool: Tool): Description {
  const description = descriptions.get(tool) ?? {
    name: tool.name,
    description: tool.description,
    access: tool.access,
    ...(tool.mode ? { mode: tool.mode } : {}),
    chooseMode: (input) => tool.chooseMode?.(input),
    resource: (input) => tool.resource?.(input),
    ...(tool.object ? { object: (input) => tool.object?.(input) } : {}),
    ...(tool.egress ? { egress: true } : {}),
    ...(tool.takesAttachments ? { takesAttachments: true } : {}),
    ...(tool.placeIsTarget ? { placeIsTarget: true } : {}),
    examples: tool.examples,
    ...(tool.mentions ? { mentions: tool.mentions } : {}),
    schema: tool.schema ?? getInputSchema(tool.input),
    summary: (input) => formatSummary(tool, input),
  };
  descriptions.set(tool, description);
  return description;
}

/** Reads what a call reaches with the tool's own connection, but without its writes. */
function createTargetReader(
  ports: ToolAccess,
  configuration: ServiceConfiguration,
  tool: Tool,
): NonNullable<AgentTool["describeTarget"]> {
  const run: Tool["run"] = async (input, context) => ({
    data: null,
    text: (await tool.describeTarget?.(input, context)) ?? "",
  });
  return async (input, context) => {
    const reader: Tool = { ...tool, access: "read", run };
    return (await runToolCall({ ...ports, dryRun: true }, configuration, reader, { input, context })).text;
  };
}

function checkInput(tool: Tool, input: unknown): Record<string, unknown> {
  if (tool.check) return tool.check(input);
  const result = tool.input.safeParse(input);
  if (result.success) return result.data;
  throw toInputProblem(tool.name, input, result.error.issues);
}
