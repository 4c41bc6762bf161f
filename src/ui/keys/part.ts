import type { Key } from "./key.ts";

/** A key without its time. */
export type KeyPart = Omit<Key, "at">;

/** What a key has that is pressed by itself. */
export const NO_MODIFIERS = { ctrl: false, alt: false, shift: false };
