import { distance } from "fastest-levenshtein";

/** Longest input that is compared, in characters. Longer input is not a misspelled name. */
const MAX_LENGTH = 60;

/**
 * Finds the name that was most likely meant: one that differs only in case, in `.`, `_` and `-`, or by the part before its dot; else the
 * nearest one, if no more than a third of its letters (at least two) differ.
 */
export function findClosestName(typed: string, names: readonly string[]): string | undefined {
  const wanted = normalizeName(typed.trim());
  if (wanted === "" || wanted.length > MAX_LENGTH) return undefined;
  const same = names.find((name) => normalizeName(name) === wanted);
  const local = same ?? names.find((name) => normalizeName(name.replace(/^[^.]*\./, "")) === wanted);
  if (local !== undefined) return local;
  const [best] = rankNames(wanted, names);
  if (best === undefined) return undefined;
  return distance(wanted, normalizeName(best)) <= Math.max(2, Math.floor(best.length / 3)) ? best : undefined;
}

/** Returns names in the order of their edit distance to what was typed, the nearest first. */
export function rankNames(typed: string, names: readonly string[]): string[] {
  const wanted = normalizeName(typed.trim().slice(0, MAX_LENGTH));
  const ranked = names.map((name) => ({ name, edits: distance(wanted, normalizeName(name)) }));
  return ranked.sort((a, b) => a.edits - b.edits).map(({ name }) => name);
}

/**
 * Builds the question that suggests the nearest name for an unknown one, or "" when no name is near.
 *
 * @param format how the name is written in the question; clean names that come from outside here
 */
export function suggestName(
  typed: string,
  names: readonly string[],
  format: (name: string) => string = (name) => name,
): string {
  const name = findClosestName(typed, names);
  return name === undefined ? "" : `Did you mean ${format(name)}?`;
}

function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[._]/g, "-");
}
