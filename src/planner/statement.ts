import type { Clause } from "./clauses.ts";
import { KEY } from "./field-words.ts";
import type { Memory } from "./memory.ts";

/**
 * "KAY-9 is finished, mark it done": what is said of a thing before something is asked for. What follows may refer to
 * it. Returns undefined for anything else.
 */
export function findStatement({ words, text, memory }: Clause): Memory | undefined {
  const [thing, verb] = words;
  if (thing?.kind !== "word" || !KEY.test(thing.text) || !STATING.has(verb?.lower ?? "") || text.endsWith("?"))
    return undefined;
  if (words.length > MOST_WORDS || words.some(({ kind }) => kind !== "word")) return undefined;
  return { ...memory, items: [{ key: thing.text.toUpperCase() }] };
}

const MOST_WORDS = 6;
const STATING = new Set("is was has 's looks seems got".split(" "));
