import type { ToolInteraction } from "#connectors/interaction";
import type { ToolResult } from "#connectors/tool";
import { isErrorCode, Problem } from "#protocol/errors";
import type { RunContext } from "../tool.ts";

/**
 * Calls that keep a connection to their service open while the user is asked. Other handlers are abandoned and run
 * again from the start. These stay in memory: the next run finds the call here and passes it the answer.
 */
const suspendedCalls = new WeakMap<Node, Map<string, SuspendedCall>>();

/** A backend node. Its identity separates its calls from those of other nodes in the same process. */
type Node = { number(): Promise<number> };

type SuspendedCall = {
  generationId: string;
  context: RunContext;
  /** The questions asked so far, in order. Only the last one may be unanswered. */
  questions: Question[];
  controller: AbortController;
  result: Promise<ToolResult>;
};

type Question = { request: ToolInteraction; answered: boolean; settle: PromiseWithResolvers<unknown> };

/** Identifies a call and its node. */
export type SuspendedCallKey = { node: Node; generationId: string; toolCallId: string };

/** Runs a call, or resumes it if it is suspended here. */
export function runSuspendable(
  { node, generationId, toolCallId }: SuspendedCallKey,
  context: RunContext,
  work: (context: RunContext) => Promise<ToolResult>,
): Promise<ToolResult> {
  const calls = suspendedCalls.get(node) ?? new Map<string, SuspendedCall>();
  suspendedCalls.set(node, calls);
  const key = `${generationId}\n${toolCallId}`;
  const existing = calls.get(key);
  if (existing) return resumeCall(existing, context);
  const call: SuspendedCall = {
    generationId,
    context,
    questions: [],
    controller: new AbortController(),
    result: NO_RESULT_YET,
  };
  forwardAbort(call, context.signal);
  calls.set(key, call);
  call.result = work(createLastingContext(call)).finally(() => calls.delete(key));
  // Prevents an unhandled rejection: the caller may be gone, and the effect log has the result.
  call.result.catch(() => {});
  return call.result;
}

/** Returns whether a call of this generation is suspended on this node and waits for an answer. */
export function hasSuspendedCall(node: Node, generationId: string): boolean {
  return [...(suspendedCalls.get(node)?.values() ?? [])].some(
    (call) => call.generationId === generationId && call.questions.at(-1)?.answered === false,
  );
}

const NO_RESULT_YET = new Promise<ToolResult>(() => {});

/** Returns a context that outlives the run in which the call started. */
function createLastingContext(call: SuspendedCall): RunContext {
  const { toolCallId, interaction } = call.context;
  return {
    toolCallId,
    interaction,
    signal: call.controller.signal,
    report: (receipt) => call.context.report(receipt),
    log: (text) => call.context.log(text),
    requestInteraction: (request) => {
      const question: Question = { request, answered: false, settle: Promise.withResolvers() };
      call.questions.push(question);
      askQuestion(call, question);
      return question.settle.promise;
    },
  };
}

/** Attaches the call to a new run: answered questions are replayed in order, the open one is asked again. */
function resumeCall(call: SuspendedCall, context: RunContext): Promise<ToolResult> {
  call.context = context;
  forwardAbort(call, context.signal);
  for (const question of call.questions) {
    if (!question.answered) askQuestion(call, question);
    else
      void context
        .requestInteraction({ ...question.request, onResponse: IGNORE_RESPONSE, onTimeout: IGNORE_RESPONSE })
        .catch(() => {});
  }
  return call.result;
}

const IGNORE_RESPONSE = () => ({ complete: undefined });

function askQuestion(call: SuspendedCall, question: Question): void {
  const { request, settle } = question;
  const cancelQuestion = () => {
    question.answered = true;
    request.onCancel?.();
    settle.reject(new Problem("CANCELLED", "The request was canceled before it was answered."));
  };
  call.context.requestInteraction({ ...request, onCancel: cancelQuestion }).then(
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

function forwardAbort(call: SuspendedCall, signal: AbortSignal): void {
  if (signal.aborted) call.controller.abort(signal.reason);
  else signal.addEventListener("abort", () => call.controller.abort(signal.reason), { once: true });
}

/** A problem as stored in the database. The cause is only for the log and is not stored. */
export type StoredProblem = { code: string; message: string; hint: string; details: Record<string, unknown> };

export function toStoredProblem({ code, message, hint, details }: Problem): StoredProblem {
  return { code, message, hint, details };
}

export function fromStoredProblem({ code, message, hint, details }: StoredProblem): Problem {
  return new Problem(isErrorCode(code) ? code : "SERVICE_FAILED", message, { hint, details });
}
