import { foldWhitespace } from "#protocol/input-fields";
import type { PreviewField } from "#protocol/preview-field";

/** In rows of this many cells, more of a repeated text stays. */
const WIDE = 60;

/**
 * Shortens a summary where it repeats a field, which the card shows in full. Nothing is cut that is not in a field.
 */
export function shortenSummary(summary: string, fields: readonly PreviewField[], room = WIDE): string {
  const least = room < WIDE ? 20 : 40;
  return fields.reduce(
    (text, { value }) => (typeof value === "string" ? cutRepeated(text, value, least) : text),
    summary,
  );
}

/** Shortens a repeated text of more than `least` characters to about half of that. */
function cutRepeated(summary: string, value: string, least: number): string {
  const folded = foldWhitespace(value).replace(/\s+/g, " ").trim();
  const from = folded.length > least ? summary.indexOf(folded.slice(0, least)) : -1;
  if (from < 0) return summary;
  let end = least;
  while (end < folded.length && summary[from + end] === folded[end]) end += 1;
  const rest = summary.slice(from + end).replace(/^…/, "");
  return `${summary.slice(0, from)}${cutBetweenWords(folded, least * 0.6)}…${rest}`;
}

/** Returns the first words, without a Markdown link that would be cut. */
function cutBetweenWords(text: string, length: number): string {
  const head = text.slice(0, length);
  const words = text[length] === " " ? head : head.replace(/\s+\S*$/, "");
  return words.replace(/(?<![\s(<[*-])[\s(<[*-]+$/, "").trimEnd();
}
