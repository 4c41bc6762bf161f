import { UnsupportedFunctionalityError } from "ai";
import type { AgentInput, Turn } from "../agent-input.ts";
import { toCall } from "../calls/checked-call.ts";
import type { AgentEvent, StepResult } from "../events.ts";
import { buildInstructions, type Surroundings } from "../instructions.ts";
import { buildCorrectionMessages } from "../output.ts";
import { describeRefusedFiles, loadFiles } from "./attachments.ts";
import { readModelFault } from "./model-fault.ts";
import { runModelStep } from "./model-step.ts";
import { findLongestResult, MAX_RESULT_LENGTH, toWireMessages } from "./wire-results.ts";

/** Tool results are not shortened below this many characters. */
const MIN_RESULT_LENGTH = 800;

/** How much shorter tool results get with each attempt. */
const SHORTENING = 4;

/**
 * Makes the model call of a step. If the conversation is too long for the model, long tool results are shortened and the
 * call is made again: the request itself is never left out.
 */
export async function* callModel(input: AgentInput, turn: Turn): AsyncGenerator<AgentEvent, StepResult> {
  for (;;) {
    const limit = turn.resultLimit ?? MAX_RESULT_LENGTH;
    const wire = input.slim ? toWireMessages(turn.messages, input.tools, limit) : turn.messages;
    const { messages, hasFiles } = await loadFiles(wire, input.files, turn.withoutFiles);
    const { result, hasStarted } = yield* makeCall(input, turn, messages);
    if (hasFiles && !hasStarted && isRefusal(result)) {
      // Many servers accept files in their API that their model does not read.
      turn.withoutFiles = true;
      yield { type: "data-notice", data: { text: describeRefusedFiles(turn.messages, input.label) } };
      continue;
    }
    if (result.kind === "answer" && input.modelName && (result.tokens.input || result.tokens.output))
      yield { type: "usage", model: input.modelName, tokens: result.tokens };
    const isTooLong = result.kind === "failed" && result.problem.code === "CONTEXT_TOO_LONG";
    if (!isTooLong || hasStarted || !input.slim) return result;
    const longest = findLongestResult(messages);
    if (longest <= MIN_RESULT_LENGTH) return result;
    turn.resultLimit = Math.max(MIN_RESULT_LENGTH, Math.floor(Math.min(limit, longest) / SHORTENING));
    if (turn.resultLimit >= limit) return result;
  }
}

/** Whether the provider rejected the request itself, which a request without files may cure. */
function isRefusal(result: StepResult): boolean {
  if (result.kind !== "failed") return false;
  const { code, cause } = result.problem;
  const status = readModelFault(cause)?.status ?? 0;
  // A request that is too large may be so by its files.
  if (code !== "MODEL_FAILED") return status === 413;
  return UnsupportedFunctionalityError.isInstance(cause) || [400, 415, 422].includes(status);
}

function describeSurroundings({ now, timeZone, instructions, defaults, services, tools }: AgentInput): Surroundings {
  const titles = new Map(tools.filter(({ own }) => !own).map(({ service, title }) => [service, title]));
  return {
    now,
    ...{ timeZone, instructions, defaults },
    services: services ?? [...titles].map(([name, title]) => ({ name, title, connected: true })),
  };
}

async function* makeCall(
  input: AgentInput,
  turn: Turn,
  messages: Turn["messages"],
): AsyncGenerator<AgentEvent, { result: StepResult; hasStarted: boolean }> {
  const { model, label, key, watch, tools, signal, expectedOutput } = input;
  const events = runModelStep({
    model,
    label,
    ...(key ? { key } : {}),
    watch,
    tools: input.offers?.(turn.messages, turn.memory) ?? tools,
    signal,
    messages: [...messages, ...(turn.mismatch ? buildCorrectionMessages(turn.mismatch) : [])],
    instructions: buildInstructions(describeSurroundings(input), {
      schema: expectedOutput?.schema,
      dryRun: input.dryRun !== undefined,
      plan: input.plan === true,
    }),
    ...(input.services
      ? { connected: input.services.filter(({ connected }) => connected).map(({ name }) => name) }
      : {}),
    ...(input.timeZone ? { timeZone: input.timeZone } : {}),
    earlierIds: turn.memory.map(({ call }) => toCall(call).toolCallId),
  });
  let hasStarted = false;
  for (;;) {
    const { done, value } = await events.next();
    if (done) return { result: value, hasStarted };
    hasStarted = true;
    yield value;
  }
}
