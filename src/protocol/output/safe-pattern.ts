import { isTimeoutError, runWithTimeout } from "./timeout.ts";

/**
 * Returns the first regular expression that may backtrack for a very long time on a short text, such as `(a+)+$`. Tries
 * each expression and each of its repeated groups on texts that repeat its pieces and then fail. Run accepted
 * expressions under a time limit too: this is a heuristic.
 */
export function findUnsafePattern(sources: Iterable<string>): string | undefined {
  let tried: string | undefined;
  try {
    runWithTimeout(TRY_MS, () => {
      for (const source of sources) {
        tried = source;
        for (const each of [source, ...findRepeatedGroups(source).map((group) => `^(?:${group})$`)]) tryPattern(each);
      }
    });
    return undefined;
  } catch (error) {
    if (isTimeoutError(error)) return tried;
    throw error;
  }
}

function tryPattern(source: string): void {
  const expression = compile(source);
  const pieces = collectPieces(source);
  for (const piece of pieces) expression?.test(repeat(piece, SHORT_LENGTH));
  for (const piece of pieces.slice(0, MAX_LONG_PIECES)) expression?.test(repeat(piece, LONG_LENGTH));
}

/** Compiles a pattern. A group taken out of its expression may refer to another group and then does not compile. */
function compile(source: string): RegExp | undefined {
  try {
    return new RegExp(source, "u");
  } catch {
    return undefined;
  }
}

function repeat(piece: string, length: number): string {
  return `${piece.repeat(Math.ceil(length / piece.length))}\u0001`;
}

/** Returns the groups followed by `*`, `+` or `{`, including the quantifier. */
function findRepeatedGroups(source: string): string[] {
  const groups: string[] = [];
  const open: number[] = [];
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const character = source[at];
    if (character === "\\") at++;
    else if (inClass) inClass = character !== "]";
    else if (character === "[") inClass = true;
    else if (character === "(") open.push(at);
    else if (character === ")") {
      const from = open.pop() ?? 0;
      const [repeats] = /^(?:[*+]|\{[\d,]+\})/.exec(source.slice(at + 1)) ?? [];
      if (repeats) groups.push(source.slice(from, at + 1) + repeats);
    }
  }
  return groups;
}

/** Returns texts that the expression may match: its own letters and words, and one character of each common kind. */
function collectPieces(source: string): string[] {
  const literals = source.replace(/\\[pP]\{[^}]*\}|\\./g, " ");
  const words = literals.match(/[\p{L}\p{N}_]{2,12}/gu) ?? [];
  const letters = literals.match(/[^()[\]{}|?*+^$\\]/gu) ?? [];
  return [...new Set(["a", "0", " ", "-", ...words, ...letters, "A", ".", "_", "/", "@", ":", ",", "é"])].slice(
    0,
    MAX_PIECES,
  );
}

/** Time for all tries together, in ms. Safe patterns take a few ms, but the machine may be busy. */
const TRY_MS = 1_500;

/** Text lengths: short for exponential, long for polynomial backtracking. */
const SHORT_LENGTH = 48;
const LONG_LENGTH = 2_000;

/** Most pieces to try, and most of them with long texts. */
const MAX_PIECES = 48;
const MAX_LONG_PIECES = 6;
