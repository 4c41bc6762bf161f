import type { Key } from "../keys/key.ts";
import { splitGraphemes } from "../screen/cells.ts";

/** Text that is being typed into a card. The cursor is before index `at`, which is never inside a character. */
export type TextInput = { text: string; at: number };

/** Creates an input with the cursor at its end. */
export function createTextInput(text = ""): TextInput {
  return { text, at: text.length };
}

/**
 * Applies a key, or returns null if the input does not use it, such as Enter. With `lines`, Shift+Enter, Alt+Enter,
 * Ctrl+J and Enter after a `\` break the line.
 */
export function updateTextInput(state: TextInput, key: Key, { lines }: { lines: boolean }): TextInput | null {
  const { before, after } = splitAtCursor(state);
  if (key.name === "paste" || (key.name === "text" && !key.ctrl && !key.alt)) {
    const text = key.text.replace(CONTROLS, "");
    return withText(before + (lines ? text : text.replace(/(?<!\s)\s*\n\s*/g, " ")), after);
  }
  if (key.name === "text") return key.ctrl ? applyControlKey(state, key.text, lines) : null;
  const [last = ""] = splitGraphemes(before).slice(-1);
  const [next = ""] = splitGraphemes(after);
  switch (key.name) {
    case "enter":
      if (lines && (key.shift || key.alt || key.ctrl)) return withText(`${before}\n`, after);
      return lines && before.endsWith("\\") ? withText(`${before.slice(0, -1)}\n`, after) : null;
    case "backspace":
      return withText(before.slice(0, before.length - last.length), after);
    case "delete":
      return withText(before, after.slice(next.length));
    case "left":
      return { ...state, at: state.at - last.length };
    case "right":
      return { ...state, at: state.at + next.length };
    case "home":
      return { ...state, at: findLineStart(before) };
    case "end":
      return { ...state, at: state.at + findLineEnd(after) };
    case "up":
      return lines ? moveUp(state) : null;
    case "down":
      return lines ? moveDown(state) : null;
    default:
      return null;
  }
}

/** Returns the text before and after the cursor. */
export function splitAtCursor({ text, at }: TextInput): { before: string; after: string } {
  return { before: text.slice(0, at), after: text.slice(at) };
}

/** Applies the control keys of a shell's line editor. */
function applyControlKey(state: TextInput, letter: string, lines: boolean): TextInput | null {
  const { before, after } = splitAtCursor(state);
  switch (letter) {
    case "a":
      return { ...state, at: findLineStart(before) };
    case "e":
      return { ...state, at: state.at + findLineEnd(after) };
    case "j":
      return lines ? withText(`${before}\n`, after) : null;
    case "k":
      return withText(before, after.slice(findLineEnd(after)));
    case "u":
      return withText(before.slice(0, findLineStart(before)), after);
    case "w":
      return withText(before.replace(/(?<!\S)\S+\s*$|^\s+$/, ""), after);
    default:
      return null;
  }
}

function withText(before: string, after: string): TextInput {
  return { text: before + after, at: before.length };
}

function findLineStart(before: string): number {
  return before.lastIndexOf("\n") + 1;
}

function findLineEnd(after: string): number {
  const end = after.indexOf("\n");
  return end < 0 ? after.length : end;
}

function moveUp(state: TextInput): TextInput | null {
  const start = findLineStart(state.text.slice(0, state.at));
  if (start === 0) return null;
  return { ...state, at: findColumn(state.text, findLineStart(state.text.slice(0, start - 1)), state.at - start) };
}

function moveDown(state: TextInput): TextInput | null {
  const { before, after } = splitAtCursor(state);
  if (!after.includes("\n")) return null;
  return {
    ...state,
    at: findColumn(state.text, state.at + findLineEnd(after) + 1, before.length - findLineStart(before)),
  };
}

/** Returns the index of a column in the line that starts at `start`, never inside a character. */
function findColumn(text: string, start: number, column: number): number {
  const line = text.slice(start, start + findLineEnd(text.slice(start)));
  let offset = 0;
  for (const grapheme of splitGraphemes(line)) {
    if (offset + grapheme.length > column) break;
    offset += grapheme.length;
  }
  return start + offset;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
const CONTROLS = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/g;
