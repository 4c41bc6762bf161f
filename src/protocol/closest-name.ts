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
