import type { Skill } from "./catalogue.ts";
import type { Word } from "./language.ts";
import { scoreSimilarity } from "./lexicon.ts";

/** An example of a tool that has something in common with a request. */
export type NearExample = { skill: Skill; example: string };

/** The tools nearest to a request that was not understood: those whose examples speak of the same things, or at least do the same. */
export function findNearestTools(words: Word[], skills: Skill[]): NearExample[] {
  const telling = words.filter(({ kind, stop }) => kind === "word" && !stop);
  const near = skills.flatMap((skill) => {
    const examples = skill.patterns.map((parts, index) => {
      const own = parts.flatMap((part) => ("word" in part && !part.word.stop ? [part.word] : []));
      const shared = telling.map((word, at) => {
        const like = Math.max(0, ...own.map((one) => scoreSimilarity(one, word)));
        return at === 0 && word === words[0] ? like * VERB : like;
      });
      return { example: skill.examples[index] ?? "", score: shared.reduce((sum, like) => sum + like, 0) };
    });
    const [best] = examples.sort((a, b) => b.score - a.score);
    return best && best.score > 0 ? [{ skill, ...best }] : [];
  });
  return near.sort((a, b) => b.score - a.score).slice(0, MOST);
}

/** The verb says less than its object. */
const VERB = 0.3;

const MOST = 3;
