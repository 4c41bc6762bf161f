import type { AskRequest } from "#protocol/ask";
import { Problem } from "#protocol/errors";
import { type OutputCheck, readOutputSchema } from "#protocol/output/schema";
import { toLine } from "#ui/text/words";
import type { Kay } from "../kay.ts";
import { readTextFile } from "./text-file.ts";

/** Options of `kay ask` that constrain the answer. */
export type OutputOptions = { outputSchema?: string; maxSteps?: string };

/** The constraints as fields of the request, and the check of the answer. */
export type AnswerLimits = { fields: Pick<AskRequest, "output_schema" | "max_steps">; check?: OutputCheck };

/** Reads the constraints of the answer. @throws Problem USAGE */
export async function readAnswerLimits(kay: Kay, { outputSchema, maxSteps }: OutputOptions): Promise<AnswerLimits> {
  const max_steps = maxSteps === undefined ? undefined : getSteps(maxSteps);
  const steps = max_steps === undefined ? {} : { max_steps };
  if (outputSchema === undefined) return { fields: steps };
  const output_schema = await readSchema(kay, outputSchema);
  try {
    return { fields: { ...steps, output_schema }, check: await readOutputSchema(output_schema) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem("USAGE", error.message, { hint: SCHEMA_HINT, cause: error });
  }
}

/** Checks the value of an answer against the schema, because the backend may not have. @throws Problem BAD_ANSWER */
export function checkOutputValue(check: OutputCheck | undefined, output: { value: unknown } | undefined): void {
  if (check === undefined) return;
  const result = output && check(JSON.stringify(output.value));
  if (result && "value" in result) return;
  throw new Problem("BAD_ANSWER", "The backend's answer does not contain the requested value.");
}

/** Returns the value in the answer object; only kay's backends send one. */
export function getOutput(data: unknown): { value: unknown } | undefined {
  if (typeof data !== "object" || data === null || !Object.hasOwn(data, "output")) return undefined;
  return { value: (data as { output: unknown }).output };
}

function getSteps(option: string): number {
  const steps = /^\d{1,2}$/.test(option) ? Number(option) : 0;
  if (steps >= 1 && steps <= MOST_STEPS) return steps;
  throw new Problem("USAGE", `${JSON.stringify(toLine(option))} is not a valid number of steps.`, {
    hint: `Set --max-steps to a number from 1 to ${MOST_STEPS}.`,
  });
}

async function readSchema(kay: Kay, option: string): Promise<Record<string, unknown>> {
  const isInline = option.trimStart().startsWith("{");
  const text = isInline ? option : await readTextFile(kay, option, MOST_BYTES);
  const subject = isInline ? "The output schema" : JSON.stringify(toLine(option));
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === "object" && schema !== null && !Array.isArray(schema))
      return schema as Record<string, unknown>;
  } catch (cause) {
    throw new Problem("USAGE", `${subject} is not JSON.`, { hint: SCHEMA_HINT, cause });
  }
  throw new Problem("USAGE", `${subject} is not a JSON Schema: it must be an object.`, { hint: SCHEMA_HINT });
}

const SCHEMA_HINT = "Pass a JSON Schema to --output-schema: a file, or the object itself.";

const MOST_STEPS = 20;

/** Maximum size of a schema file. */
const MOST_BYTES = 256 * 1024;
