import type { ModelMessage } from "ai";
import { readOutputSchema } from "#protocol/output/schema";
import { invalidOutput, mismatchOf, type Wanted } from "../agent/output.ts";
import type { StoredGeneration } from "../store/generations.ts";
import type { GenerationOptions } from "./options.ts";
import { type RunEnd, textOf } from "./record.ts";

/** What the answer of a generation is to be, where that was said. @throws Problem INVALID_REQUEST */
export async function wantedOf({ bounds }: Pick<GenerationOptions, "bounds">): Promise<Wanted | undefined> {
  const schema = bounds?.outputSchema;
  return schema && { schema, check: await readOutputSchema(schema) };
}

/** The end that the last step was, where that was stored before a crash, and only the end is missing. */
export function storedAnswer(
  { steps, step }: StoredGeneration,
  messages: ModelMessage[],
  wanted: Wanted | undefined,
): RunEnd | undefined {
  const last = messages.at(-1);
  if (steps === 0 || step !== null || last?.role !== "assistant") return undefined;
  const text = textOf(last);
  const checked = wanted?.check(text);
  if (checked === undefined) return { kind: "answered", text };
  if ("value" in checked) return { kind: "answered", text, output: checked };
  return { kind: "error", problem: invalidOutput(mismatchOf(text, checked.problems)) };
}

/** The value of an answer, as a field of its `data`. */
export function outputField(end: RunEnd): { output?: unknown } {
  return end.kind === "answered" && end.output ? { output: end.output.value } : {};
}
