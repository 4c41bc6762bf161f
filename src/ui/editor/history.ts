import { type Draft, replaceText } from "./draft.ts";

/** A place in what was sent before. `at` is the entry that is shown; at the end it is none, and the draft stands there that was left. */
export type History = {
  /** Oldest first. */
  entries: readonly string[];
  at: number;
  kept: Draft | null;
};

/** The history with nothing of it shown, for a new draft. */
export function createHistory(entries: readonly string[]): History {
  return { entries, at: entries.length, kept: null };
}

/** The entry before the one that is shown. Null at the oldest: the key does nothing. What was being written is kept for the way back. */
export function showPrevious(history: History, draft: Draft): { history: History; draft: Draft } | null {
  const { entries, at, kept } = history;
  const text = entries[at - 1];
  if (text === undefined) return null;
  return { history: { entries, at: at - 1, kept: kept ?? draft }, draft: replaceText(draft, text) };
}

/** The entry after the one that is shown, or behind the newest the draft that was left. Null where there is nothing further. */
export function showNext(history: History, draft: Draft): { history: History; draft: Draft } | null {
  const { entries, at, kept } = history;
  if (at >= entries.length) return null;
  const text = entries[at + 1];
  if (text !== undefined) return { history: { ...history, at: at + 1 }, draft: replaceText(draft, text) };
  return { history: createHistory(entries), draft: kept ?? replaceText(draft, "") };
}

/** The entries after one more was sent. The same as the newest is not kept twice. */
export function appendEntry(entries: readonly string[], text: string): readonly string[] {
  return shouldRemember(text) && entries.at(-1) !== text ? [...entries, text].slice(-MAX_ENTRIES) : entries;
}

/** Whether a text belongs in the history. One that begins with a space is meant to be forgotten, as in a shell; one that is very long is a file. */
export function shouldRemember(text: string): boolean {
  return text.trim() !== "" && !text.startsWith(" ") && text.length <= 20_000;
}

/** So many are kept. */
export const MAX_ENTRIES = 1_000;
