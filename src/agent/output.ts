import type { ModelMessage } from "ai";
import { Problem } from "#protocol/errors";
import type { OutputCheck, OutputProblem } from "#protocol/output/schema";

/** The value that an answer is to be: its JSON Schema, and what looks for it in the text of an answer. */
export type WantedOutput = { schema: Record<string, unknown>; check: OutputCheck };

/** An answer that is not that, and why. */
export type OutputMismatch = { text: string; problems: OutputProblem[] };

/**
 * What a model is told of the wanted value. The schema goes into words, for every model: what providers have for this differs, takes only
 * some schemas, and excludes tools at some of them.
 */
export function buildOutputInstructions(schema: Record<string, unknown>): string {
  return [
    "Your last message, when you need no more tools, is read by a program: it must be one JSON value that matches this JSON Schema,",
    "without any word before or after it and without Markdown. Fill it only with what the tools brought or the person said.",
    JSON.stringify(schema),
  ].join("\n");
}

/** The exchange that asks for a matching answer. It is no part of the conversation: who goes on with that sees the answer that counts. */
export function buildCorrectionMessages({ text, problems }: OutputMismatch): ModelMessage[] {
  const list = problems.map((problem) => `- ${words(problem)}`).join("\n");
  return [
    { role: "assistant", content: text.trim() || "(no answer)" },
    {
      role: "user",
      content: `This does not match the JSON Schema of the answer:\n${list}\nSend the whole JSON value again, corrected, and nothing else.`,
      // For the offline planner only, which takes no part of a conversation for a request that is none.
      providerOptions: { kay: { mend: true } },
    },
  ];
}

/** An answer as it is kept until it is mended, and shown where it is not. */
export function toMismatch(text: string, problems: OutputProblem[]): OutputMismatch {
  return { text: text.length > MOST ? `${text.slice(0, MOST)}…` : text, problems };
}

/** The end of a generation whose answer is not what was wanted. */
export function outputInvalidProblem({ text, problems }: OutputMismatch): Problem {
  const [first] = problems;
  const why = first ? `: ${words(first)}` : "";
  return new Problem("OUTPUT_INVALID", `The answer does not match the output schema${why}.`, {
    details: { problems, text },
  });
}

function words({ path, message }: OutputProblem): string {
  return `${path || "it"} ${message}`;
}

/** Characters of an answer that did not match. */
const MOST = 20_000;
