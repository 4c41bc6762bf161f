import type { ModelMessage } from "ai";
import { Problem } from "#protocol/errors";
import type { OutputCheck, OutputProblem } from "#protocol/output/schema";

/** The value that an answer must be: its JSON Schema, and the check that finds it in an answer's text. */
export type ExpectedOutput = { schema: Record<string, unknown>; check: OutputCheck };

/** An answer that does not match the schema, and the reasons. */
export type OutputMismatch = { text: string; problems: OutputProblem[] };

/**
 * Builds the instructions for structured output. The schema is part of the prompt because providers' own support
 * differs, limits schemas, and sometimes excludes tools.
 */
export function buildOutputInstructions(schema: Record<string, unknown>): string {
  return [
    "When you need no more tools, your last message is read by a program: it must be one JSON value that matches this JSON Schema,",
    "without any text before or after it and without Markdown. Fill it only with values from tool results or from the user.",
    JSON.stringify(schema),
  ].join("\n");
}

/**
 * Builds the messages that ask the model to correct its answer. They are not stored in the conversation, which keeps
 * only the final answer.
 */
export function buildCorrectionMessages({ text, problems }: OutputMismatch): ModelMessage[] {
  const list = problems.map((problem) => `- ${formatProblem(problem)}`).join("\n");
  return [
    { role: "assistant", content: text.trim() || "(no answer)" },
    {
      role: "user",
      content: `This does not match the JSON Schema of the answer:\n${list}\nSend the whole JSON value again, corrected, and nothing else.`,
    },
  ];
}

/** Returns a mismatch with the answer shortened for storage and display. */
export function toMismatch(text: string, problems: OutputProblem[]): OutputMismatch {
  return { text: text.length > MAX_ANSWER_LENGTH ? `${text.slice(0, MAX_ANSWER_LENGTH)}…` : text, problems };
}

/** Creates the error for a generation whose final answer does not match the schema. */
export function outputInvalidProblem({ text, problems }: OutputMismatch): Problem {
  const [first] = problems;
  const reason = first ? `: ${formatProblem(first)}` : "";
  return new Problem("OUTPUT_INVALID", `The answer does not match the output schema${reason}.`, {
    details: { problems, text },
  });
}

function formatProblem({ path, message }: OutputProblem): string {
  return `${path || "it"} ${message}`;
}

/** Characters kept of an answer that did not match. */
const MAX_ANSWER_LENGTH = 20_000;
