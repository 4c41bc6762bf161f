import type { Skill } from "./catalogue.ts";
import type { Word } from "./language.ts";
import { isAction, scoreSimilarity } from "./lexicon.ts";

/** An example of a tool that has something in common with a request. */
export type NearExample = { skill: Skill; example: string };

/** Finds the tool nearest to a request that was not understood: its example speaks of the same things, or at least does the same. */
export function findNearestTool(words: Word[], skills: Skill[]): NearExample | undefined {
  const telling = words.filter(({ kind, stop }) => kind === "word" && !stop).slice(0, MOST_WORDS);
  // "How do I close KAY-3?"
  const verb = words[0]?.lower === "how" ? words.find(isAction) : words[0];
  const acts = isAction(verb);
  let best: (NearExample & { score: number }) | undefined;
  for (const skill of skills) {
    for (const [index, example] of skill.examples.entries()) {
      const [first] = skill.patterns[index] ?? [];
      // Who wants something done is not helped by a way to look, or by another deed.
      const isSameDeed = verb && first && "word" in first && scoreSimilarity(first.word, verb) > 0;
      if (acts ? skill.access === "read" || !isSameDeed : skill.access !== "read") continue;
      const own = (skill.patterns[index] ?? []).flatMap((part) => ("word" in part && !part.word.stop ? [part] : []));
      const slots = (skill.patterns[index] ?? []).flatMap((part) => ("slot" in part ? [part.slot] : []));
      const score = telling.reduce((sum, word, at) => {
        // A channel or a key says which kind of tool is meant, more than any noun.
        if (slots.some(({ particular, shape }) => particular && shape?.test(word.text))) return sum + 2;
        const like = Math.max(0, ...own.map((part) => scoreSimilarity(part.word, word) * part.weight));
        // The verb says less than its object.
        return sum + (at === 0 && word === words[0] ? like * 0.3 : like);
      }, 0);
      if (score > (best?.score ?? COINCIDENCE)) best = { skill, example, score };
    }
  }
  return best;
}

const MOST_WORDS = 20;

/** Score of a word that many examples have. */
const COINCIDENCE = 0.3;
