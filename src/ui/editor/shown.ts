import stringWidth from "string-width";
import { clean } from "#protocol/clean";

/** A part of a row that is not cut, and how many cells it takes. */
export type DisplayPiece = { text: string; cells: number };

/**
 * How a character of a draft is shown, in pieces that may be put on different rows; what is sent is the character itself. Terminals do not
 * agree on how wide an emoji is that is made of several (with a joiner, a colour of skin, a variation selector): it is shown as its parts
 * without what joins them, which have the same width everywhere. What would not be seen is written out as `U+200B`, or put on a circle.
 */
export function toDisplayPieces(grapheme: string): DisplayPiece[] {
  const known = seen.get(grapheme);
  if (known) return known;
  const pieces = getTexts(grapheme).map((text) => ({ text, cells: stringWidth(text) }));
  if (seen.size >= MOST_SEEN) seen.clear();
  seen.set(grapheme, pieces);
  return pieces;
}

/** A draft is laid out at every key, and a person writes with few different characters. */
const seen = new Map<string, DisplayPiece[]>();
const MOST_SEEN = 4_000;

function getTexts(grapheme: string): string[] {
  if (/^[\x20-\x7e]$/.test(grapheme)) return [grapheme];
  const safe = clean(grapheme, { lines: false });
  if (safe !== grapheme) return Array.from(safe, visible);
  return [visible(EMOJI.test(grapheme) ? grapheme.replace(JOINING, "") : grapheme)];
}

const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Component}/u;

/** Joiners, variation selectors, tags, and colours of skin behind what can have one. */
const JOINING = /[\u200d\ufe00-\ufe0f\u{e0020}-\u{e007f}]|(?<=\p{Emoji_Modifier_Base}\ufe0f?)\p{Emoji_Modifier}/gu;

function visible(text: string): string {
  return stringWidth(text) === 0 ? `\u25cc${text}` : text;
}
