/** A mistake in JSON and its place, counted from 1. */
export type JsonMistake = { what: string; line: number; column: number };

/**
 * Finds the first mistake in an object that the user edited: a comment, a trailing comma, or something else within its
 * braces. Returns undefined for a text that was cut or is not an object, as a crash leaves it.
 */
export function findJsonMistake(text: string): JsonMistake | undefined {
  if (text.includes("\0") || !/^[\s\ufeff]*(?:\{|\/\/|\/\*|#)/.test(text)) return undefined;
  const knownMistake = findKnownMistake(text);
  if (knownMistake) return toMistake(text, knownMistake.at, knownMistake.what);
  if (!text.trimEnd().endsWith("}")) return undefined;
  const position = getErrorPosition(text);
  return position === undefined ? undefined : toMistake(text, position, "unexpected text");
}

/** Strings, comments, and commas before a closing bracket. A string that is not closed ends at its line. */
const TOKENS = /"(?:[^"\\\n]|\\.)*"?|(?<comment>\/\/|\/\*|#)|(?<comma>,)(?=\s*[}\]])/g;

function findKnownMistake(text: string): { at: number; what: string } | undefined {
  for (const { groups, index } of text.matchAll(TOKENS)) {
    if (groups?.comment) return { at: index, what: "a comment" };
    if (groups?.comma) return { at: index, what: "a comma before a closing bracket" };
  }
  return undefined;
}

/** Returns where the parser failed, as its message says. */
function getErrorPosition(text: string): number | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const [, position] = /at position (\d+)/.exec((error as Error).message) ?? [];
    return position === undefined ? 0 : Number(position);
  }
}

function toMistake(text: string, offset: number, problem: string): JsonMistake {
  const lines = text.slice(0, offset).split("\n");
  return { what: problem, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
