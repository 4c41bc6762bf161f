import type { KeyName } from "./key.ts";
import { type KeyPart, NO_MODIFIERS } from "./key.ts";

/**
 * Returns the key of a control byte. Ctrl+J inserts a line break like Shift+Enter, which many terminals cannot send;
 * 0x08 and 0x7f are both Backspace.
 */
export function parseControlKey(byte: number): KeyPart {
  if (byte === 0x7f) return createKey("backspace");
  if (byte === 0x1b) return createKey("escape");
  return withCtrl(byte === 0 ? " " : String.fromCharCode(byte + 0x40).toLowerCase(), NO_MODIFIERS);
}

/** Returns the key of a CSI sequence without a private prefix, or null for a report, a key release or an unused key. */
export function parseCsiKey(params: string, final: string): KeyPart | null {
  if (!/^[\d;:]*$/.test(params)) return null;
  const [row] = final === "R" ? (/^\d+(?=;\d+$)/.exec(params) ?? []) : [];
  if (row) return { name: "position", text: "", ...NO_MODIFIERS, row: Number(row) - 1 };
  const fields = params.split(";").map((field) => field.split(":").map(Number));
  const [first = [], second = [], third = []] = fields;
  if (second[1] === RELEASE) return null;
  const modifiers = getModifiers(second[0] ?? 0);
  if (final === "u") return toCodeKey(first, modifiers, third);
  if (final === "~" && first[0] === 27) return toCodeKey(third, modifiers, []);
  if (final === "Z") return createKey("tab", { ...modifiers, shift: true });
  if (params === "" && (final === "I" || final === "O")) return createKey(final === "I" ? "focus" : "blur");
  if (params === "" && /[a-d]/.test(final))
    return createKey(LETTERS[final.toUpperCase()] ?? null, { ...modifiers, shift: true });
  const numbered = "~$^@".includes(final) ? NUMBERS[first[0] ?? 0] : undefined;
  if (numbered) return createKey(numbered, { ...modifiers, ...RXVT[final] });
  return createKey(LETTERS[final] ?? null, modifiers);
}

/** Returns the key of an SS3 sequence: arrows in application mode, and the keypad. */
export function parseSs3Key(letter: string, modifier: string): KeyPart | null {
  const modifiers = getModifiers(Number(modifier));
  if (letter === "M") return createKey("enter", modifiers);
  if (letter === "I") return createKey("tab", modifiers);
  if (/[a-d]/.test(letter)) return createKey(LETTERS[letter.toUpperCase()] ?? null, { ...modifiers, ctrl: true });
  const sign = KEYPAD[letter];
  return sign ? { name: "text", text: sign, ...NO_MODIFIERS } : createKey(LETTERS[letter] ?? null, modifiers);
}

type Modifiers = { ctrl: boolean; alt: boolean; shift: boolean; other: boolean; caps: boolean };

const RELEASE = 3;

const LETTERS: Record<string, KeyName> = { A: "up", B: "down", C: "right", D: "left", F: "end", H: "home" };

const NUMBERS: Record<number, KeyName> = {
  1: "home",
  3: "delete",
  4: "end",
  5: "pageup",
  6: "pagedown",
  7: "home",
  8: "end",
};

/** Suffixes of rxvt for numbered keys with modifiers. */
const RXVT: Record<string, Partial<KeyPart>> = {
  $: { shift: true },
  "^": { ctrl: true },
  "@": { ctrl: true, shift: true },
};

/**
 * Keys with a code point, including kitty's codes for keys without a character
 * (https://sw.kovidgoyal.net/kitty/keyboard-protocol).
 */
const CODES: Record<number, KeyName> = {
  8: "backspace",
  9: "tab",
  13: "enter",
  27: "escape",
  127: "backspace",
  57414: "enter",
  57417: "left",
  57418: "right",
  57419: "up",
  57420: "down",
  57421: "pageup",
  57422: "pagedown",
  57423: "home",
  57424: "end",
  57426: "delete",
};

const KEYPAD: Record<string, string> = { X: "=", j: "*", k: "+", l: ",", m: "-", n: ".", o: "/" };
for (let digit = 0; digit <= 9; digit++) KEYPAD[String.fromCharCode(0x70 + digit)] = String(digit);

/** Characters of kitty's keypad, from code 57399. */
const KITTY_KEYPAD = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", ".", "/", "*", "-", "+", "", "=", ","];

function getModifiers(parameter: number): Modifiers {
  const bits = Math.max(0, parameter - 1);
  const has = (bit: number) => (bits & bit) !== 0;
  return { shift: has(1), alt: has(2), ctrl: has(4), other: has(8 | 16 | 32), caps: has(64) };
}

/** Returns the key for kitty's code points: unshifted, shifted, and on a US keyboard. */
function toCodeKey([code = 0, shifted, base]: number[], modifiers: Modifiers, typedCodes: number[]): KeyPart | null {
  const name = CODES[code];
  if (name) return createKey(name, modifiers);
  if (modifiers.other) return null;
  const sign = KITTY_KEYPAD[code - 57399] ?? getCharacter(code);
  if (!sign) return null;
  if (modifiers.ctrl || modifiers.alt) {
    const { shift, alt } = modifiers;
    const isForeign = code > 0x7f && base;
    const raised = shift ? (getCharacter(shifted ?? 0) ?? (sign === "-" ? "_" : sign)) : sign;
    const text = isForeign ? (getCharacter(base) ?? sign) : raised;
    return modifiers.ctrl
      ? withCtrl(text.toLowerCase(), { alt, shift })
      : { name: "text", text, ...NO_MODIFIERS, alt, shift };
  }
  const isRaised = modifiers.shift !== (modifiers.caps && /\p{L}/u.test(sign));
  const raised = (modifiers.shift && getCharacter(shifted ?? 0)) || (isRaised ? sign.toUpperCase() : sign);
  return { name: "text", text: typedCodes.map((code) => getCharacter(code) ?? "").join("") || raised, ...NO_MODIFIERS };
}

/**
 * Returns the character of a code point if text may contain it. Kitty's keys without a character are in a private area.
 */
function getCharacter(code: number): string | null {
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f) || code > 0x10ffff) return null;
  if ((code >= 0xd800 && code <= 0xdfff) || (code >= 57344 && code <= 63743)) return null;
  return String.fromCodePoint(code);
}

/** Returns a letter with Ctrl; some are named keys. */
function withCtrl(text: string, { alt, shift }: { alt: boolean; shift: boolean }): KeyPart {
  if (text === "j") return { ...createKey("enter"), alt, shift: true };
  const name = CTRL_NAMES[text];
  return name ? { ...createKey(name), alt, shift } : { name: "text", text, ctrl: true, alt, shift };
}

const CTRL_NAMES: Record<string, KeyName> = { h: "backspace", i: "tab", m: "enter", "[": "escape" };

function createKey(name: KeyName | "focus" | "blur", modifiers?: Partial<Modifiers>): KeyPart;
function createKey(name: KeyName | null, modifiers?: Partial<Modifiers>): KeyPart | null;
function createKey(name: KeyName | "focus" | "blur" | null, modifiers: Partial<Modifiers> = {}): KeyPart | null {
  const { ctrl = false, alt = false, shift = false } = modifiers;
  return name && { name, text: "", ctrl, alt, shift };
}
