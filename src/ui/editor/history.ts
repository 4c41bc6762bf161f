import { type Draft, replaceText } from "./draft.ts";
import { guessPastes } from "./fold.ts";

/** Position in the history of sent texts. `at` is the entry shown; at the end, the draft is shown. */
export type History = {
  /** Oldest first. */
  entries: readonly string[];
  /** The folded pastes of the texts that this session sent. */
  pastes: ReadonlyMap<string, readonly string[]>;
  at: number;
  savedDraft: Draft | null;
};

/** Creates a history that shows no entry, for a new draft. */
export function createHistory(entries: readonly string[], pastes: History["pastes"] = new Map()): History {
  return { entries, pastes, at: entries.length, savedDraft: null };
}

/** Replaces the draft with an entry. Its long pastes are folded as they were. */
export function recallEntry({ pastes }: History, draft: Draft, text: string): Draft {
  return replaceText(draft, text, pastes.get(text) ?? guessPastes(text));
}

/** Shows the previous entry and keeps the draft for the way back. Returns null at the oldest entry. */
export function showPrevious(history: History, draft: Draft): { history: History; draft: Draft } | null {
  const { entries, at, savedDraft: kept } = history;
  const text = entries[at - 1];
  if (text === undefined) return null;
  return {
    history: { ...history, at: at - 1, savedDraft: kept ?? draft },
    draft: recallEntry(history, draft, text),
  };
}

/** Shows the next entry, or the kept draft after the newest. Returns null at the end. */
export function showNext(history: History, draft: Draft): { history: History; draft: Draft } | null {
  const { entries, at, savedDraft: kept } = history;
  if (at >= entries.length) return null;
  const text = entries[at + 1];
  if (text !== undefined) return { history: { ...history, at: at + 1 }, draft: recallEntry(history, draft, text) };
  return { history: createHistory(entries, history.pastes), draft: kept ?? replaceText(draft, "") };
}

/** Appends a sent text, unless it equals the newest entry. */
export function appendEntry(entries: readonly string[], text: string): readonly string[] {
  return shouldRemember(text) && entries.at(-1) !== text ? [...entries, text].slice(-MAX_ENTRIES) : entries;
}

/** Whether a text belongs in the history. As in a shell, a leading space keeps it out; a very long text is a file. */
export function shouldRemember(text: string): boolean {
  return text.trim() !== "" && !text.startsWith(" ") && text.length <= 20_000;
}

/** Maximum number of entries. */
export const MAX_ENTRIES = 1_000;
