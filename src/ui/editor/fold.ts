/**
 * A long paste stands in the text of a draft as one character that no text can have: half of a surrogate pair, by itself. Whatever is
 * typed or pasted is well-formed, so nobody can write one, and a placeholder that is typed by hand is just text.
 */
const FIRST = 0xdc00;
const MOST = 0x400;
const MARKERS = /\p{Surrogate}/gu;

/** Whether a paste is shown by its size alone: over 12 lines or 1,000 characters. */
export function shouldFold(text: string): boolean {
  return getLines(text) > 12 || text.length > 1_000;
}

/** The text with its new place in the list of folds, or null when there are too many. */
export function foldText(folds: readonly string[], text: string): { marker: string; folds: readonly string[] } | null {
  if (folds.length >= MOST) return null;
  return { marker: String.fromCharCode(FIRST + folds.length), folds: [...folds, text] };
}

/** The text with what is folded in it. */
export function unfoldText(text: string, folds: readonly string[]): string {
  return text.replace(MARKERS, (marker) => folds[marker.charCodeAt(0) - FIRST] ?? "");
}

/** What is shown for a fold, or null for any other character. */
export function getFoldLabel(character: string, folds: readonly string[]): string | null {
  const code = character.charCodeAt(0);
  if (character.length !== 1 || code < FIRST || code >= FIRST + MOST) return null;
  const text = folds[code - FIRST] ?? "";
  const lines = getLines(text);
  return lines > 12 ? `[pasted ${group(lines)} lines]` : `[pasted ${group(Array.from(text).length)} characters]`;
}

/** A line break at the end begins no line. */
function getLines(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}

function group(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}
