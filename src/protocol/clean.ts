// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this file is about
/** How {@link clean} is to treat a text. */
export type CleanOptions = {
  /** Keep line breaks and tabs (default). Without, they become single spaces: for names, labels and anything that stands in a line. */
  lines?: boolean;
  /** Longest result in code points; what is cut is marked by `…`. */
  max?: number;
};

/**
 * Text from a model, a tool, a service or a backend, made safe to show on a terminal or in an approval (terminal.md, "Text from models …
 * is untrusted"; cases U17, G08). Control sequences are removed, whatever is invisible or turns the reading order is shown as `U+202E`,
 * and text as people write it — Arabic, Hebrew, Persian with its joiners, CJK, emoji sequences and flags — comes out unchanged.
 *
 * For showing only: what is sent to a tool and what `--json` prints is the raw value.
 */
export function clean(text: string, options: CleanOptions = {}): string {
  const safe = PLAIN.test(text) ? text : escapeInvisible(stripControls(text));
  const shaped = options.lines === false ? safe.replace(/[\n\t]+/g, " ") : safe;
  return options.max === undefined ? shaped : cut(shaped, options.max);
}

/** The same for a title, a name, a label: one line with single spaces. */
export function cleanLine(text: string, max?: number): string {
  return clean(clean(text, { lines: false }).replace(/\s+/g, " ").trim(), max === undefined ? {} : { max });
}

/** Nothing to do for printable ASCII with line breaks and tabs, which is nearly all there is. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/**
 * Control sequences (ECMA-48) in their 7- and 8-bit forms: CSI with its parameters, then strings (OSC, DCS, SOS, PM, APC) with what they
 * carry up to their terminator, then two-byte escapes. A string without an end loses only its introducer, so that it hides nothing.
 */
const SEQUENCES = [
  /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]/g,
  /(?:\x1b[\]P^_X]|[\x9d\x90\x9e\x9f\x98])[^\x07\x1b\x9c\n]{0,4096}(?:\x07|\x1b\\|\x9c)/g,
  /\x1b[\x20-\x2f]*[\x30-\x7e]/g,
];

/** Drop sequences and lone controls; a carriage return is a line break, since it would overwrite the line on a terminal. */
function stripControls(text: string): string {
  const lines = text.replace(/\r\n?|[\v\f\x85]/g, "\n");
  const stripped = SEQUENCES.reduce((rest, sequence) => rest.replace(sequence, ""), lines);
  return stripped.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
}

/** Characters that show nothing or move what is shown: default ignorables (Unicode), interlinear marks, line and paragraph separators. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2028\u2029]|\p{Surrogate}/gu;

/** Flags of England, Scotland and Wales, the only sequences of tag characters in general use (Unicode, RGI_Emoji_Tag_Sequence). */
const TAG_FLAGS = ["gbeng", "gbsct", "gbwls"].map(
  (flag) =>
    `\u{1f3f4}${[...flag].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("")}\u{e007f}`,
);

function escapeInvisible(text: string): string {
  const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(
    text,
  );
  return text.replace(INVISIBLE, (character, at: number) =>
    belongs(character, text.slice(Math.max(0, at - 16), at), text.slice(at + character.length, at + 16), rightToLeft)
      ? character
      : `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`,
  );
}

/** Whether an invisible character does what it is for in ordinary text, going by what stands around it. */
function belongs(character: string, before: string, after: string, rightToLeft: boolean): boolean {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x200d) return joinsEmoji(before, after) || joinsLetters(before, after);
  if (code === 0x200c) return joinsLetters(before, after);
  if (code === 0x200e || code === 0x200f || code === 0x61c) return rightToLeft;
  if (code >= 0xfe00 && code <= 0xfe0f) return /[^\x00-\x22\x24-\x29\x2b-\x2f\x3a-\x7f\p{DI}]$/u.test(before);
  if (code >= 0xe0100 && code <= 0xe01ef) return /\p{Script=Han}$/u.test(before);
  if (code >= 0xe0020 && code <= 0xe007f) return inTagFlag(before, character, after);
  return false;
}

function joinsEmoji(before: string, after: string): boolean {
  return (
    /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u.test(before) && /^\p{Extended_Pictographic}/u.test(after)
  );
}

/** Joiners between letters of scripts that are written with them (Arabic, Persian, the scripts of India and their neighbours). */
function joinsLetters(before: string, after: string): boolean {
  return JOINING_END.test(before) && JOINING_START.test(after);
}

const JOINING =
  "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}" +
  "\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Mongolian}]";
const JOINING_END = new RegExp(`${JOINING}\\p{M}*$`, "u");
const JOINING_START = new RegExp(`^(?:${JOINING}|[\\s\\p{P}]|$)`, "u");

function inTagFlag(before: string, character: string, after: string): boolean {
  const start = before.lastIndexOf("\u{1f3f4}");
  if (start < 0) return false;
  const around = before.slice(start) + character + after;
  return TAG_FLAGS.some((flag) => around.startsWith(flag) && before.length - start < flag.length);
}

/** Cut between code points, and not right after a joiner. */
function cut(text: string, max: number): string {
  const characters = Array.from(text.slice(0, (max + 1) * 2));
  if (characters.length <= max) return text;
  return `${characters
    .slice(0, Math.max(0, max - 1))
    .join("")
    .replace(/\u200d$/, "")}…`;
}
