/**
 * A long paste is one character in the text of a draft: a lone surrogate, which no other text can contain. Typed and
 * pasted text is well-formed, so a placeholder typed by hand stays plain text.
 */
const FIRST_MARKER = 0xdc00;
const MAX_FOLDS = 0x400;
const MARKERS = /\p{Surrogate}/gu;

/** Whether a paste is folded: it has over 12 lines or 1,000 characters. */
export function shouldFold(text: string): boolean {
  return countLines(text) > 12 || text.length > 1_000;
}

/** Adds a text to the folds and returns its marker, or null if there are too many. */
export function foldText(folds: readonly string[], text: string): { marker: string; folds: readonly string[] } | null {
  const index = folds.indexOf(text);
  if (index >= 0) return { marker: String.fromCharCode(FIRST_MARKER + index), folds };
  if (folds.length >= MAX_FOLDS) return null;
  return { marker: String.fromCharCode(FIRST_MARKER + folds.length), folds: [...folds, text] };
}

/** Replaces the markers in a text with the folded texts. */
export function unfoldText(text: string, folds: readonly string[]): string {
  return text.replace(MARKERS, (marker) => folds[marker.charCodeAt(0) - FIRST_MARKER] ?? "");
}

/** Returns the folded texts in the order in which the text has them. */
export function listFolded(text: string, folds: readonly string[]): string[] {
  return (text.match(MARKERS) ?? []).map((marker) => unfoldText(marker, folds));
}

/** Folds pastes in a text again. The text must contain them in this order. */
export function refoldText(
  text: string,
  pastes: readonly string[],
  before: readonly string[],
): { text: string; folds: readonly string[] } {
  let [marked, rest, folds] = ["", text, before];
  // The end of a sent text has lost its spaces.
  for (const paste of pastes.map((line) => line.trimEnd())) {
    const index = rest.indexOf(paste);
    const fold = index < 0 ? null : foldText(folds, paste);
    if (fold === null) continue;
    marked += rest.slice(0, index) + fold.marker;
    [rest, folds] = [rest.slice(index + paste.length), fold.folds];
  }
  return { text: marked + rest, folds };
}

/** Guesses which part of a sent text was a long paste: all of it, or what follows a short first line. */
export function guessPastes(text: string): string[] {
  const rest = /^[^\n]{0,200}\n(.*)$/s.exec(text)?.[1] ?? "";
  return [rest, text].filter(shouldFold).slice(0, 1);
}

/** Returns the label of a fold, or null for any other character. */
export function getFoldLabel(character: string, folds: readonly string[]): string | null {
  const code = character.charCodeAt(0);
  if (character.length !== 1 || code < FIRST_MARKER || code >= FIRST_MARKER + MAX_FOLDS) return null;
  const text = folds[code - FIRST_MARKER] ?? "";
  const lines = countLines(text);
  return lines > 12
    ? `[pasted ${groupDigits(lines)} lines]`
    : `[pasted ${groupDigits(Array.from(text).length)} characters]`;
}

/** Counts lines. A trailing line break does not start a new line. */
function countLines(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}

function groupDigits(number: number): string {
  return number.toLocaleString("en");
}
