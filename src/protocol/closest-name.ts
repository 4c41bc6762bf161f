import { closest, distance } from "fastest-levenshtein";

/**
 * The name that is nearest to a word, if it is near enough to be meant: two slips, or one in so many letters of the name.
 *
 * @param letters how many letters may hold one slip
 */
export function findClosestName(word: string, names: string[], letters = 3): string | undefined {
  if (names.length === 0) return undefined;
  const nearest = closest(word, names);
  return distance(word, nearest) <= Math.max(2, Math.floor(nearest.length / letters)) ? nearest : undefined;
}

/** The name nearest to what was typed, or undefined when none is near enough to be meant. */
export function closestName(typed: string, names: string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, far: distance(typed.toLowerCase(), name) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best && best.far <= Math.max(2, Math.floor(best.name.length / 3)) ? best.name : undefined;
}
