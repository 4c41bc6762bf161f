import { AsyncLocalStorage } from "node:async_hooks";
import { Problem } from "#protocol/errors";
import type { Allowance, CallPorts, CheckedCall, GateResult, RejectedCall } from "./calls.ts";
import { coalesce, createChannel } from "./channel.ts";
import { type DryRun, toPlannedOutcome } from "./dry-run.ts";
import type { AgentEvent, Call, Outcome, Wait } from "./events.ts";
import { type AgentObserver, recordOutcome, recordToolCall } from "./observe.ts";
import { findRepetition, type PastCall } from "./repetition.ts";
import { getIntegrations, toToolOutput } from "./results.ts";
import { type AgentTool, UNATTENDED_CONTEXT } from "./tool.ts";

/** `dryRun` stands before everything: what it plans is never run. */
type Run = {
  memory: PastCall[];
  signal: AbortSignal;
  ports?: CallPorts;
  dryRun?: DryRun;
  watch?: AgentObserver;
  isFatal?(error: unknown): boolean;
};

/** Find each call's tool and check its input. A wrong call is a result that the model can react to, never a crash. */
export function checkCall(call: Call, tools: AgentTool[]): CheckedCall | RejectedCall {
  const found = tools.find(({ name }) => name === call.toolName);
  if (found === undefined) {
    const known = tools.map(({ name }) => name).join(", ");
    return {
      call,
      problem: new Problem("NOT_FOUND", `There is no tool ${call.toolName}. Tools: ${known}.`, { hint: "" }),
    };
  }
  try {
    const parsed = found.parse(call.input);
    const tool = found.specific?.(parsed) ?? found;
    return { ...call, tool, access: tool.access, parsed, summary: tool.summary(parsed) };
  } catch (error) {
    return { call, problem: asProblem(error, "INVALID_REQUEST", `The input of ${call.toolName} is not accepted.`) };
  }
}

/**
 * Run a step's calls side by side; each gets its own result, in the order of the calls. One that waits for something is tried again whenever
 * that may have come, as long as others still run; what waits in the end is told.
 */
export async function* runCalls(
  calls: (CheckedCall | RejectedCall)[],
  run: Run,
): AsyncGenerator<AgentEvent, { outcomes: Outcome[] } | { waits: Wait[] }> {
  const events = createChannel<AgentEvent>();
  const ended: (Outcome | undefined)[] = calls.map((call) => run.ports?.settled(getId(call)));
  const waits = new Map<number, Wait>();
  let running = 0;
  let away: unknown;
  const start = async (index: number): Promise<void> => {
    running++;
    waits.delete(index);
    const result = await runOne(calls, index, ended, run, events.push).catch((error: unknown) => {
      away = error;
    });
    if (result && "kind" in result) waits.set(index, result);
    else if (result) {
      ended[index] = result;
      recordOutcome(run.watch, calls[index] as CheckedCall | RejectedCall, result);
      events.push({ type: "outcome", outcome: result });
      events.push(outcomeEvent(result));
    }
    if (--running === 0) events.end();
  };
  /** Tries what waits and may go on; one look at a time, however much came. */
  const look = async (): Promise<void> => {
    if (running === 0) return;
    running++;
    const open = await openRequests(run);
    for (const index of [...waits.keys()]) if (!open.has(getId(calls[index]))) void start(index);
    if (--running === 0) events.end();
  };
  // Whoever says that something came has nothing to do with the calls.
  const stop = run.ports?.onChange(AsyncLocalStorage.bind(coalesce(look)));
  const open = await openRequests(run);
  const left = calls.flatMap((call, index) =>
    ended[index] === undefined ? [{ index, wait: open.get(getId(call)) }] : [],
  );
  for (const { index, wait } of left) {
    if (wait) waits.set(index, wait);
    else void start(index);
  }
  if (running === 0) events.end();
  yield* events.drain();
  stop?.();
  if (away !== undefined) throw away;
  const outcomes = ended.filter((outcome) => outcome !== undefined);
  return outcomes.length === calls.length
    ? { outcomes }
    : { waits: [...waits].sort(([a], [b]) => a - b).map(([, wait]) => wait) };
}

/** Where they cannot be read, each call finds out for itself. */
async function openRequests({ ports }: Run): Promise<Map<string, Wait>> {
  return (await ports?.open().catch(() => undefined)) ?? new Map();
}

/** Whatever goes wrong is how the call ended, but for a database that is away: then nobody knows, and the rows say what is to be done. */
async function runOne(
  calls: (CheckedCall | RejectedCall)[],
  index: number,
  ended: (Outcome | undefined)[],
  run: Run,
  push: (event: AgentEvent) => void,
): Promise<Outcome | Wait> {
  const checked = calls[index] as CheckedCall | RejectedCall;
  if ("problem" in checked) return checked;
  const call = bare(checked);
  try {
    if (run.signal.aborted) throw new Problem("CANCELLED", "The request was cancelled before this call was made.");
    const before = calls.slice(0, index).map((one, at): PastCall => ({ call: one, outcome: ended[at] }));
    const repeat = findRepetition(checked, [...run.memory, ...before]);
    if (repeat) return "denied" in repeat ? { call, denied: repeat.denied } : { call, problem: repeat };
    return await admit(checked, run, push);
  } catch (error) {
    if (run.isFatal?.(error)) throw error;
    const problem = asProblem(error, "SERVICE_FAILED", `${checked.tool.title} could not do it: ${checked.summary}.`);
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
  const call = bare(checked);
  const before = ports?.ran(toolCallId);
  if (ports && before) return await ports.after(checked, before);
  const account = (ports ?? dryRun) && (await tool.ready?.());
  const planned = await dryRun?.(checked, account);
  if (planned) return toPlannedOutcome(checked, planned, push);
  const gate: GateResult = (await ports?.gate(checked, account)) ?? { kind: "run", input: checked.parsed };
  if (gate.kind === "wait") return gate.wait;
  if (gate.kind === "denied") return { call, denied: gate.reason };
  if (gate.allowed) push(allowedEvent(toolCallId, gate.allowed));
  const attended = ports?.attend(checked, push) ?? { ...UNATTENDED_CONTEXT, waiting: NEVER };
  const report = (data: Extract<AgentEvent, { type: "data-receipt" }>["data"]) =>
    push({ type: "data-receipt", data: { ...data, ...gate.allowed } });
  const { waiting, ...interactive } = attended;
  // A tool that asked a person is left where it is; the next run of its handler finds the answer.
  const result = await recordToolCall(watch, tool, () =>
    Promise.race([
      tool.run(gate.input, { toolCallId, signal, report, ...interactive }).then((ran) => ({ ran })),
      waiting,
    ]),
  );
  if (!("ran" in result)) return result;
  const edited = gate.edited ? { edited: gate.input } : {};
  const outcome: Outcome = { call, output: { ...toToolOutput(tool.service, result.ran), ...edited } };
  return (await ports?.after(checked, outcome)) ?? outcome;
}

const NEVER = new Promise<Wait>(() => {});

function getId(call: CheckedCall | RejectedCall | undefined): string {
  return call ? bare(call).toolCallId : "";
}

function bare(call: CheckedCall | RejectedCall): Call {
  if ("problem" in call) return call.call;
  const { toolCallId, toolName, input } = call;
  return { toolCallId, toolName, input };
}

function allowedEvent(tool_call_id: string, { allowed_by, account }: Allowance): AgentEvent {
  const as = account ? `, as ${account}` : "";
  return {
    type: "data-tool-log",
    data: { tool_call_id, entries: [{ text: `Allowed by --allow ${allowed_by}${as}.` }] },
  };
}

function outcomeEvent(outcome: Outcome): AgentEvent {
  const { toolCallId } = outcome.call;
  if ("output" in outcome) return { type: "tool-output-available", toolCallId, output: outcome.output };
  if ("problem" in outcome) {
    return { type: "tool-output-error", toolCallId, errorText: outcome.problem.message, code: outcome.problem.code };
  }
  return { type: "tool-output-denied", toolCallId, reason: outcome.denied };
}

function asProblem(error: unknown, code: "INVALID_REQUEST" | "SERVICE_FAILED", words: string): Problem {
  return error instanceof Problem ? error : new Problem(code, words, { hint: "", cause: error });
}
