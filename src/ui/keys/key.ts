/** Keys that are no text. */
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
 * What a person did at the keyboard, or the window with its focus. Letters with Ctrl or Alt are `text` too: `{name: "text", text: "c",
 * ctrl: true}` is Ctrl+C, and only text without both is typed text. Bytes that are nothing of this (reports of the terminal, unknown
 * sequences) never become a key.
 */
export type Key = {
  name: KeyName | "text" | "paste" | "focus" | "blur";
  /** Typed or pasted characters with `\n` as the only line break; "" for every other key. */
  text: string;
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
  /** When its first byte came, in ms since 1970. */
  at: number;
  /** It came in one read with other characters: a text that a program sent or a slow link held back, and no key on its own. */
  amid?: true;
};

/** A key without its time. */
export type KeyPart = Omit<Key, "at">;

/** What a key has that is pressed by itself. */
export const NO_MODIFIERS = { ctrl: false, alt: false, shift: false };
