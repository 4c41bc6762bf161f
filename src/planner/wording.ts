import type { ToolCatalogue } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { isServiceName } from "./field-words.ts";
import { isHeadingField } from "./fields.ts";
import { PREPOSITIONS } from "./grammar.ts";
import type { Language } from "./language.ts";
import { startsWithAction } from "./lexicon.ts";
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
  if (!isOther) return { request, kit };
  const known = yield* plan({ request, kit });
  const joint = findRequest(known, kit);
  if (joint !== undefined) return { request: cutText(request, joint, language), kit };
  return { request: takesOpen(known, yield* plan({ request: open, kit }), kit) ? open : request, kit };
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

/** Whether a name was given several things at once. */
function holdsList({ tool, input }: PlannedCall, { skills }: ToolCatalogue): boolean {
  const fields = skills.find(({ name }) => name === tool)?.fields ?? [];
  return fields.some(({ kind, name }) => kind === "name" && String(input[name] ?? "").includes(", "));
}

/** What stands before the next request in a text that was given: "Update the docs" of "Update the docs, assign it to me". */
function findRequest(outcomes: ClauseOutcome[], { skills }: ToolCatalogue): string | undefined {
  const calls = outcomes.flatMap((one) => (one.kind === "calls" ? one.calls : []));
  const texts = calls.flatMap(({ tool, input }) => {
    const fields = skills.find(({ name, access }) => name === tool && access !== "read")?.fields ?? [];
    return fields.flatMap((field) => {
      const value = field.kind === "text" ? String(input[field.name] ?? "") : "";
      const found = value.includes("\n") ? null : REQUEST.exec(value);
      if (!found) return [];
      const { 1: joint = "", index } = found;
      const [text, next] = [value.slice(0, index), value.slice(index + joint.length + 1)];
      // "Please review KAY-3, then close it" and "fix it, assign it to me" are messages.
      const isMessage = joint === " and" || startsWithAction(text) || ASKING.test(value) || THING.test(text);
      return startsWithAction(next) && (isHeadingField(field) || !isMessage) ? [text] : [];
    });
  });
  return texts[0];
}

/** A request whose last text ends before the next request. */
function cutText(request: Clause, text: string, language: Language): Clause {
  const start = request.words.at(-1)?.start ?? 0;
  const end = request.text.indexOf(text, start) + text.length;
  const rest = language.read(request.text.slice(end));
  const moved = rest.map((word) => ({ ...word, start: word.start + end, end: word.end + end }));
  return { ...request, words: [...language.read(request.text.slice(0, end)), ...moved] };
}

/** What joins a text and a request after it, and how that request begins. */
const REQUEST =
  /([,;.]?(?: and| then| also){1,3}|[,;]) \p{L}{1,20} (?:it|its|\p{Lu}[\p{Lu}\d_]{0,20}-\d{1,10})(?![\p{L}\d])/u;
const THING = /\b(?:it|this|that|\p{Lu}[\p{Lu}\d_]*-\d+)(?![\p{L}\d])/u;
const ASKING = /\b(?:please|will|should|can|could|must|need|let)\b|'ll\b/i;
