import { AsyncLocalStorage } from "node:async_hooks";
import type { Access } from "#connectors/tool";
import { rankNames } from "#protocol/closest-name";
import { Problem } from "#protocol/errors";
import { isNestedDeeper } from "#protocol/json";
import type { AgentEvent, Call, Outcome, Wait } from "../events.ts";
import { MAX_INPUT_DEPTH } from "../limits.ts";
import { recordOutcome } from "../observe.ts";
import type { AgentTool } from "../tool.ts";
import { adaptInput } from "./adapt-input.ts";
import { type CheckedCall, type RejectedCall, toCall } from "./checked-call.ts";
import { rejectUnknownFields } from "./input.ts";
import { askAboutWrites, isWrite, type Run, runCall, toProblem } from "./run-call.ts";

/** Finds a call's tool and validates its input. An invalid call becomes a result that the model can react to. */
export function checkCall(call: Call, tools: AgentTool[]): CheckedCall | RejectedCall {
  const match = tools.find(({ name }) => name === call.toolName);
  if (match === undefined) {
    return { call, problem: unknownToolProblem(call.toolName, tools) };
  }
  try {
    const input = adaptInput(match.schema, call.input);
    if (typeof input === "string") throw invalidJsonProblem(match.name);
    rejectUnknownFields(match, input);
    if (isNestedDeeper(input, MAX_INPUT_DEPTH))
      throw new Problem("INVALID_REQUEST", `The input is nested more than ${MAX_INPUT_DEPTH} levels deep.`, {
        hint: "",
      });
    const parsed = match.parse(input);
    const tool = match.specific?.(parsed) ?? match;
    return { ...call, tool, access: tool.access, parsed, summary: tool.summary(parsed) };
  } catch (error) {
    const problem = toProblem(error, "INVALID_REQUEST", `The input of ${call.toolName} is not accepted.`);
    return { call, access: match.access, problem };
  }
}

/** Models cut arguments, or mix several into one text. */
function invalidJsonProblem(tool: string): Problem {
  return new Problem("INVALID_REQUEST", `The input of ${tool} is not valid JSON. Send one complete JSON object.`, {
    hint: "",
  });
}

/** Suggests a few similar tools, since the whole list can be longer than the conversation. */
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
 * Runs a step's calls and returns their results in the order of the calls. Reads run together. Writes are asked
 * together and run one after another, in the model's order. While other calls run, a waiting call is retried whenever
 * its answer may have arrived. Calls that still wait at the end are returned as waits.
 */
export async function* runCalls(
  calls: (CheckedCall | RejectedCall)[],
  run: Run,
): AsyncGenerator<AgentEvent, { outcomes: Outcome[] } | { waits: Wait[] }> {
  const events = createChannel<AgentEvent>();
  const outcomes: (Outcome | undefined)[] = calls.map((call) => run.ports?.findOutcome(getCallId(call)));
  const waits = new Map<number, Wait>();
  const active = new Set<number>();
  let running = 0;
  let isAsking = true;
  let fatalError: unknown;
  const start = async (index: number): Promise<void> => {
    running++;
    active.add(index);
    waits.delete(index);
    const result = await runCall(calls, index, outcomes, run, events.push).catch((error: unknown) => {
      fatalError = error;
    });
    active.delete(index);
    if (result && "kind" in result) waits.set(index, result);
    else if (result) {
      outcomes[index] = result;
      recordOutcome(run.watch, calls[index] as CheckedCall | RejectedCall, result);
      events.push({ type: "outcome", outcome: result });
      events.push(buildOutcomeEvent(result, calls[index]?.access));
    }
    if (outcomes[index] && isWrite(calls[index] as CheckedCall)) startNextWrite();
    if (--running === 0) events.end();
  };
  const findNextWrite = () => calls.findIndex((call, index) => isWrite(call) && outcomes[index] === undefined);
  /** Starts the first write that has not run. Its question, if there is one, may have been answered before its turn. */
  const startNextWrite = () => {
    const nextWrite = findNextWrite();
    if (nextWrite >= 0 && !active.has(nextWrite) && !isAsking && fatalError === undefined) void start(nextWrite);
  };
  const askThenWrite = async () => {
    running++;
    const newWaits = await askAboutWrites(calls, outcomes, run).catch((error: unknown) => {
      fatalError = error;
      return [];
    });
    for (const wait of newWaits) waits.set(calls.map(getCallId).indexOf(wait.toolCallId), wait);
    isAsking = false;
    if (!waits.has(findNextWrite())) startNextWrite();
    if (--running === 0) events.end();
  };
  /**
   * Retries the waiting calls whose requests are answered; a write only in its turn. Concurrent notifications are merged.
   * A call that began to wait during the read is left out: its answer notifies again.
   */
  const retryWaiting = async (): Promise<void> => {
    if (running === 0) return;
    running++;
    const earlierWaits = [...waits];
    const open = await loadOpenRequests(calls, run);
    for (const [index, wait] of earlierWaits) {
      const isNext = !isWrite(calls[index] as CheckedCall) || index === findNextWrite();
      if (waits.get(index) === wait && isNext && !open.has(getCallId(calls[index]))) void start(index);
    }
    if (--running === 0) events.end();
  };
  // Keeps the caller's trace context out of the retries: `onChange` may fire inside another request.
  const stop = run.ports?.onChange(AsyncLocalStorage.bind(coalesce(retryWaiting)));
  const open = await loadOpenRequests(calls, run);
  const pending = calls.flatMap((call, index) =>
    outcomes[index] === undefined ? [{ call, index, wait: open.get(getCallId(call)) }] : [],
  );
  for (const { call, index, wait } of pending) {
    if (wait) waits.set(index, wait);
    else if (!isWrite(call)) void start(index);
  }
  void askThenWrite();
  yield* events.drain();
  stop?.();
  if (fatalError !== undefined) throw fatalError;
  const finalOutcomes = outcomes.filter((outcome) => outcome !== undefined);
  return finalOutcomes.length === calls.length
    ? { outcomes: finalOutcomes }
    : { waits: [...waits].sort(([a], [b]) => a - b).map(([, wait]) => wait) };
}

/** Returns the open requests. If they cannot be read, each call finds out on its own attempt. */
async function loadOpenRequests(calls: (CheckedCall | RejectedCall)[], { ports }: Run): Promise<Map<string, Wait>> {
  const tools = calls.flatMap((call) => ("problem" in call ? [] : [call.tool.name]));
  return (await ports?.loadOpenRequests(tools).catch(() => undefined)) ?? new Map();
}

function getCallId(call: CheckedCall | RejectedCall | undefined): string {
  return call ? toCall(call).toolCallId : "";
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

/** Creates a queue with many writers and one reader: `drain` yields pushed items in order until `end`. */
function createChannel<T>(): { push(item: T): void; end(): void; drain(): AsyncGenerator<T> } {
  const items: T[] = [];
  let isEnded = false;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  return {
    push: (item) => {
      items.push(item);
      notify();
    },
    end: () => {
      isEnded = true;
      notify();
    },
    async *drain() {
      for (;;) {
        while (items.length > 0) yield items.shift() as T;
        if (isEnded) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Wraps `work` so that it never runs twice at once. Calls made during a run cause one more run afterwards. */
function coalesce(work: () => Promise<void>): () => void {
  let state: "idle" | "busy" | "again" = "idle";
  return function runOrRepeat() {
    if (state !== "idle") {
      state = "again";
      return;
    }
    state = "busy";
    void work().finally(() => {
      const mustRepeat = state === "again";
      state = "idle";
      if (mustRepeat) runOrRepeat();
    });
  };
}
