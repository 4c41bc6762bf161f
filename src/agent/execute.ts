import { AsyncLocalStorage } from "node:async_hooks";
import type { Access } from "#connectors/service";
import { rankNames } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import {
  type Allowance,
  type CallPorts,
  type CheckedCall,
  type GateResult,
  type RejectedCall,
  toCall,
} from "./calls.ts";
import { coalesce, createChannel } from "./channel.ts";
import { type DryRun, toPlannedOutcome } from "./dry-run.ts";
import type { AgentEvent, Call, Outcome, Wait } from "./events.ts";
import { adaptInput, rejectUnknownFields } from "./input.ts";
import { DENIAL_TEXT, findRepeatedDenial } from "./limits.ts";
import { type AgentObserver, recordOutcome, recordToolCall } from "./observe.ts";
import { findRepetition, type PastCall } from "./repetition.ts";
import { getIntegrations, toToolOutput } from "./results.ts";
import { type AgentTool, UNATTENDED_CONTEXT } from "./tool.ts";

/** `dryRun` takes precedence: a call that it plans never runs. */
type Run = {
  memory: PastCall[];
  signal: AbortSignal;
  ports?: CallPorts;
  dryRun?: DryRun;
  watch?: AgentObserver;
  isFatal?(error: unknown): boolean;
};

/** Finds a call's tool and validates its input. An invalid call becomes a result that the model can react to. */
export function checkCall(call: Call, tools: AgentTool[]): CheckedCall | RejectedCall {
  const found = tools.find(({ name }) => name === call.toolName);
  if (found === undefined) {
    return { call, problem: unknownToolProblem(call.toolName, tools) };
  }
  try {
    const input = adaptInput(found.schema, call.input);
    rejectUnknownFields(found, input);
    const parsed = found.parse(input);
    const tool = found.specific?.(parsed) ?? found;
    return { ...call, tool, access: tool.access, parsed, summary: tool.summary(parsed) };
  } catch (error) {
    const problem = toProblem(error, "INVALID_REQUEST", `The input of ${call.toolName} is not accepted.`);
    return { call, access: found.access, problem };
  }
}

/** Names a few tools that may be meant, since the whole list can be longer than the conversation. */
function unknownToolProblem(name: string, tools: AgentTool[]): Problem {
  const near = rankNames(
    name,
    tools.map((tool) => tool.name),
  ).slice(0, 3);
  const guess = near.length > 0 ? ` The nearest are ${near.join(", ")}.` : "";
  return new Problem(
    "NOT_FOUND",
    `Unknown tool ${JSON.stringify(name.slice(0, 60))}.${guess} Call one of the tools that you were given.`,
    {
      hint: "",
    },
  );
}

/**
 * Runs a step's calls and returns their results in the order of the calls. Reads run together. Writes are asked and run
 * one after another, as the model listed them. While other calls run, a waiting call is retried whenever its answer may
 * have arrived. Calls that still wait at the end are returned as waits.
 */
export async function* runCalls(
  calls: (CheckedCall | RejectedCall)[],
  run: Run,
): AsyncGenerator<AgentEvent, { outcomes: Outcome[] } | { waits: Wait[] }> {
  const events = createChannel<AgentEvent>();
  const ended: (Outcome | undefined)[] = calls.map((call) => run.ports?.settled(getCallId(call)));
  const waits = new Map<number, Wait>();
  let running = 0;
  let fatalError: unknown;
  const start = async (index: number): Promise<void> => {
    running++;
    waits.delete(index);
    const result = await runCall(calls, index, ended, run, events.push).catch((error: unknown) => {
      fatalError = error;
    });
    if (result && "kind" in result) waits.set(index, result);
    else if (result) {
      ended[index] = result;
      recordOutcome(run.watch, calls[index] as CheckedCall | RejectedCall, result);
      events.push({ type: "outcome", outcome: result });
      events.push(buildOutcomeEvent(result, calls[index]?.access));
    }
    if (ended[index]) startNextWrite();
    if (--running === 0) events.end();
  };
  const started = new Set<number>();
  /** Starts the first write that has not run, unless one before it still runs or waits. */
  const startNextWrite = () => {
    const next = calls.findIndex((call, index) => isWrite(call) && ended[index] === undefined);
    if (next < 0 || started.has(next) || fatalError !== undefined) return;
    started.add(next);
    void start(next);
  };
  /** Retries the waiting calls whose requests are answered. Concurrent notifications are merged. */
  const retryWaiting = async (): Promise<void> => {
    if (running === 0) return;
    running++;
    const open = await loadOpenRequests(run);
    for (const index of [...waits.keys()]) if (!open.has(getCallId(calls[index]))) void start(index);
    if (--running === 0) events.end();
  };
  // Keeps the caller's trace context out of the retries: `onChange` may fire inside another request.
  const stop = run.ports?.onChange(AsyncLocalStorage.bind(coalesce(retryWaiting)));
  const open = await loadOpenRequests(run);
  const pending = calls.flatMap((call, index) =>
    ended[index] === undefined ? [{ call, index, wait: open.get(getCallId(call)) }] : [],
  );
  for (const { call, index, wait } of pending) {
    if (wait) {
      waits.set(index, wait);
      started.add(index);
    } else if (!isWrite(call)) void start(index);
  }
  startNextWrite();
  if (running === 0) events.end();
  yield* events.drain();
  stop?.();
  if (fatalError !== undefined) throw fatalError;
  const outcomes = ended.filter((outcome) => outcome !== undefined);
  return outcomes.length === calls.length
    ? { outcomes }
    : { waits: [...waits].sort(([a], [b]) => a - b).map(([, wait]) => wait) };
}

function isWrite(call: CheckedCall | RejectedCall): boolean {
  return !("problem" in call) && call.access !== "read";
}

/** Returns the open requests. If they cannot be read, each call finds out on its own attempt. */
async function loadOpenRequests({ ports }: Run): Promise<Map<string, Wait>> {
  return (await ports?.open().catch(() => undefined)) ?? new Map();
}

/**
 * Runs one call. Every error becomes its outcome, except a fatal one such as an unavailable database, which is
 * rethrown.
 */
async function runCall(
  calls: (CheckedCall | RejectedCall)[],
  index: number,
  ended: (Outcome | undefined)[],
  run: Run,
  push: (event: AgentEvent) => void,
): Promise<Outcome | Wait> {
  const checked = calls[index] as CheckedCall | RejectedCall;
  if ("problem" in checked) return checked;
  const call = toCall(checked);
  try {
    if (run.signal.aborted) throw new Problem("CANCELLED", "The request was cancelled before this call was made.");
    const before = calls.slice(0, index).map((one, at): PastCall => ({ call: one, outcome: ended[at] }));
    const past = [...run.memory, ...before];
    const stop = findRepeatedDenial(past.filter((one) => toCall(one.call).toolName === checked.toolName));
    if (stop) return { call, denied: `${DENIAL_TEXT}.` };
    const repeat = findRepetition(checked, past);
    if (repeat) return repeat;
    return await admit(checked, run, push);
  } catch (error) {
    if (run.isFatal?.(error)) throw error;
    const problem = toProblem(error, "SERVICE_FAILED", `${checked.tool.title} failed: ${checked.summary}.`);
    const integrations = getIntegrations(problem);
    if (run.ports === undefined || run.dryRun || integrations.length === 0) return { call, problem };
    const missing = run.ports.missing(call, integrations, problem.message);
    return missing instanceof Problem ? { call, problem: missing } : missing;
  }
}

async function admit(
  checked: CheckedCall,
  { signal, ports, dryRun, watch }: Run,
  push: (event: AgentEvent) => void,
): Promise<Outcome | Wait> {
  const { tool, toolCallId } = checked;
  const call = toCall(checked);
  const before = ports?.ran(toolCallId);
  if (ports && before) return await ports.after(checked, before);
  const account = (ports ?? dryRun) && (await tool.ready?.());
  const planned = await dryRun?.(checked, account);
  if (planned) return toPlannedOutcome(checked, planned, push);
  const gate: GateResult = (await ports?.gate(checked, account)) ?? { kind: "run", input: checked.parsed };
  if (gate.kind === "wait") return gate.wait;
  if (gate.kind === "denied") return { call, denied: gate.reason };
  if (gate.allowed) push(buildAllowedEvent(toolCallId, gate.allowed));
  const attended = ports?.attend(checked, push) ?? { ...UNATTENDED_CONTEXT, waiting: NEVER };
  const report = (data: Extract<AgentEvent, { type: "data-receipt" }>["data"]) =>
    push({ type: "data-receipt", data: { ...data, ...gate.allowed } });
  const { waiting, ...interactive } = attended;
  // A handler that waits for the user is abandoned; its next run finds the answer.
  const result = await recordToolCall(watch, tool, () =>
    Promise.race([
      tool
        .run(gate.input, { toolCallId, signal, report, ...(account ? { account } : {}), ...interactive })
        .then((ran) => ({ ran })),
      waiting,
    ]),
  );
  if (!("ran" in result)) return result;
  const edited = gate.edited ? { edited: gate.input } : {};
  const outcome: Outcome = { call, output: { ...toToolOutput(tool.service, result.ran), ...edited } };
  return (await ports?.after(checked, outcome)) ?? outcome;
}

const NEVER = new Promise<Wait>(() => {});

function getCallId(call: CheckedCall | RejectedCall | undefined): string {
  return call ? toCall(call).toolCallId : "";
}

function buildAllowedEvent(tool_call_id: string, { allowed_by, account }: Allowance): AgentEvent {
  const as = account ? `, as ${account}` : "";
  return {
    type: "data-tool-log",
    data: { tool_call_id, entries: [{ text: `Allowed by --allow ${allowed_by}${as}.` }] },
  };
}

/** `access` tells clients that a failed call would have changed something. */
function buildOutcomeEvent(outcome: Outcome, access: Access | undefined): AgentEvent {
  const { toolCallId } = outcome.call;
  if ("output" in outcome) return { type: "tool-output-available", toolCallId, output: outcome.output };
  if ("problem" in outcome) {
    const { message: errorText, code } = outcome.problem;
    return { type: "tool-output-error", toolCallId, errorText, code, ...(access ? { access } : {}) };
  }
  return { type: "tool-output-denied", toolCallId, reason: outcome.denied };
}

function toProblem(error: unknown, code: "INVALID_REQUEST" | "SERVICE_FAILED", message: string): Problem {
  return error instanceof Problem ? error : new Problem(code, message, { hint: "", cause: error });
}
