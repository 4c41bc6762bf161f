import type { KeyName } from "./key.ts";
import { type KeyPart, NO_MODIFIERS } from "./key.ts";
import { parseControlKey, parseCsiKey, parseSs3Key } from "./sequence.ts";

/** The source of the bytes: keys, a terminal reply, or a bracketed paste. */
export type Mode = "keys" | "string" | "paste";

/**
 * The next complete unit of input, possibly without a `key`. `plain` is the character that the key was sent as;
 * unbracketed pastes consist of these. `piece` belongs to the open paste.
 */
export type Token = { length: number; key?: KeyPart; plain?: string; mode?: Mode; piece?: Uint8Array };

/** Reads the token at an index, or null if it is incomplete. Bytes behind the token do not affect the result. */
export function readToken(bytes: Uint8Array, from: number): Token | null {
  const byte = bytes[from] ?? 0;
  if (byte === ESC) return readEscapeToken(bytes, from);
  if (byte >= 0x20 && byte !== 0x7f) return readCharacterToken(bytes, from);
  const plain = [TAB, LF, CR].includes(byte) ? { plain: String.fromCharCode(byte) } : {};
  return { length: 1, key: parseControlKey(byte), ...plain };
}

/**
 * Reads the rest of a terminal reply (OSC, DCS, APC) up to its terminator. A control character ends it too and counts
 * as a key, so that Ctrl+C always works.
 */
export function readStringToken(bytes: Uint8Array, from: number): Token | null {
  for (let end = from; end < bytes.length; end++) {
    const byte = bytes[end] ?? 0;
    if (byte === BEL) return { length: end + 1 - from, mode: "keys" };
    if (byte === ESC && end + 1 === bytes.length) return end > from ? { length: end - from } : null;
    if (byte === ESC && bytes[end + 1] === 0x5c) return { length: end + 2 - from, mode: "keys" };
    if (byte < 0x20) return { length: end - from, mode: "keys" };
  }
  return { length: bytes.length - from };
}

const [BEL, TAB, LF, CR, ESC] = [0x07, 0x09, 0x0a, 0x0d, 0x1b];
/** Longer than any sequence that terminals send. */
const MAX_SEQUENCE = 256;

function readEscapeToken(bytes: Uint8Array, from: number): Token | null {
  const next = bytes[from + 1];
  if (next === undefined) return null;
  const character = String.fromCharCode(next);
  if (next === ESC) return readDoubleEscape(bytes, from);
  if (character === "[") return readCsiToken(bytes, from);
  if (character === "O") return readSs3Token(bytes, from);
  if ("]P_".includes(character)) return readStringStart(bytes, from, character);
  const alone: Token = { length: 1, key: createKey("escape") };
  if ([0x08, TAB, LF, CR, 0x7f].includes(next)) return { length: 2, key: { ...parseControlKey(next), alt: true } };
  if (next < 0x20) return alone;
  const token = readCharacterToken(bytes, from + 1);
  if (!token) return null;
  return token.key ? { length: token.length + 1, key: { ...token.key, alt: true } } : alone;
}

/** Old terminals send Alt with an arrow key as an extra ESC. Otherwise the first ESC is a separate key. */
function readDoubleEscape(bytes: Uint8Array, from: number): Token | null {
  const third = bytes[from + 2];
  if (third === undefined) return null;
  if (third === 0x5b || third === 0x4f) {
    const token = readEscapeToken(bytes, from + 1);
    if (!token) return null;
    if (token.key && !["focus", "blur", "text"].includes(token.key.name))
      return { length: token.length + 1, key: { ...token.key, alt: true } };
  }
  return { length: 1, key: createKey("escape") };
}

/**
 * Reads a CSI sequence: parameters, intermediates, a final byte (ECMA-48). If another byte interrupts it, the sequence
 * is dropped and that byte counts.
 */
function readCsiToken(bytes: Uint8Array, from: number): Token | null {
  let end = from + 2;
  if (bytes[end] === 0x5b) return readConsoleFunctionKey(bytes, from);
  while (end - from < MAX_SEQUENCE && isBetween(bytes[end], 0x30, 0x3f)) end++;
  const params = decodeLatin1(bytes, from + 2, end);
  // rxvt sends Shift as a final `$`, which elsewhere is an intermediate
  if (bytes[end] === 0x24 && /^[235678]$/.test(params)) return toKeyToken(end + 1 - from, parseCsiKey(params, "$"));
  const intermediate = end;
  while (end - from < MAX_SEQUENCE && isBetween(bytes[end], 0x20, 0x2f)) end++;
  if (end - from >= MAX_SEQUENCE) return { length: end - from };
  if (end >= bytes.length) return null;
  if (!isBetween(bytes[end], 0x40, 0x7e)) return { length: end - from };
  const length = end + 1 - from;
  const final = decodeLatin1(bytes, end, end + 1);
  if (end > intermediate) return { length };
  if (final === "M" && params === "") return readMouseToken(bytes, from);
  if (final === "~" && params === "200") return { length, mode: "paste" };
  return toKeyToken(length, parseCsiKey(params, final));
}

/** Reads a function key of the Linux console: `ESC [ [ A`. */
function readConsoleFunctionKey(bytes: Uint8Array, from: number): Token | null {
  const letter = bytes[from + 3];
  if (letter === undefined) return null;
  return { length: isBetween(letter, 0x40, 0x7e) ? 4 : 3 };
}

/** Reads a mouse report in the oldest form, which has three more bytes. */
function readMouseToken(bytes: Uint8Array, from: number): Token | null {
  for (let end = from + 3; end < from + 6; end++) {
    const byte = bytes[end];
    if (byte === undefined) return null;
    if (byte < 0x20) return { length: 3 };
  }
  return { length: 6 };
}

function readSs3Token(bytes: Uint8Array, from: number): Token | null {
  const hasModifier = isBetween(bytes[from + 2], 0x32, 0x38);
  const start = from + (hasModifier ? 3 : 2);
  const letter = bytes[start];
  if (letter === undefined) return null;
  if (!isBetween(letter, 0x41, 0x5a) && !isBetween(letter, 0x61, 0x7a))
    return { length: 2, key: { ...createKey("text", "O"), alt: true } };
  return toKeyToken(
    start + 1 - from,
    parseSs3Key(decodeLatin1(bytes, start, start + 1), hasModifier ? decodeLatin1(bytes, start - 1, start) : ""),
  );
}

/** Starts a terminal reply, unless the next byte cannot be its text: then it was Alt with that character. */
function readStringStart(bytes: Uint8Array, from: number, character: string): Token | null {
  const next = bytes[from + 2];
  if (next === undefined) return null;
  if (next < 0x20 && next !== ESC && next !== BEL)
    return { length: 2, key: { ...createKey("text", character), alt: true } };
  return { length: 2, mode: "string" };
}

/** Reads one UTF-8 character. Invalid bytes and the controls U+0080 to U+009F are dropped one by one. */
function readCharacterToken(bytes: Uint8Array, from: number): Token | null {
  const lead = bytes[from] ?? 0;
  const length = lead < 0x80 ? 1 : LENGTHS.find(([least, most]) => isBetween(lead, least, most))?.[2];
  if (length === undefined) return { length: 1 };
  for (let end = 1; end < length; end++) {
    const byte = bytes[from + end];
    if (byte === undefined) return null;
    const [least, most] = (end === 1 ? SECOND[lead] : undefined) ?? [0x80, 0xbf];
    if (!isBetween(byte, least, most)) return { length: 1 };
  }
  const text = length === 1 ? String.fromCharCode(lead) : decoder.decode(bytes.subarray(from, from + length));
  if (isBetween(text.codePointAt(0), 0x7f, 0x9f)) return { length };
  return { length, key: createKey("text", text), plain: text };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const LENGTHS = [
  [0xc2, 0xdf, 2],
  [0xe0, 0xef, 3],
  [0xf0, 0xf4, 4],
] as const;

/** Valid second bytes after these leads, which exclude overlong forms, surrogates, and code points beyond Unicode. */
const SECOND: Record<number, [number, number]> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};

function toKeyToken(length: number, key: KeyPart | null): Token {
  return key ? { length, key } : { length };
}

function createKey(name: KeyName | "text", text = ""): KeyPart {
  return { name, text, ...NO_MODIFIERS };
}

function isBetween(value: number | undefined, least: number, most: number): boolean {
  return value !== undefined && value >= least && value <= most;
}

function decodeLatin1(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
