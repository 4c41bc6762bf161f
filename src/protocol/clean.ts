// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
/** Options of {@link clean}. */
export type CleanOptions = {
  /** Keep line breaks and tabs (default). If false, runs of them become one space. */
  lines?: boolean;
  /** Longest result in code points. Longer text is cut and ends in `…`. */
  max?: number;
};

/**
 * Makes untrusted text safe to show on a terminal or in an approval. Removes control sequences and shows invisible or
 * reordering characters as `U+202E`. Ordinary text stays unchanged: Arabic, Hebrew, Persian with joiners, CJK, emoji
 * sequences and flags.
 *
 * For display only: tools and `--json` get the raw value.
 */
export function clean(text: string, options: CleanOptions = {}): string {
  const safe = PLAIN.test(text) ? text : escapeInvisible(stripControls(text));
  const shaped = options.lines === false ? safe.replace(/[\n\t]+/g, " ") : safe;
  return options.max === undefined ? shaped : truncate(shaped, options.max);
}

/** Like {@link clean}, for titles, names and labels: returns one line with single spaces. */
export function cleanLine(text: string, max?: number): string {
  return clean(clean(text, { lines: false }).replace(/\s+/g, " ").trim(), max === undefined ? {} : { max });
}

/** Printable ASCII with line breaks and tabs, which is nearly all text, needs no cleaning. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/**
 * Control sequences (ECMA-48), 7-bit and 8-bit: CSI with parameters; OSC, DCS, SOS, PM and APC strings with their
 * content; two-byte escapes. An unterminated string loses only its introducer, so it cannot hide the text after it.
 */
const SEQUENCES = [
  /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]/g,
  /(?:\x1b[\]P^_X]|[\x9d\x90\x9e\x9f\x98])[^\x07\x1b\x90\x98\x9c-\x9f\n]{0,4096}(?:\x07|\x1b\\|\x9c)/g,
  /\x1b[\x20-\x2f]*[\x30-\x7e]/g,
];

/** Removes sequences and lone controls. A carriage return becomes a line break, because it would overwrite the line. */
function stripControls(text: string): string {
  const lines = text.replace(/\r\n?|[\v\f\x85]/g, "\n");
  const stripped = SEQUENCES.reduce((result, sequence) => result.replace(sequence, ""), lines);
  return stripped.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
}

/**
 * Characters that are invisible or move other text: Unicode default ignorables, interlinear marks, line and paragraph
 * separators.
 */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2028\u2029]|\p{Surrogate}/gu;

/** Flags of England, Scotland and Wales, the only tag sequences in general use (Unicode, RGI_Emoji_Tag_Sequence). */
const TAG_FLAGS = ["gbeng", "gbsct", "gbwls"].map(
  (flag) =>
    `\u{1f3f4}${[...flag].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("")}\u{e007f}`,
);

function escapeInvisible(text: string): string {
  const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(
    text,
  );
  return text.replace(INVISIBLE, (character, index: number) =>
    isOrdinaryUse(
      character,
      text.slice(Math.max(0, index - 16), index),
      text.slice(index + character.length, index + 16),
      rightToLeft,
    )
      ? character
      : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
}

/** Whether an invisible character has its ordinary use, judged by its neighbors. */
function isOrdinaryUse(character: string, before: string, after: string, rightToLeft: boolean): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x200d) return isBetweenEmoji(before, after) || isBetweenJoiningLetters(before, after);
  if (code === 0x200c) return isBetweenJoiningLetters(before, after);
  if (code === 0x200e || code === 0x200f || code === 0x61c) return rightToLeft;
  if (code >= 0xfe00 && code <= 0xfe0f) return /[^\x00-\x22\x24-\x29\x2b-\x2f\x3a-\x7f\p{DI}]$/u.test(before);
  if (code >= 0xe0100 && code <= 0xe01ef) return /\p{Script=Han}$/u.test(before);
  if (code >= 0xe0020 && code <= 0xe007f) return isInTagFlag(before, character, after);
  return false;
}

function isBetweenEmoji(before: string, after: string): boolean {
  return (
    /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u.test(before) && /^\p{Extended_Pictographic}/u.test(after)
  );
}

/** Whether a joiner stands in a script that uses joiners: Arabic, Persian, Indic scripts and their neighbors. */
function isBetweenJoiningLetters(before: string, after: string): boolean {
  return JOINING_END.test(before) && JOINING_START.test(after);
}

const JOINING =
  "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}" +
  "\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Mongolian}]";
const JOINING_END = new RegExp(`${JOINING}\\p{M}*$`, "u");
const JOINING_START = new RegExp(`^(?:${JOINING}|[\\s\\p{P}]|$)`, "u");

function isInTagFlag(before: string, character: string, after: string): boolean {
  const start = before.lastIndexOf("\u{1f3f4}");
  if (start < 0) return false;
  const around = before.slice(start) + character + after;
  return TAG_FLAGS.some((flag) => around.startsWith(flag) && before.length - start < flag.length);
}

/** Cuts between code points, and not after a joiner. */
function truncate(text: string, max: number): string {
  const characters = Array.from(text.slice(0, (max + 1) * 2));
  if (characters.length <= max) return text;
  return `${characters
    .slice(0, Math.max(0, max - 1))
    .join("")
    .replace(/\u200d$/, "")}…`;
}
