import type { Word } from "#planner/language";
import type { Memory } from "#planner/memory";

/** One clause of a request, with what it may refer to. `now` in milliseconds. */
export type Clause = { text: string; words: Word[]; memory: Memory; now: number };

export type Value = string | number | boolean;

export function sliceText({ text, words }: Clause, from: number, to: number): string {
  const first = words[from];
  const last = words[to - 1];
  if (first === undefined || last === undefined) return "";
  if (to - from === 1) return first.text;
  const offset = words[0]?.start ?? 0;
  return text.slice(first.start - offset, last.end - offset).trim();
}

/** Some words of a request as a clause of their own. */
export function toSubclause(request: Clause, words: Word[]): Clause {
  const offset = request.words[0]?.start ?? 0;
  const start = words[0]?.start ?? 0;
  return { ...request, words, text: request.text.slice(start - offset, (words.at(-1)?.end ?? offset) - offset) };
}
