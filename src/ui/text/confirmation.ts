import type { AskResponse } from "#protocol/ask";
import { clean } from "#protocol/clean";
import { formatHiddenTexts } from "../whole-texts.ts";

/**
 * What a yes to an answer that waits for one would do: its message with every text in full that it names only in part, and what the model
 * said where it proposes nothing that could be shown. Cleaned.
 */
export function formatConfirmation(answer: AskResponse): string {
  const data = (answer.data ?? {}) as { plan?: unknown; response?: unknown };
  const isPlanned = Array.isArray(data.plan) && data.plan.length > 0;
  const said = !isPlanned && typeof data.response === "string" ? `\n\n${data.response}` : "";
  return clean(answer.message) + clean(said) + actors(data.plan) + formatHiddenTexts(data.plan, answer.message);
}

/** Who would do it, each account once. */
function actors(plan: unknown): string {
  const accounts = (Array.isArray(plan) ? plan : []).map((call) => (call as { account?: unknown } | null)?.account);
  const named = new Set(accounts.filter((account) => typeof account === "string" && account.trim() !== ""));
  return named.size > 0 ? `\n\nActing as ${clean([...named].join(", "), { lines: false })}.` : "";
}
