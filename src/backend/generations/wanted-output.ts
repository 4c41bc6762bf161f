import type { ModelMessage } from "ai";
import { type ExpectedOutput, outputInvalidProblem, toMismatch } from "#agent/output";
import { readOutputSchema } from "#protocol/output/schema";
import type { GenerationRequest } from "../store/generation-state.ts";
import { getText } from "./recorder.ts";
import type { ClaimedRow, LoopResult } from "./work.ts";

/** Returns the required form of a generation's answer, if one was given. @throws Problem INVALID_REQUEST */
export async function readExpectedOutput({
  limits,
}: Pick<GenerationRequest, "limits">): Promise<ExpectedOutput | undefined> {
  const schema = limits.outputSchema;
  return schema && { schema, check: await readOutputSchema(schema) };
}

/**
 * Returns the final answer if the last step was stored before a crash and only the end of the generation is missing.
 */
export function findStoredAnswer(
  { steps, step }: ClaimedRow,
  messages: ModelMessage[],
  output: ExpectedOutput | undefined,
): LoopResult | undefined {
  const last = messages.at(-1);
  if (steps === 0 || step !== null || last?.role !== "assistant") return undefined;
  const text = getText(last);
  const result = output?.check(text);
  if (result === undefined) return { kind: "answered", text };
  if ("value" in result) return { kind: "answered", text, output: result };
  return { kind: "error", problem: outputInvalidProblem(toMismatch(text, result.problems)) };
}

/** Returns the value of an answer as a field of its `data`. */
export function toOutputField(end: LoopResult): { output?: unknown } {
  return end.kind === "answered" && end.output ? { output: end.output.value } : {};
}
