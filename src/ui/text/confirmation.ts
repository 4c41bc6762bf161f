import { type AskResponse, PlannedCall } from "#protocol/ask";
import { clean } from "#protocol/clean";

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

/** A text in full, each line indented, runs of white space that push the rest out of sight folded to their count. */
export function foldWhitespace(text: string): string {
  return clean(text)
    .replace(/\n(?:[ \t]*\n){3,}/g, (run) => `\n[${run.split("\n").length - 2} blank lines]\n`)
    .replace(/[ \t]{20,}/g, (run) => ` [${run.length} spaces] `)
    .replace(/^/gm, "  ");
}

/**
 * The texts of a plan which its summaries do not show whole, so that nobody says yes to what they could not read (case G07): each under
 * the name of its field, runs of white space that push the rest out of sight folded to their count.
 *
 * @param plan `data.plan` of the answer; anything else has no texts
 * @param shown what the person sees already
 */
export function formatHiddenTexts(plan: unknown, shown: string): string {
  const calls = (Array.isArray(plan) ? plan : []).flatMap((call) => {
    const { success, data } = PlannedCall.safeParse(call);
    return success ? [data] : [];
  });
  return calls.map((call) => getTexts(call, oneLine(shown))).join("");
}

function getTexts({ tool, input }: PlannedCall, shown: string): string {
  const hidden = leaves(input).filter(({ text }) => isText(text) && !shown.includes(oneLine(text)));
  return hidden
    .map(({ field, text }) => `\n\n${clean(`${tool} ${field}`, { lines: false })}:\n${foldWhitespace(text)}`)
    .join("");
}

/** Every text of an input, wherever it is nested. Numbers and switches are short, and the summary's own. */
function leaves(value: unknown, field = ""): { field: string; text: string }[] {
  if (typeof value === "string") return [{ field, text: value }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, field ? `${field}.${name}` : name));
}

/** A lone word is a key, a name or a switch: the summary has its own words for it ("you" for "me"). */
function isText(text: string): boolean {
  return /\S\s+\S|\S{24}/.test(text);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
