import { isTimeoutError, runWithTimeout } from "./timeout.ts";

/**
 * The first of some regular expressions that may run for ages on a short text (`(a+)+$`). They are tried, each whole and each repeated group
 * of it by itself, on texts that repeat what they speak of and end with what they do not expect; what is found to be harmless by that is still
 * to be run under a limit.
 */
export function findUnsafePattern(sources: Iterable<string>): string | undefined {
  let tried: string | undefined;
  try {
    runWithTimeout(TRY_MS, () => {
      for (const source of sources) {
        tried = source;
        for (const each of [source, ...repeatedGroups(source).map((group) => `^(?:${group})$`)]) tryOut(each);
      }
    });
    return undefined;
  } catch (error) {
    if (isTimeoutError(error)) return tried;
    throw error;
  }
}

function tryOut(source: string): void {
  const expression = compile(source);
  const pieces = getPieces(source);
  for (const piece of pieces) expression?.test(repeat(piece, SHORT));
  for (const piece of pieces.slice(0, FEW)) expression?.test(repeat(piece, LONG));
}

/** A group taken out of its expression may refer to another one, and is none by itself then. */
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

/** Groups that are followed by `*`, `+` or `{`, with that. */
function repeatedGroups(source: string): string[] {
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

/** What the expression speaks of: its own letters, words and alternatives, and one of each usual kind of characters. */
function getPieces(source: string): string[] {
  const said = source.replace(/\\[pP]\{[^}]*\}|\\./g, " ");
  const words = said.match(/[\p{L}\p{N}_]{2,12}/gu) ?? [];
  const letters = said.match(/[^()[\]{}|?*+^$\\]/gu) ?? [];
  return [...new Set(["a", "0", " ", "-", ...words, ...letters, "A", ".", "_", "/", "@", ":", ",", "é"])].slice(
    0,
    MOST,
  );
}

/** Milliseconds for all together; a harmless one needs a few, and the machine may be busy. */
const TRY_MS = 1_500;

/** Lengths of the texts: for those that double with each character, and for those that are only too slow. */
const SHORT = 48;
const LONG = 2_000;

/** So many pieces at most, and so many of them for the long texts. */
const MOST = 48;
const FEW = 6;
