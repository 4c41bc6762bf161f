import type { ModelMessage } from "ai";
import type { Clock, Fetch } from "#net/ports";
import { Problem } from "#protocol/errors";
import type { ModelTestResponse } from "#protocol/model";
import type { StepResult } from "../events.ts";
import { buildInstructions } from "../instructions.ts";
import { toResultMessage } from "../results.ts";
import { runModelStep } from "../step.ts";
import type { AgentTool } from "../tool.ts";
import type { ModelSettings } from "./decision.ts";
import { type SelectedModel, selectModel } from "./select.ts";

/** How long a test may take, in ms: a model that is first loaded into memory needs its time. */
const LIMIT_MS = 120_000;

/**
 * Ask the model one short question that needs a small tool, in the way every question is asked, and tell how it went. Costs a few hundred
 * tokens.
 *
 * @throws Problem MODEL_NOT_CONFIGURED, or the one that asking would end with
 */
export async function testModel(
  ports: { fetch: Fetch; clock: Clock; model(): ModelSettings },
  signal: AbortSignal,
): Promise<ModelTestResponse> {
  const { clock } = ports;
  const chosen = await selectModel(ports.model(), ports);
  const { name, label, provider } = chosen;
  const test: Test = { ...chosen, signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]), now: clock.now };
  const started = clock.now();
  const seen: Seen = { pieces: 0 };
  const messages: ModelMessage[] = [{ role: "user", content: QUESTION }];
  let answer = await step(test, messages, seen);
  const call = answer.calls.find(({ toolName, input }) => toolName === ADD.name && isRight(input));
  if (call) {
    const output = { from: "kay", text: "42", data: 42 };
    messages.push(answer.message, toResultMessage([{ call, output }]));
    answer = await step(test, messages, seen);
  }
  const ended = clock.now();
  return {
    name,
    label,
    offline: provider === "offline",
    first_ms: (seen.first ?? ended) - started,
    total_ms: ended - started,
    tools: call !== undefined,
    streaming: seen.pieces > 1,
    message: answer.text.trim(),
  };
}

type Test = SelectedModel & { signal: AbortSignal; now(): number };
type Seen = { first?: number; pieces: number };

async function step(test: Test, messages: ModelMessage[], seen: Seen): Promise<StepResult & { kind: "answer" }> {
  const { model, label, signal } = test;
  const tools = [ADD];
  const events = runModelStep({
    model,
    label,
    signal,
    messages,
    tools,
    instructions: buildInstructions(tools, test.now()),
  });
  for (;;) {
    const { done, value } = await events.next();
    if (done) return answer(value, label);
    seen.first ??= test.now();
    if (value.type === "text-delta" || value.type === "tool-input-delta" || value.type === "reasoning-delta")
      seen.pieces += 1;
  }
}

function answer(result: StepResult, label: string): StepResult & { kind: "answer" } {
  if (result.kind === "answer") return result;
  if (result.kind === "failed") throw result.problem;
  throw new Problem("MODEL_FAILED", `${label} did not answer within ${LIMIT_MS / 1000} s.`);
}

/** Models write numbers as texts now and then, which the tools' own checks take as well. */
function isRight(input: unknown): boolean {
  const { a, b } = (input ?? {}) as { a?: unknown; b?: unknown };
  return [Number(a), Number(b)].sort().join() === "17,25";
}

const ADD: AgentTool = {
  name: "kay.add",
  service: "kay",
  title: "Kay",
  description: "Add two numbers.",
  access: "read",
  examples: ["add {a} and {b}"],
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
