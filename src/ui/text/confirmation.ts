import { type AskResponse, PlannedCall } from "#protocol/ask";
import { clean } from "#protocol/clean";

/**
 * Formats the message of a confirmation: every text of the plan in full, and the model's answer if the plan has no
 * calls. The result is clean.
 */
export function formatConfirmation(answer: AskResponse): string {
  const data = (answer.data ?? {}) as { plan?: unknown; response?: unknown };
  const isPlanned = Array.isArray(data.plan) && data.plan.length > 0;
  const response = !isPlanned && typeof data.response === "string" ? `\n\n${data.response}` : "";
  return (
    clean(answer.message) + clean(response) + formatActors(data.plan) + formatHiddenTexts(data.plan, answer.message)
  );
}

/** Lists the accounts that the plan would use. */
function formatActors(plan: unknown): string {
  const accounts = (Array.isArray(plan) ? plan : []).map((call) => (call as { account?: unknown } | null)?.account);
  const named = new Set(accounts.filter((account) => typeof account === "string" && account.trim() !== ""));
  return named.size > 0 ? `\n\nActing as ${clean([...named].join(", "), { lines: false })}.` : "";
}

/**
 * Formats a text in full with each line indented. Long runs of white space, which could hide the rest, become a count.
 */
export function foldWhitespace(text: string): string {
  return clean(text)
    .replace(/\n(?:[ \t]*\n){3,}/g, (run) => `\n[${run.split("\n").length - 2} blank lines]\n`)
    .replace(/[ \t]{20,}/g, (run) => ` [${run.length} spaces] `)
    .replace(/^/gm, "  ");
}

/**
 * Formats the texts of a plan that its summaries do not show in full, so that users see everything they approve. Each
 * has the name of its field.
 *
 * @param plan `data.plan` of the answer; other values have no texts
 * @param shown text that the user sees already
 */
export function formatHiddenTexts(plan: unknown, shown: string): string {
  const calls = (Array.isArray(plan) ? plan : []).flatMap((call) => {
    const { success, data } = PlannedCall.safeParse(call);
    return success ? [data] : [];
  });
  return calls.map((call) => formatCallTexts(call, normalizeLine(shown))).join("");
}

function formatCallTexts({ tool, input }: PlannedCall, shown: string): string {
  const hidden = listTexts(input).filter(({ text }) => isText(text) && !shown.includes(normalizeLine(text)));
  return hidden
    .map(({ field, text }) => `\n\n${clean(`${tool} ${field}`, { lines: false })}:\n${foldWhitespace(text)}`)
    .join("");
}

/** Returns all texts of an input, including nested ones. Numbers and switches are left to the summary. */
function listTexts(value: unknown, field = ""): { field: string; text: string }[] {
  if (typeof value === "string") return [{ field, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => listTexts(inner, field ? `${field}.${name}` : name));
}

/**
 * Whether a text is more than one short word. Single words are keys, names or switches, which the summary may rephrase
 * ("you" for "me").
 */
function isText(text: string): boolean {
  return /\S\s+\S|\S{24}/.test(text);
}

function normalizeLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
