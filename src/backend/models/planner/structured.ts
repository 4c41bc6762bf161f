import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Decision } from "./plan.ts";
import { valueFor } from "./value.ts";

/** The conversation without what only asks for a better answer: the planner has no other. */
export function withoutMending(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const at = prompt.findIndex(({ providerOptions }) => providerOptions?.kay?.mend === true);
  return at < 0 ? prompt : prompt.toSpliced(at - 1, 2);
}

/** An answer as the value that is wanted, where the results have it; otherwise it stays in words, and says what it found. */
export function structured(
  decision: Decision,
  { providerOptions }: Pick<LanguageModelV4CallOptions, "providerOptions">,
): Decision {
  const schema = providerOptions?.kay?.outputSchema;
  if (typeof schema !== "string" || !("text" in decision) || !decision.results) return decision;
  const found = valueFor(JSON.parse(schema), decision.results);
  return found ? { text: JSON.stringify(found.value), bare: true } : decision;
}
