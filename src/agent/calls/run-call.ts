import { Problem } from "#protocol/errors";
import type { AgentEvent, Outcome, Wait } from "../events.ts";
import { type AgentObserver, recordToolCall } from "../observe.ts";
import { getIntegrations, toToolOutput } from "../results.ts";
import { UNATTENDED_CONTEXT } from "../tool.ts";
import {
  type Allowance,
  type CallPorts,
  type CheckedCall,
  type GateResult,
  type RejectedCall,
  toCall,
} from "./checked-call.ts";
import { type DryRun, toPlannedOutcome } from "./dry-run.ts";
import { findRepetition, type PastCall } from "./repetition.ts";

/** `dryRun` takes precedence: a call that it plans never runs. */
export type Run = {
  memory: PastCall[];
  signal: AbortSignal;
  ports?: CallPorts;
  dryRun?: DryRun;
  verify?(call: CheckedCall): Promise<void>;
  watch?: AgentObserver;
  isFatal?(error: unknown): boolean;
};

/**
 * Runs one call. Every error becomes its outcome, except a fatal one such as an unavailable database, which is
 * rethrown.
 */
export async function runCall(
  calls: (CheckedCall | RejectedCall)[],
  index: number,
  outcomes: (Outcome | undefined)[],
  run: Run,
  push: (event: AgentEvent) => void,
): Promise<Outcome | Wait> {
  const checked = calls[index] as CheckedCall | RejectedCall;
  if ("problem" in checked) return checked;
  const call = toCall(checked);
  try {
    if (run.signal.aborted) throw new Problem("CANCELLED", "The request was canceled before this call was made.");
    const repeat = findRepetition(checked, listEarlierCalls(calls, index, outcomes, run));
    if (repeat) return repeat;
    return await admit(checked, run, push);
  } catch (error) {
    if (run.isFatal?.(error)) throw error;
    const problem = toProblem(error, "SERVICE_FAILED", `${checked.tool.title} failed: ${checked.summary}.`);
    const integrations = getIntegrations(problem);
    if (run.ports === undefined || run.dryRun || integrations.length === 0) return { call, problem };
    const waitOrProblem = run.ports.handleMissingConnection(call, integrations, problem.message);
    return waitOrProblem instanceof Problem ? { call, problem: waitOrProblem } : waitOrProblem;
  }
}

/**
 * Asks about the writes of a step that have not ended, as one plan. A single one is asked when its turn comes, and so is
 * a repeated call, which may not be made at all.
 */
export async function askAboutWrites(
  calls: (CheckedCall | RejectedCall)[],
  outcomes: (Outcome | undefined)[],
  run: Run,
): Promise<Wait[]> {
  const open = calls.filter((call, index): call is CheckedCall => isWrite(call) && outcomes[index] === undefined);
  if (!run.ports || run.dryRun || run.signal.aborted || open.length < 2) return [];
  const isRepeat = (call: CheckedCall) =>
    findRepetition(call, listEarlierCalls(calls, calls.indexOf(call), outcomes, run)) !== undefined;
  return await run.ports.askTogether(open.filter((call) => !isRepeat(call)));
}

/** Whether a call changes something. Writes run one after another. */
export function isWrite(call: CheckedCall | RejectedCall): boolean {
  return !("problem" in call) && call.access !== "read";
}

function listEarlierCalls(
  calls: (CheckedCall | RejectedCall)[],
  index: number,
  outcomes: (Outcome | undefined)[],
  { memory }: Run,
): PastCall[] {
  return [
    ...memory,
    ...calls.slice(0, index).map((call, position): PastCall => ({ call, outcome: outcomes[position] })),
  ];
}

async function admit(
  checked: CheckedCall,
  { signal, ports, dryRun, verify, watch }: Run,
  push: (event: AgentEvent) => void,
): Promise<Outcome | Wait> {
  const { tool, toolCallId } = checked;
  const call = toCall(checked);
  const unreviewed = ports?.findUnreviewedOutcome(toolCallId);
  if (ports && unreviewed) return await ports.reviewOutcome(checked, unreviewed);
  const account = (ports ?? dryRun) && (await tool.ready?.());
  const planned = await dryRun?.(checked, account);
  if (planned) return toPlannedOutcome(checked, planned, push);
  await verify?.(checked);
  const gate: GateResult = (await ports?.gate(checked, account)) ?? { kind: "run", input: checked.parsed };
  if (gate.kind === "wait") return gate.wait;
  if (gate.kind === "denied") return { call, denied: gate.reason };
  if (gate.allowed) push(buildAllowedEvent(toolCallId, gate.allowed));
  const attended = ports?.attend(checked, push) ?? { ...UNATTENDED_CONTEXT, waiting: NEVER };
  const report = (data: Extract<AgentEvent, { type: "data-receipt" }>["data"]) =>
    push({ type: "data-receipt", data: { ...data, ...gate.allowed } });
  const { waiting, ...interactive } = attended;
  const approved = { ...(account ? { account } : {}), ...(gate.target ? { target: gate.target } : {}) };
  // A handler that waits for the user is abandoned; its next run finds the answer.
  const result = await recordToolCall(watch, tool, () =>
    Promise.race([
      tool.run(gate.input, { toolCallId, signal, report, ...approved, ...interactive }).then((ran) => ({ ran })),
      waiting,
    ]),
  );
  if (!("ran" in result)) return result;
  const edited = gate.edited ? { edited: pickChanges(checked.parsed, gate.input) } : {};
  const outcome: Outcome = { call, output: { ...toToolOutput(tool.service, result.ran), ...edited } };
  return (await ports?.reviewOutcome(checked, outcome)) ?? outcome;
}

/** Returns the fields that an edit changed; `null` for one that it removed. */
function pickChanges(before: Record<string, unknown>, after: Record<string, unknown>): Record<string, unknown> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changedNames = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changedNames.map((name) => [name, after[name] ?? null]));
}

const NEVER = new Promise<Wait>(() => {});

function buildAllowedEvent(tool_call_id: string, { allowed_by, account }: Allowance): AgentEvent {
  const as = account ? `, as ${account}` : "";
  return {
    type: "data-tool-log",
    data: { tool_call_id, entries: [{ text: `Allowed by --allow ${allowed_by}${as}.` }] },
  };
}

/** Converts an error that a call threw to its problem. */
export function toProblem(error: unknown, code: "INVALID_REQUEST" | "SERVICE_FAILED", message: string): Problem {
  return error instanceof Problem ? error : new Problem(code, message, { hint: "", cause: error });
}
