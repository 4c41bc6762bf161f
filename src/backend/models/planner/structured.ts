import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { PlannerDecision } from "#planner/plan";
import { buildValue } from "#planner/value";

/** The conversation without what only asks for a better answer: the planner has no other. */
export function dropCorrections(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const at = prompt.findIndex(({ providerOptions }) => providerOptions?.kay?.mend === true);
  return at < 0 ? prompt : prompt.toSpliced(at - 1, 2);
}

/** An answer as the value that is wanted, where the results have it; otherwise it stays in words, and says what it found. */
export function toStructured(
  decision: PlannerDecision,
  { providerOptions }: Pick<LanguageModelV4CallOptions, "providerOptions">,
): PlannerDecision {
  const schema = providerOptions?.kay?.outputSchema;
  if (typeof schema !== "string" || !("text" in decision) || !decision.results) return decision;
  const found = buildValue(JSON.parse(schema), decision.results);
  return found ? { text: JSON.stringify(found.value), bare: true } : decision;
}
