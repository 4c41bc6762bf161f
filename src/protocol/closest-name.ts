import { closest, distance } from "fastest-levenshtein";

/**
 * Returns the name closest to a word, or undefined if none is within two edits or one edit per `letters` letters.
 *
 * @param letters number of letters that allow one edit
 */
export function findClosestName(word: string, names: string[], letters = 3): string | undefined {
  if (names.length === 0) return undefined;
  const nearest = closest(word, names);
  return distance(word, nearest) <= Math.max(2, Math.floor(nearest.length / letters)) ? nearest : undefined;
}
