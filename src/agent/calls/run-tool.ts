import { createServiceHttp } from "#connectors/http/client";
import { authRequiredProblem } from "#connectors/http/errors";
import { sleepOrThrow } from "#connectors/http/retry";
import { isReadRequest } from "#connectors/http/target";
import { formatCount } from "#connectors/markup/markdown";
import type { Account } from "#connectors/oauth";
import type { ServiceConfiguration } from "#connectors/service";
import type { ServiceHttp } from "#connectors/service-http";
import type { Tool, ToolResult } from "#connectors/tool";
import type { Clock, Fetch } from "#net/ports";
import { cleanLine } from "#protocol/clean";
import { Problem } from "#protocol/errors";
import { isRecord } from "#protocol/json";
import type { RunContext } from "../tool.ts";
import { type ConversationFiles, loadBoundAttachments } from "./bind-attachments.ts";
import { notSentProblem, restrictToReads } from "./dry-run.ts";
import { buildEffectId, type Effect, type EffectLog, recordEffect } from "./effect.ts";

/** How tools reach their services: the tokens they use, and the log that records their effects. */
export type ToolAccess = {
  services: ServiceConfiguration[];
  fetch: Fetch;
  clock: Clock;
  /**
   * Returns the current token and connection metadata. `rejected` is a token that the service refused with HTTP 401.
   */
  access(service: string, rejected?: string): Promise<Access>;
  effects: EffectLog;
  /** The files of the conversation. */
  files?: ConversationFiles;
  /** Blocks every request that could change something. */
  dryRun?: boolean;
  /** The user's time zone, an IANA name. */
  timeZone?: string;
  /** Records that a service requires these scopes in addition to the granted ones. */
  wants?(service: string, scopes: string[]): Promise<void>;
  /** Keeps a call running while it waits for the user's answer; see `Tool.suspendable`. */
  keep?(context: RunContext, work: (context: RunContext) => Promise<ToolResult>): Promise<ToolResult>;
};

/** A token with the connection's metadata and account. The token is valid until `until`, in ms since the epoch. */
type Access = { token: string; metadata: Record<string, unknown>; as?: Account; until?: number };

/** Runs a tool of a service. Writes are recorded as effects. */
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

/** Longest summary, in characters. Approvals also show every field in full. */
const MAX_SUMMARY_LENGTH = 160;

/** Returns a one-line summary. A line break in the model's input could otherwise look like a second request. */
export function formatSummary(tool: Tool, input: Record<string, unknown>): string {
  const line = [...tool.summary(input).replace(/\s+/g, " ").trim()];
  if (line.length <= MAX_SUMMARY_LENGTH) return line.join("");
  const head = line.slice(0, MAX_SUMMARY_LENGTH - 2).join("");
  // A link that would be cut is left out, and so is half a word unless nothing else is there.
  const words = head.replace(/ ?-? ?\[[^\]]*(?:\]\([^)]*)?$/, "").replace(/(?<=.{80})\s+\S*$/s, "");
  return `${words || head}…${words.lastIndexOf("“") > words.lastIndexOf("”") ? "”" : ""}`;
}

type Run = { input: Record<string, unknown>; context: RunContext; effect?: Effect };

async function runTool(
  ports: ToolAccess,
  { service, endpoints, described }: ServiceConfiguration,
  tool: Tool,
  { input, context, effect }: Run,
): Promise<ToolResult> {
  const readAccess = async (rejected?: string) => {
    const current = await ports.access(service.name, rejected);
    checkAccount(service.title, context.account, current.as);
    return current;
  };
  let access = await readAccess();
  const idempotencyKey = effect?.id ?? context.toolCallId;
  // A long turn can outlive the token it started with.
  const getToken = async () => {
    if (ports.clock.now() >= (access.until ?? 0)) access = await readAccess();
    return access.token;
  };
  let leftOut: { count: number; reason: string } | undefined;
  const http = createServiceHttp({
    fetch: described?.fetch ?? ports.fetch,
    clock: ports.clock,
    endpoints,
    service,
    token: getToken,
    onRejected: async (rejected) => {
      access = await readAccess(rejected);
      return access.token;
    },
    sleep: async (ms, signal) => {
      context.log(
        `${service.title} did not answer or is busy; trying again in ${Math.max(1, Math.round(ms / 1_000))} s.`,
      );
      await sleepOrThrow(ms, signal);
    },
    onLeftOut: (count, reason) => {
      leftOut = { count: count + (leftOut?.count ?? 0), reason: leftOut?.reason ?? reason };
    },
    // Writes are never aborted: only the response says whether they succeeded.
    ...(effect ? { idempotencyKey } : { signal: context.signal }),
  });
  const { interaction, requestInteraction, log } = context;
  const taskId = effect?.id ?? buildEffectId(ports.effects.scope, context.toolCallId);
  const readOnlyHttp = ports.dryRun ? restrictToReads(http, formatSummary(tool, input)) : http;
  const result = await tool.run(input, {
    http: effect ? recordWrites(http, effect, () => access.as?.words) : readOnlyHttp,
    metadata: access.metadata,
    signal: effect ? new AbortController().signal : context.signal,
    idempotencyKey,
    ...(context.target ? { approvedTarget: context.target } : {}),
    clock: ports.clock,
    ...(ports.timeZone ? { timeZone: ports.timeZone } : {}),
    loadAttachments: (references) => loadBoundAttachments(ports.files, references),
    people: { interaction, requestInteraction, log },
    raw: {
      token: async () => (await readAccess()).token,
      renewToken: async (rejected) => (await readAccess(rejected)).token,
      lacks: async (scopes) => {
        await ports.wants?.(service.name, scopes);
        const words = scopes.length > 0 ? ` (${cleanLine(scopes.join(" "), 200)})` : "";
        throw authRequiredProblem(service, `${service.title} requires more permissions than were granted${words}.`);
      },
      sent: async () => await effect?.sent(access.as?.words),
      unsent: async () => await effect?.unsent(),
      wrote: () => effect?.wrote(),
      task: {
        find: () => ports.effects.findTask(taskId),
        keep: (handle) => ports.effects.keepTask(taskId, handle),
        signal: context.signal,
      },
    },
  });
  return leftOut ? addLeftOut(result, service.title, leftOut) : result;
}

/** Adds a note for the user and the model that the list lacks items. */
function addLeftOut(
  result: ToolResult,
  title: string,
  { count, reason }: { count: number; reason: string },
): ToolResult {
  const note = `Left out ${formatCount(count, "item")} that ${title} sent in a form that kay cannot use: ${reason}.`;
  const data = isRecord(result.data) ? { ...result.data, left_out: note } : result.data;
  return { ...result, data, text: `${result.text}\n\n${note}` };
}

/** @throws Problem ACCOUNT_MISMATCH when another account was connected since the call was shown or allowed */
function checkAccount(title: string, expected: Account | undefined, current: Account | undefined): void {
  if (!expected || !current || expected.id === current.id) return;
  throw new Problem("ACCOUNT_MISMATCH", formatAccountChange(title, expected.words, current.words), { hint: "" });
}

/** Formats the reason why a call was not made: another account is connected than the one that the user saw. */
export function formatAccountChange(title: string, expected: string, current: string): string {
  return `Nothing was sent: this was approved for ${expected}, but ${title} is now connected as ${current}. Ask again to use that account.`;
}

/** Records the effect as sent before its first write leaves, and as written after each write that succeeds. */
function recordWrites(http: ServiceHttp, effect: Effect, account: () => string | undefined): ServiceHttp {
  return {
    ...http,
    request: async (request) => {
      if (isReadRequest(request)) return await http.request(request);
      await effect.sent(account());
      const answer = await http.request(request);
      effect.wrote();
      return answer;
    },
  };
}
