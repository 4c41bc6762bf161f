import type { ModelMessage } from "ai";
import type { Clock, Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";
import type { ModelTestResponse } from "#protocol/model";
import type { StepResult } from "../events.ts";
import { buildInstructions } from "../instructions.ts";
import { toResultMessage } from "../results.ts";
import { runModelStep } from "../steps/model-step.ts";
import type { AgentTool } from "../tool.ts";
import type { ModelSettings } from "./decision.ts";
import { type SelectedModel, selectModel } from "./select.ts";

/** Time limit of a test, in ms. Loading a model into memory can take a minute or more. */
const LIMIT_MS = 120_000;

/**
 * Asks the model one short question that needs a tool, through the code path of every request. Costs a few hundred
 * tokens.
 *
 * @throws Problem MODEL_NOT_CONFIGURED, or the problem that the request would end with
 */
export async function testModel(
  ports: { fetch: Fetch; clock: Clock; model(): ModelSettings },
  signal: AbortSignal,
): Promise<ModelTestResponse> {
  const { clock } = ports;
  const selection = await selectModel(ports.model(), ports);
  const { name, label, provider } = selection;
  const test: ModelTest = {
    ...selection,
    signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    now: clock.now,
  };
  const startMs = clock.now();
  const progress: TestProgress = { pieces: 0 };
  const messages: ModelMessage[] = [{ role: "user", content: QUESTION }];
  let answer = await runTestStep(test, messages, progress);
  const call = answer.calls.find(({ toolName, input }) => toolName === ADD.name && isExpectedInput(input));
  if (call) {
    const output = { from: "kay", text: "42", data: 42 };
    messages.push(answer.message, toResultMessage([{ call, output }]));
    answer = await runTestStep(test, messages, progress);
  }
  const endMs = clock.now();
  return {
    name,
    label,
    offline: provider === "offline",
    first_ms: (progress.first ?? endMs) - startMs,
    total_ms: endMs - startMs,
    tools: call !== undefined,
    streaming: progress.pieces > 1,
    message: answer.text.trim(),
  };
}

type ModelTest = SelectedModel & { signal: AbortSignal; now(): number };
type TestProgress = { first?: number; pieces: number };

async function runTestStep(
  test: ModelTest,
  messages: ModelMessage[],
  progress: TestProgress,
): Promise<StepResult & { kind: "answer" }> {
  const { model, label, key, signal } = test;
  const tools = [ADD];
  const events = runModelStep({
    model,
    label,
    ...(key ? { key } : {}),
    signal,
    messages,
    tools,
    instructions: buildInstructions({ now: test.now(), services: [] }),
  });
  for (;;) {
    const { done, value } = await events.next();
    if (done) return requireAnswer(value, label);
    progress.first ??= test.now();
    if (value.type === "text-delta" || value.type === "tool-input-delta" || value.type === "reasoning-delta")
      progress.pieces += 1;
  }
}

function requireAnswer(result: StepResult, label: string): StepResult & { kind: "answer" } {
  if (result.kind === "answer") return result;
  if (result.kind === "failed") throw result.problem;
  throw new Problem("MODEL_FAILED", `${label} did not answer within ${LIMIT_MS / 1000} s.`);
}

/** Accepts numbers written as strings, which models sometimes send; the tools accept them too. */
function isExpectedInput(input: unknown): boolean {
  const { a, b } = (input ?? {}) as { a?: unknown; b?: unknown };
  return [Number(a), Number(b)].sort().join() === "17,25";
}

const ADD: AgentTool = {
  name: "kay.add",
  service: "kay",
  title: "Kay",
  description: "Add two numbers.",
  access: "read",
  examples: ["add {a} and {b}", "add {a} and {b} with the tool, then say the result in one short sentence"],
  schema: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
    additionalProperties: false,
  },
  parse: (input) => input as Record<string, unknown>,
  summary: () => "Add two numbers",
  run: async () => ({ data: null, text: "" }),
};

const QUESTION = "Add 17 and 25 with the tool, then say the result in one short sentence.";
