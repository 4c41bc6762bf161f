import { createServiceHttp } from "#connectors/http/client";
import { authRequiredProblem } from "#connectors/http/errors";
import { sleepOrThrow } from "#connectors/http/retry";
import type { Account, ServiceConfiguration, ServiceHttp, Tool, ToolResult } from "#connectors/service";
import type { Clock, Fetch } from "#net/ports";
import { cleanLine } from "#protocol/clean";
import { notSentProblem, restrictToReads } from "./dry-run.ts";
import { type Effect, type EffectLog, recordEffect } from "./effect.ts";
import type { RunContext } from "./tool.ts";

/** How tools reach their services: whose tokens they use, and where their effects are written down. */
export type ToolAccess = {
  services: ServiceConfiguration[];
  fetch: Fetch;
  clock: Clock;
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

/** Run a tool of a service: a read as it is, a write as an effect. */
export async function runToolCall(
  ports: ToolAccess,
  configuration: ServiceConfiguration,
  tool: Tool,
  { input, context }: Pick<Run, "input" | "context">,
): Promise<ToolResult> {
  if (tool.access === "read") return await runTool(ports, configuration, tool, { input, context });
  const summary = formatSummary(tool, input);
  if (ports.dryRun) throw notSentProblem(summary);
  return await recordEffect(ports.effects, { tool: tool.name, input, summary }, context, (effect) =>
    runTool(ports, configuration, tool, { input, context, effect }),
  );
}

/** Characters of a summary; what is approved is shown whole, field by field, beside it. */
const SUMMARY = 160;

/** One line, whatever the model put into the input: a line of its own would look like one more thing that is asked for. */
export function formatSummary(tool: Tool, input: Record<string, unknown>): string {
  const line = [...tool.summary(input).replace(/\s+/g, " ").trim()];
  return line.length <= SUMMARY ? line.join("") : `${line.slice(0, SUMMARY - 1).join("")}…`;
}

type Run = { input: Record<string, unknown>; context: RunContext; effect?: Effect };

async function runTool(
  ports: ToolAccess,
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
      await sleepOrThrow(ms, signal);
    },
    // A write under way is never cut off: its answer says whether it was done.
    ...(effect ? { idempotencyKey } : { signal: context.signal }),
  });
  const { interaction, requestInteraction, log } = context;
  const reading = ports.dryRun ? restrictToReads(http, formatSummary(tool, input)) : http;
  return await tool.run(input, {
    http: effect ? watch(http, effect) : reading,
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
        throw authRequiredProblem(service, `${service.title} asks for more permission than was given${words}.`);
      },
      sent: async () => await effect?.sent(),
      unsent: async () => await effect?.unsent(),
      wrote: () => effect?.wrote(),
    },
  });
}

/** Notes the moment before the first write leaves, and each write that went through. */
function watch(http: ServiceHttp, effect: Effect): ServiceHttp {
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
