import type { Skill } from "./catalogue.ts";
import type { Value } from "./clauses.ts";
import { leadsTo } from "./field-words.ts";
import { type Field, isFieldWord } from "./fields.ts";
import { ARTICLES } from "./grammar.ts";
import type { Word } from "./language.ts";

/** Words of a clause that give a field its value: "in KAY", "KAY-3", "from tom", "5". */
export type Phrase = {
  field: Field;
  from: number;
  /** Exclusive. */
  to: number;
  /** Without one, the words point at something that is not known. */
  value: Value | Value[] | undefined;
  /** A second field that the same words fill, such as the end of a range. */
  also?: { field: Field; value: Value }[];
  /** Gain anywhere in the clause; without one, the words are a value only in the slot of an example. */
  weight?: number;
  /** Likeness of what stands in a slot to a value, where it has no weight. */
  quality?: number;
  /** A word such as "it" that stands for a thing of the conversation, with what it is called. */
  refers?: boolean;
  /** Its look alone says what it is: a key, an address, a known value. */
  particular: boolean;
};

/** Where a phrase may begin to the left of its value: at its article, its own noun, or the word that leads to it. */
export function listLeads(skill: Skill, field: Field, words: Word[], at: number): number[] {
  const starts: number[] = [];
  let from = at;
  if (words[from - 1]?.lower === "is") from--;
  if (isFieldWord(field, words[from - 1])) starts.push(--from);
  if (ARTICLES.has(words[from - 1]?.lower ?? "")) from--;
  if (isFieldWord(field, words[from - 1])) starts.push(--from);
  const lead = words[from - 1];
  if (
    lead &&
    (leadsTo(skill, field, lead) ||
      (field.closed && WITH.has(lead.lower)) ||
      (starts.length > 0 && WITH.has(lead.lower)))
  ) {
    starts.push(--from);
    // "Assigned to Mia", "labelled as bug".
    if (isFieldWord(field, words[from - 1])) starts.push(--from);
  }
  if (skill.access !== "read" && starts.length > 0 && words[from - 1]?.lower === "and") starts.push(--from);
  return starts;
}

const WITH = new Set("in with as of is are on at for".split(" "));
