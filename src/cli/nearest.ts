import { distance } from "fastest-levenshtein";

/** The name nearest to what was typed, or undefined when none is near enough to be meant. */
export function closestName(typed: string, names: string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, far: distance(typed.toLowerCase(), name) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best && best.far <= Math.max(2, Math.floor(best.name.length / 3)) ? best.name : undefined;
}
