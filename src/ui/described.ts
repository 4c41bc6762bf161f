import type { AskResponse } from "#protocol/ask";
import { clean } from "#protocol/clean";
import { wholeTexts } from "./whole-texts.ts";

/**
 * What a yes to an answer that waits for one would do: its message with every text in full that it names only in part, and what the model
 * said where it proposes nothing that could be shown. Cleaned.
 */
export function described(answer: AskResponse): string {
  const data = (answer.data ?? {}) as { plan?: unknown; response?: unknown };
  const isPlanned = Array.isArray(data.plan) && data.plan.length > 0;
  const said = !isPlanned && typeof data.response === "string" ? `\n\n${data.response}` : "";
  return clean(answer.message) + clean(said) + wholeTexts(data.plan, answer.message);
}
