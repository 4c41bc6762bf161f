/** One user-perceived character and its index in the text. */
export type Grapheme = { at: number; text: string };

/** Splits a line, which has no line breaks, into characters. */
export function segmentLine(line: string): Grapheme[] {
  if (SINGLE.test(line)) return Array.from(line, (text, index) => ({ at: index, text }));
  return Array.from(getGraphemeSegmenter().segment(line), ({ index, segment }) => ({ at: index, text: segment }));
}

/** Latin letters, kana, Han and Hangul. In a text of only these, each is one character. */
const SINGLE =
  /^[\x20-\x7e\u00c0-\u02af\u3001-\u3029\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/;

/** Returns the start of the character before an index; 0 at the beginning. */
export function findBoundaryBefore(text: string, offset: number): number {
  const start = findLineStart(text, offset);
  if (offset === start) return Math.max(0, offset - 1);
  const segment = getGraphemeSegmenter()
    .segment(text.slice(start, findLineEnd(text, offset)))
    .containing(offset - 1 - start);
  return start + (segment?.index ?? 0);
}

/** Returns the end of the character at an index, or the end of the text. */
export function findBoundaryAfter(text: string, offset: number): number {
  return offset >= text.length ? text.length : findBoundaryFrom(text, offset + 1);
}

/** Returns the index itself, or the end of the character around it. */
export function findBoundaryFrom(text: string, offset: number): number {
  const start = findLineStart(text, offset);
  const end = findLineEnd(text, offset);
  if (offset === start || offset === end) return offset;
  const segment = getGraphemeSegmenter()
    .segment(text.slice(start, end))
    .containing(offset - start);
  if (!segment || start + segment.index === offset) return offset;
  return start + segment.index + segment.segment.length;
}

/** Returns the start of the line around an index. */
export function findLineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

/** Returns the end of the line around an index, before its line break. */
export function findLineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end;
}

/** Returns the start of the word that ends before an index. A run of signs is a word too, and so is each fold. */
export function findWordStart(text: string, offset: number): number {
  const end = text.slice(0, offset).trimEnd().length;
  const start = findLineStart(text, end);
  const parts = splitWords(text.slice(start, end));
  return findBoundaryFrom(text, start + (parts.at(-1)?.at ?? 0));
}

/** Returns the end of the word that begins after an index. */
export function findWordEnd(text: string, offset: number): number {
  const start = text.length - text.slice(offset).trimStart().length;
  const [first] = splitWords(text.slice(start, findLineEnd(text, start)));
  return findBoundaryFrom(text, start + (first?.text.length ?? 0));
}

/** Splits a line into words, runs of signs and runs of spaces, in any language. */
function splitWords(line: string): Grapheme[] {
  const parts: (Grapheme & { kind: string })[] = [];
  for (const { index, segment, isWordLike } of getWordSegmenter().segment(line)) {
    const kind = isWordLike
      ? "word"
      : /^\s+$/.test(segment)
        ? "space"
        : /^\p{Surrogate}$/u.test(segment)
          ? "fold"
          : "sign";
    const last = parts.at(-1);
    if (last && last.kind === kind && kind === "sign") last.text += segment;
    else parts.push({ at: index, text: segment, kind });
  }
  return parts;
}

let graphemeSegmenter: Intl.Segmenter | undefined;
let wordSegmenter: Intl.Segmenter | undefined;

function getGraphemeSegmenter(): Intl.Segmenter {
  graphemeSegmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return graphemeSegmenter;
}

function getWordSegmenter(): Intl.Segmenter {
  wordSegmenter ??= new Intl.Segmenter("en", { granularity: "word" });
  return wordSegmenter;
}
