import type { Part } from "./catalogue.ts";
import type { Field } from "./fields.ts";
import type { Word } from "./language.ts";
import { scoreSimilarity } from "./lexicon.ts";

/** How a request fits an example: which words fit, and which words each slot took (`from` inclusive, `to` exclusive). */
export type Alignment = {
  /** 0 to 1. */
  score: number;
  matched: Set<number>;
  captures: { field: Field; from: number; to: number }[];
  /** Whether the first word of the example, its verb, is in the request. */
  verb: boolean;
};

/** How well words `from` to `to` could be the value of a field: 0 not at all, 1 surely. */
export type AcceptValue = (field: Field, from: number, to: number) => number;

/** The best way to lay an example along a request, words in the same order, either side may have some the other has not. */
export function alignExample(parts: Part[], words: Word[], accept: AcceptValue): Alignment {
  const memo: (Cell | undefined)[] = new Array((parts.length + 1) * (words.length + 1));
  const best = (part: number, word: number): Cell => {
    const key = part * (words.length + 1) + word;
    const known = memo[key];
    if (known) return known;
    const cell = choose(part, word);
    memo[key] = cell;
    return cell;
  };
  const choose = (part: number, word: number): Cell => {
    const current = parts[part];
    if (current === undefined) return { score: 0, step: "end" };
    let cell: Cell = { score: best(part + 1, word).score - cost(current), step: "skip-part" };
    const consider = (next: Cell) => {
      if (next.score > cell.score) cell = next;
    };
    const here = words[word];
    if (here === undefined) return cell;
    consider({ score: best(part, word + 1).score - (here.stop ? 0.01 : 0.06), step: "skip-word" });
    if ("word" in current) {
      const like = scoreSimilarity(current.word, here);
      if (like > 0) consider({ score: best(part + 1, word + 1).score + like * current.weight, step: "match" });
      return cell;
    }
    for (let taken = 1; taken <= words.length - word; taken++) {
      const quality = accept(current.slot, word, word + taken);
      if (quality > 0) consider({ score: best(part + 1, word + taken).score + SLOT * quality, step: taken });
    }
    return cell;
  };
  return trace(parts, words, best);
}

type Cell = { score: number; step: "end" | "skip-part" | "skip-word" | "match" | number };

function trace(parts: Part[], words: Word[], best: (part: number, word: number) => Cell): Alignment {
  const alignment: Alignment = { score: 0, matched: new Set(), captures: [], verb: false };
  const verb = parts.findIndex((part) => "word" in part && part.word.kind === "word");
  let gained = 0;
  for (let part = 0, word = 0; part < parts.length; ) {
    const { step } = best(part, word);
    const current = parts[part];
    if (step === "end" || current === undefined) break;
    if (step === "skip-word") word++;
    else if (step === "skip-part") part++;
    else if (step === "match") {
      const here = words[word];
      if ("word" in current && here) gained += scoreSimilarity(current.word, here) * current.weight;
      if (part === verb) alignment.verb = true;
      alignment.matched.add(word++);
      part++;
    } else {
      if ("slot" in current) alignment.captures.push({ field: current.slot, from: word, to: word + step });
      gained += SLOT;
      word += step;
      part++;
    }
  }
  const whole = parts.reduce((sum, part) => sum + ("word" in part ? part.weight : SLOT), 0);
  alignment.score = whole === 0 ? 0 : gained / whole;
  return alignment;
}

function cost(part: Part): number {
  return "word" in part ? part.weight * 0.35 : SLOT * 0.35;
}

/** Weight of a filled slot, in weights of words. */
const SLOT = 0.6;
