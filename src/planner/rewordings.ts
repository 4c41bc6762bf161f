import { arrange, type Clause, isQuestion, sliceText, toSubclause } from "./clauses.ts";
import { asShowing, CORRECTION } from "./follow-up.ts";
import { ARTICLES, isPlural, OPERATORS, ORDINALS, PREPOSITIONS, QUESTION_WORDS } from "./grammar.ts";
import { getWord, sliceLower, type Word } from "./language.ts";
import { isAction, isVerb } from "./lexicon.ts";
import { splitPart } from "./part.ts";
import { findTimes } from "./times.ts";

/** A request in other words. They mean the same only if `value` is a whole value. */
export type Rewording = { clause: Clause; value?: string };

/** The ways to say a request that was not understood in other words, the likeliest first. */
export function listRewordings(clause: Clause): Rewording[] {
  if (clause.words.length > MOST_WORDS) return [];
  const plain = [
    ...sayMove(clause),
    ...sayShow(clause),
    ...dropForMe(clause),
    ...sayThings(clause),
    ...readDash(clause),
  ];
  return [...plain.map((one) => ({ clause: one })), ...sayOwner(clause)].slice(0, MOST_TRIED);
}

/** "The second one" of what was found is to be shown. */
function sayShow(clause: Clause): Clause[] {
  const { words } = clause;
  const isOrdinal = ({ lower }: Word) => ORDINALS.has(lower);
  const isAll = words.every((word) => isOrdinal(word) || /^(?:the|one)$/.test(word.lower));
  return words.some(isOrdinal) && isAll ? [asShowing(clause)] : [];
}

/** "No, at 2": the event that was just created or moved is to be at another time. */
function sayMove(clause: Clause): Clause[] {
  const { words } = clause;
  const lead =
    CORRECTION.exec(sliceLower(words, 0, words.length))?.[0]
      .trim()
      .split(" ").length ?? 0;
  const [time, ...others] = lead > 0 ? findTimes(toSubclause(clause, words.slice(lead)), false) : [];
  if (!time || others.length > 0 || time.to - time.from < words.length - lead) return [];
  return [arrange(clause, [toWord("move"), toWord("it"), words.slice(lead)])];
}

/** "Summarize #eng for me" is polite; "the PRs for me" are not all PRs. */
function dropForMe(clause: Clause): Clause[] {
  const { words } = clause;
  const end = words.length - 2;
  const isPolite = /^for (?:me|us)$/.test(sliceLower(words, end, end + 2)) && !words.some(isPlural);
  return end > 0 && isPolite ? [toSubclause(clause, words.slice(0, end))] : [];
}

/** "List the subjects of the unread mails" shows the mails. */
function sayThings(clause: Clause): Clause[] {
  const split = splitPart(clause.words.slice(1));
  const isShown = SHOWS.has(getWord(clause.words, 0).lower);
  return split && isShown && isPlural(getWord(clause.words, 2)) ? [asShowing(toSubclause(clause, split.things))] : [];
}

/** "File a bug in KAY - Login fails": a dash leads to a text, as a colon does. */
function readDash(clause: Clause): Clause[] {
  const { words, text } = clause;
  const at = words.findIndex(({ text: mark, start }, index) => {
    const [before, next] = [getWord(words, index - 1), getWord(words, index + 1)];
    return /^[-–—]$/.test(mark) && index > 1 && before.end < start && start + 1 < next.start;
  });
  const [dash, first] = [words[at], words[at + 1]];
  if (!dash || !first || words.some(({ kind }) => kind === "literal")) return [];
  const rest = text.slice(first.start - (words[0]?.start ?? 0));
  const colon = { ...dash, text: ":", lower: ":" };
  const literal = { ...first, text: rest, lower: rest.toLowerCase(), lemma: "", stem: "", kind: "literal" as const };
  return [{ ...clause, words: [...words.slice(0, at), colon, { ...literal, end: first.start + rest.length }] }];
}

/** "KAY-3's status" is the status of KAY-3, and "Priya's open tickets" are those assigned to her. */
function sayOwner(clause: Clause): Rewording[] {
  const { words } = clause;
  const at = words.findIndex(({ lower }, index) => lower === "'s" && mayOwn(words[index - 1]));
  if (at < 1) return [];
  const starts = [at - 2, at - 1].filter((from) => from >= 0 && words.slice(from, at).every(mayOwn));
  const ends = [at + 4, at + 3, at + 2].filter((to) => to <= words.length && words.slice(at + 1, to).every(isPlain));
  return starts.flatMap((from) =>
    ends.flatMap((to) => {
      const [owner, owned] = [words.slice(from, at), words.slice(at + 1, to)];
      const areThings = isPlural(getWord(owned, owned.length - 1)) || owned.some(({ lower }) => OPERATORS.has(lower));
      // "Tom's email" is an address or a message; "what's tom's email" is an address.
      const isUnclear = !isQuestion(words) && to === words.length && /^e?-?mail$/.test(getWord(words, to - 1).lower);
      if (areThings ? isAction(words[0]) : isUnclear) return [];
      const leads = areThings ? OWNED : [[OF]];
      return leads.map((lead) => ({
        clause: arrange(clause, [words.slice(0, from), owned, ...lead, owner, words.slice(to)]),
        value: sliceText(clause, from, at),
      }));
    }),
  );
}

function mayOwn(word: Word | undefined): boolean {
  return word !== undefined && isPlain(word) && !/^(?:it|that|there|he|she)$/.test(word.lower) && !isVerb(word);
}

function isPlain({ kind, lower }: Word): boolean {
  return kind === "word" && lower !== "'s" && ![PREPOSITIONS, QUESTION_WORDS, ARTICLES].some((set) => set.has(lower));
}

function toWord(text: string): Word {
  return { text, lower: text, lemma: text, stem: text, stop: true, kind: "word", start: 0, end: text.length };
}

const OF = toWord("of");
const OWNED = ["assigned to", "owned by", "by", "from"].map((lead) => lead.split(" ").map(toWord));
const SHOWS = new Set("show list get give display see".split(" "));

/** Longer requests are not tried, since each try costs as much as the request. */
const MOST_WORDS = 20;
const MOST_TRIED = 16;
