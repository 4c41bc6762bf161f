import { Problem } from "#protocol/errors";
import { canonicalJson } from "../canonical.ts";
import { channel } from "./channel.ts";
import type { AgentEvent, Call, HeldCall } from "./events.ts";
import { type Outcome, toolOutput } from "./results.ts";
import type { AgentTool } from "./tool.ts";

/** A call with its tool and checked input, or why it cannot be run. */
export type Checked = HeldCall & { tool: AgentTool };
export type Rejected = { call: Call; problem: Problem };

/** Find each call's tool and check its input. A wrong call is a result that the model can react to, never a crash. */
export function checkCall(call: Call, tools: AgentTool[]): Checked | Rejected {
  const tool = tools.find(({ name }) => name === call.toolName);
  if (tool === undefined) {
    const known = tools.map(({ name }) => name).join(", ");
    return {
      call,
      problem: new Problem("NOT_FOUND", `There is no tool ${call.toolName}. Tools: ${known}.`, { hint: "" }),
    };
  }
  try {
    const parsed = tool.parse(call.input);
    return { ...call, tool, access: tool.access, parsed, summary: tool.summary(parsed) };
  } catch (error) {
    return { call, problem: asProblem(error, "INVALID_REQUEST", `The input of ${call.toolName} is not accepted.`) };
  }
}

/**
 * Which calls a generation made so far, so that a model which runs in circles is stopped and no write happens twice (`limit` 1 for a
 * write that went through or may have).
 */
export class CallMemory {
  private readonly counts = new Map<string, number>();
  private readonly done = new Set<string>();

  /** Count the call; false when it must not run again. */
  admit(call: Checked): boolean {
    const key = callKey(call);
    const count = (this.counts.get(key) ?? 0) + 1;
    this.counts.set(key, count);
    if (call.access !== "read" && (this.done.has(key) || count > ATTEMPTS)) return false;
    if (call.access !== "read") this.done.add(key);
    return count <= ATTEMPTS;
  }

  /** The write failed for sure before it changed anything: it may be tried again. */
  forgive(call: Checked): void {
    this.done.delete(callKey(call));
  }
}

/** Run a step's calls side by side; each gets its own result, in the order of the calls. Receipts come as they change. */
export async function* runCalls(
  calls: (Checked | Rejected)[],
  memory: CallMemory,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Outcome[]> {
  const events = channel<AgentEvent>();
  const running = calls.map(async (checked): Promise<Outcome> => {
    const outcome = "problem" in checked ? checked : await runCall(checked, memory, signal, events.push);
    events.push(outcomeEvent(outcome));
    return outcome;
  });
  const all = Promise.all(running).finally(events.end);
  yield* events.drain();
  return await all;
}

async function runCall(
  checked: Checked,
  memory: CallMemory,
  signal: AbortSignal,
  push: (event: AgentEvent) => void,
): Promise<Outcome> {
  const { tool, parsed, toolCallId, toolName, input } = checked;
  const call = { toolCallId, toolName, input };
  if (signal.aborted)
    return { call, problem: new Problem("CANCELLED", "The request was cancelled before this call was made.") };
  if (!memory.admit(checked)) return { call, problem: repeated(toolName) };
  try {
    const report = (data: Extract<AgentEvent, { type: "data-receipt" }>["data"]) =>
      push({ type: "data-receipt", data });
    const result = await tool.run(parsed, { toolCallId, signal, report });
    return { call, output: toolOutput(tool.service, result) };
  } catch (error) {
    const problem = asProblem(error, "SERVICE_FAILED", `${tool.title} could not do it: ${checked.summary}.`);
    if (problem.code !== "OUTCOME_UNKNOWN") memory.forgive(checked);
    return { call, problem };
  }
}

function repeated(name: string): Problem {
  const words = `This same call of ${name} was made already; its result is above. Do not repeat it.`;
  return new Problem("IDEMPOTENCY_CONFLICT", words, { hint: "", details: { repeated: true } });
}

function outcomeEvent(outcome: Outcome): AgentEvent {
  const { toolCallId } = outcome.call;
  if ("output" in outcome) return { type: "tool-output-available", toolCallId, output: outcome.output };
  if ("problem" in outcome) {
    return { type: "tool-output-error", toolCallId, errorText: outcome.problem.message, code: outcome.problem.code };
  }
  return { type: "tool-output-error", toolCallId, errorText: outcome.denied, code: "DENIED" };
}

function callKey({ toolName, parsed }: Checked): string {
  return canonicalJson([toolName, parsed]);
}

function asProblem(error: unknown, code: "INVALID_REQUEST" | "SERVICE_FAILED", words: string): Problem {
  return error instanceof Problem ? error : new Problem(code, words, { hint: "", cause: error });
}

/** How often one and the same call may be made in a generation: once, and again after something changed or failed. */
const ATTEMPTS = 3;
