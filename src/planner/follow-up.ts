import type { Skill } from "./catalogue.ts";
import { type Clause, toSubclause } from "./clauses.ts";
import { PREPOSITIONS } from "./grammar.ts";
import type { Word } from "./language.ts";
import type { Steps } from "./steps.ts";
import { type Reading, rankReadings } from "./understand.ts";

/**
 * "Same but for OPS", "only the bugs", "what about tom?", "and the closed ones": the last look once more, with other
 * values. Returns undefined where that does not account for every word.
 */
export function* readFollowUp(clause: Clause, skills: Skill[]): Steps<Reading | undefined> {
  const [last] = clause.memory.asked;
  const skill = skills.find(({ name, access }) => name === last?.tool && access === "read");
  const rest = getChange(clause.words);
  if (!last || !skill || !rest) return undefined;
  for (const words of [rest, withPlace(rest)]) {
    const [reading] = yield* rankReadings(asShowing({ ...toSubclause(clause, rest), words }), [skill]);
    if (!reading || reading.loose.length > 0 || Object.keys(reading.input).length === 0) continue;
    const isDated = skill.fields.some(({ kind, name }) => kind === "date" && reading.input[name] !== undefined);
    const before = Object.entries(last.input).filter(
      ([name]) => !(isDated && skill.fields.some((field) => field.name === name && field.kind === "date")),
    );
    const input = { ...(Object.fromEntries(before) as Reading["input"]), ...reading.input };
    const missing = reading.missing.filter(({ name }) => input[name] === undefined);
    return { ...reading, input, missing };
  }
  return undefined;
}

/** Some words as a request to see what they name. */
export function asShowing(part: Clause): Clause {
  const [first] = part.words;
  if (first === undefined) return part;
  const show = { text: "show", lower: "show", lemma: "show", stem: "show", stop: true, kind: "word" } as const;
  return { ...part, words: [{ ...show, start: first.start, end: first.start }, ...part.words] };
}

/** What is to be other than before, if the words say that they change the last request. */
function getChange(words: Word[]): Word[] | undefined {
  const text = words.map(({ lower }) => lower).join(" ");
  const lead = LEAD.exec(text)?.[0].trim().split(" ").length ?? 0;
  const rest = words.slice(lead).filter(({ lower }) => !ONES.has(lower));
  const isChange = lead > 0 || PREPOSITIONS.has(words[0]?.lower ?? "") || rest.length < words.length - lead;
  return isChange && rest.length > 0 ? rest : undefined;
}

/** "For OPS" as "in OPS". */
function withPlace(words: Word[]): Word[] {
  const [first, ...others] = words;
  return first?.lower === "for" ? [{ ...first, text: "in", lower: "in", lemma: "in", stem: "in" }, ...others] : words;
}

const LEAD = /^(?:(?:the )?same(?: thing| again)?(?: but)?(?: only)?|(?:but )?only|(?:what|how) about)\b/;
const ONES = new Set(["ones", "those"]);
