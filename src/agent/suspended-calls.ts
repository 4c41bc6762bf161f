import type { ToolInteraction } from "#connectors/interaction";
import type { ToolResult } from "#connectors/service";
import { isErrorCode, Problem } from "#protocol/errors";
import type { RunContext } from "./tool.ts";

/**
 * Calls that a person is asked about while their service waits on an open connection. Every other handler that asks is left where it is and
 * run again from its beginning; these go on where they are, as long as this process lives: run again, the call is found here, and what it asked
 * gets its answer.
 */
const kept = new WeakMap<Node, Map<string, Kept>>();

/** A node of the backend, which is all that tells its calls from those of another. */
type Node = { number(): Promise<number> };

type Kept = {
  generationId: string;
  context: RunContext;
  /** What it asked so far, in order; the last one may wait. */
  asked: Question[];
  over: AbortController;
  result: Promise<ToolResult>;
};

type Question = { request: ToolInteraction; answered: boolean; settle: PromiseWithResolvers<unknown> };

/** Which call it is, and at which node. */
export type SuspendedCallKey = { node: Node; generationId: string; toolCallId: string };

/** Run a call, or go on with it where it is kept here. */
export function runSuspendable(
  { node, generationId, toolCallId }: SuspendedCallKey,
  context: RunContext,
  work: (context: RunContext) => Promise<ToolResult>,
): Promise<ToolResult> {
  const calls = kept.get(node) ?? new Map<string, Kept>();
  kept.set(node, calls);
  const key = `${generationId}\n${toolCallId}`;
  const there = calls.get(key);
  if (there) return goOn(there, context);
  const call: Kept = { generationId, context, asked: [], over: new AbortController(), result: NOTHING };
  follow(call, context.signal);
  calls.set(key, call);
  call.result = work(lasting(call)).finally(() => calls.delete(key));
  // Whoever waits for it may be gone by then; what it came to is in its effect.
  call.result.catch(() => {});
  return call.result;
}

/** Whether a call of this generation is kept open at this node for an answer. */
export function hasSuspendedCall(node: Node, generationId: string): boolean {
  return [...(kept.get(node)?.values() ?? [])].some(
    (call) => call.generationId === generationId && call.asked.at(-1)?.answered === false,
  );
}

const NOTHING = new Promise<ToolResult>(() => {});

/** A context that outlives the piece of work in which the call began. */
function lasting(call: Kept): RunContext {
  const { toolCallId, interaction } = call.context;
  return {
    toolCallId,
    interaction,
    signal: call.over.signal,
    report: (receipt) => call.context.report(receipt),
    log: (text) => call.context.log(text),
    requestInteraction: (request) => {
      const question: Question = { request, answered: false, settle: Promise.withResolvers() };
      call.asked.push(question);
      ask(call, question);
      return question.settle.promise;
    },
  };
}

/** Somebody else works on the generation now: what was answered takes its place again, what waits is asked about anew. */
function goOn(call: Kept, context: RunContext): Promise<ToolResult> {
  call.context = context;
  follow(call, context.signal);
  for (const question of call.asked) {
    if (!question.answered) ask(call, question);
    else
      void context.requestInteraction({ ...question.request, onResponse: PASSED, onTimeout: PASSED }).catch(() => {});
  }
  return call.result;
}

const PASSED = () => ({ complete: undefined });

function ask(call: Kept, question: Question): void {
  const { request, settle } = question;
  const cancelled = () => {
    question.answered = true;
    request.onCancel?.();
    settle.reject(new Problem("CANCELLED", "The request was cancelled before it was answered."));
  };
  call.context.requestInteraction({ ...request, onCancel: cancelled }).then(
    (answer) => {
      question.answered = true;
      settle.resolve(answer);
    },
    (error: unknown) => {
      question.answered = true;
      settle.reject(error);
    },
  );
}

function follow(call: Kept, signal: AbortSignal): void {
  if (signal.aborted) call.over.abort(signal.reason);
  else signal.addEventListener("abort", () => call.over.abort(signal.reason), { once: true });
}

/** A problem as a row keeps it. The cause is for the log alone and is not kept. */
export type StoredProblem = { code: string; message: string; hint: string; details: Record<string, unknown> };

export function toStoredProblem({ code, message, hint, details }: Problem): StoredProblem {
  return { code, message, hint, details };
}

/** The same problem again. */
export function fromStoredProblem({ code, message, hint, details }: StoredProblem): Problem {
  return new Problem(isErrorCode(code) ? code : "SERVICE_FAILED", message, { hint, details });
}
