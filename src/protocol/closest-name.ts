import { distance } from "fastest-levenshtein";

/** Longest input that is compared, in characters. Longer input is not a misspelled name. */
const MAX_LENGTH = 60;

/**
 * Finds the most likely name for a misspelled one: one that differs only in case, in `.`, `_` and `-`, or in the part
 * before its dot; otherwise the nearest one, if at most a third of its letters (at least two) differ.
 */
export function findClosestName(input: string, names: readonly string[]): string | undefined {
  const normalized = normalizeName(input.trim());
  if (normalized === "" || normalized.length > MAX_LENGTH) return undefined;
  const match = names.find((name) => normalizeName(name) === normalized);
  const local = match ?? names.find((name) => normalizeName(name.replace(/^[^.]*\./, "")) === normalized);
  if (local !== undefined) return local;
  const [best] = rankNames(normalized, names);
  if (best === undefined) return undefined;
  return distance(normalized, normalizeName(best)) <= Math.max(2, Math.floor(best.length / 3)) ? best : undefined;
}

/** Sorts names by their edit distance to the input, the nearest first. */
export function rankNames(input: string, names: readonly string[]): string[] {
  const normalized = normalizeName(input.trim().slice(0, MAX_LENGTH));
  const ranked = names.map((name) => ({ name, edits: distance(normalized, normalizeName(name)) }));
  return ranked.sort((a, b) => a.edits - b.edits).map(({ name }) => name);
}

/**
 * Builds the question that suggests the nearest name for an unknown one, or "" when no name is near.
 *
 * @param format how the name is written in the question; clean names that come from outside here
 */
export function suggestName(
  input: string,
  names: readonly string[],
  format: (name: string) => string = (name) => name,
): string {
  const name = findClosestName(input, names);
  return name === undefined ? "" : `Did you mean ${format(name)}?`;
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[._]/g, "-");
}
