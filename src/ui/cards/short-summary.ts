import { foldWhitespace } from "#protocol/input-fields";
import type { PreviewField } from "#protocol/preview-field";

/** Length of a repeated text that stays in the summary, in characters. */
const KEPT = 24;
const MOST = 40;

/**
 * Shortens a summary where it repeats a field, which the card shows in full. Nothing is cut that is not in a field.
 */
export function shortenSummary(summary: string, fields: readonly PreviewField[]): string {
  return fields.reduce((text, { value }) => (typeof value === "string" ? cutRepeated(text, value) : text), summary);
}

function cutRepeated(summary: string, value: string): string {
  const folded = foldWhitespace(value).replace(/\s+/g, " ").trim();
  const from = folded.length > MOST ? summary.indexOf(folded.slice(0, MOST)) : -1;
  if (from < 0) return summary;
  let end = MOST;
  while (end < folded.length && summary[from + end] === folded[end]) end += 1;
  const rest = summary.slice(from + end).replace(/^…/, "");
  return `${summary.slice(0, from)}${cutBetweenWords(folded)}…${rest}`;
}

/** Returns the first words, without a Markdown link that would be cut. */
function cutBetweenWords(text: string): string {
  const head = text.slice(0, KEPT);
  const words = text[KEPT] === " " ? head : head.replace(/\s+\S*$/, "");
  return words.replace(/(?<![\s(<[*-])[\s(<[*-]+$/, "").trimEnd();
}
