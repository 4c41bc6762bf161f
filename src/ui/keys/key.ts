/** Keys that are not text. */
export type KeyName =
  | "enter"
  | "escape"
  | "tab"
  | "backspace"
  | "delete"
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "pageup"
  | "pagedown";

/**
 * A key press, a focus change of the window, or the answer to {@link ASK_POSITION}. Letters with Ctrl or Alt are `text` too: `{name: "text", text: "c",
 * ctrl: true}` is Ctrl+C. Other bytes, such as terminal reports and unknown sequences, never become a key.
 */
export type Key = {
  name: KeyName | "text" | "paste" | "focus" | "blur" | "position";
  /** Typed or pasted characters with `\n` as the only line break; "" for all other keys. */
  text: string;
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
  /** Row of the cursor in the window, from 0; only for a position. */
  row?: number;
  /** Arrival of its first byte, in ms since 1970. */
  at: number;
  /** Set if it arrived in one read with other characters: part of a text, not a single key press. */
  amid?: true;
};

/** A key without its time. */
export type KeyPart = Omit<Key, "at">;

/** Modifiers of a key pressed alone. */
export const NO_MODIFIERS = { ctrl: false, alt: false, shift: false };

/** Asks the terminal where its cursor is. */
export const ASK_POSITION = "\x1b[6n";
