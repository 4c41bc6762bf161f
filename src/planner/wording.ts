import type { ToolCatalogue } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { isServiceName } from "./field-words.ts";
import { isHeadingField } from "./fields.ts";
import { PREPOSITIONS } from "./grammar.ts";
import type { Language } from "./language.ts";
import { isWhole, planRequests } from "./outcomes.ts";
import type { ClauseOutcome, PlannedCall } from "./plan.ts";
import type { Steps } from "./steps.ts";

/** A request as it is to be read, and the tools that may answer it. */
export type Wording = { request: Clause; kit: ToolCatalogue };

/** Most words of a request, with a quoted text as one. */
export const MAX_WORDS = 60;

/**
 * Chooses how to read a request. "In jira: close KAY-3" is "close KAY-3", for Jira alone; and what follows a colon may be
 * words rather than a text: "KAY backlog: what is open?".
 */
export function* chooseWording(request: Clause, kit: ToolCatalogue, language: Language): Steps<Wording> {
  const placed = readPlace(request, kit, language);
  const inside = placed && (yield* chooseWording(placed.request, placed.kit, language));
  if (inside && (yield* plan(inside)).every(isWhole)) return inside;
  const open = { ...request, words: language.read(request.text, true) };
  const isOther = open.words.length !== request.words.length && open.words.length <= MAX_WORDS;
  if (isOther && takesOpen(yield* plan({ request, kit }), yield* plan({ request: open, kit }), kit))
    return { request: open, kit };
  return { request, kit };
}

function plan({ request, kit }: Wording): Steps<ClauseOutcome[]> {
  return planRequests(request, kit, [], {});
}

/** A request after the service that it begins with: "in jira, …", "jira: …". */
function readPlace({ words, text, ...rest }: Clause, kit: ToolCatalogue, language: Language): Wording | undefined {
  const from = PREPOSITIONS.has(words[0]?.lower ?? "") ? 1 : 0;
  for (const size of [3, 2, 1]) {
    const span = words.slice(from, from + size);
    const skills = kit.skills.filter((skill) => span.length === size && isServiceName(skill, span));
    const isMarked = /^[:,]$/.test(words[from + size]?.text ?? "");
    const next = words[from + size + (isMarked ? 1 : 0)];
    if (skills.length === 0 || next === undefined || (from === 0 && !isMarked)) continue;
    const inner = text.slice(next.start).trim();
    return { request: { ...rest, text: inner, words: language.read(inner), placed: true }, kit: { ...kit, skills } };
  }
  return undefined;
}

/** Whether what follows a colon is better read as words. */
function takesOpen(known: ClauseOutcome[], open: ClauseOutcome[], kit: ToolCatalogue): boolean {
  if (!open.every((one) => one.kind === "calls" || (one.kind === "missing" && one.later))) return false;
  if (known.some(({ kind }) => kind === "words")) return true;
  const [only, ...others] = known;
  return others.length === 0 && only?.kind === "calls" && only.calls.some((call) => holdsList(call, kit));
}

/** Whether a name was given several things at once, or a title what is to be done with its thing. */
function holdsList({ tool, input }: PlannedCall, { skills }: ToolCatalogue): boolean {
  const fields = skills.find(({ name }) => name === tool)?.fields ?? [];
  return fields.some((field) => {
    const value = String(input[field.name] ?? "");
    return field.kind === "name" ? value.includes(", ") : isHeadingField(field) && REQUEST.test(value);
  });
}

/** "Update the docs, assign it to me". */
const REQUEST = /(?:,| and| then) \p{L}+ (?:it|its)(?= |$)/u;
