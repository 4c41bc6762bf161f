/** Scripts without spaces between words, in which marks stand between letters: 这是**重点**内容. */
const UNSPACED =
  "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}]";
const ENDS_IN_WORD = new RegExp(`(?!${UNSPACED})[\\p{L}\\p{N}_\\\\/]$`, "u");
const STARTS_WITH_WORD = new RegExp(`^(?!${UNSPACED})[\\p{L}\\p{N}_\\\\/]|^\\.\\w`, "u");

/**
 * Returns whether marks of emphasis belong to a word or a path, such as `2*3*4` and `__init__.py`, and are text.
 *
 * @param type kind of a token of Markdown, and `raw` its source
 * @param before the source before it, and `after` the source behind it
 */
export function isMarkInWord({ type, raw }: { type: string; raw: string }, before: string, after: string): boolean {
  if (type !== "em" && type !== "strong" && type !== "del") return false;
  return ENDS_IN_WORD.test(before) || STARTS_WITH_WORD.test(after) || /^__\w+__$/.test(raw);
}
