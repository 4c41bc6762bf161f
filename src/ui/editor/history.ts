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
  const { entries, at, savedDraft } = history;
  const text = entries[at - 1];
  if (text === undefined) return null;
  return {
    history: { ...history, at: at - 1, savedDraft: savedDraft ?? draft },
    draft: recallEntry(history, draft, text),
  };
}

/** Shows the next entry, or the kept draft after the newest. Returns null at the end. */
export function showNext(history: History, draft: Draft): { history: History; draft: Draft } | null {
  const { entries, at, savedDraft } = history;
  if (at >= entries.length) return null;
  const text = entries[at + 1];
  if (text !== undefined) return { history: { ...history, at: at + 1 }, draft: recallEntry(history, draft, text) };
  return { history: createHistory(entries, history.pastes), draft: savedDraft ?? replaceText(draft, "") };
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

/** A search in the history (Ctrl+R). `at` is the matching entry, or null. */
export type HistorySearch = { query: string; at: number | null };

/** A search without a query; shows nothing. */
export const EMPTY_SEARCH: HistorySearch = { query: "", at: null };

/** Finds the newest entry that contains the query. Lowercase queries ignore case. */
export function searchHistory(entries: readonly string[], query: string): HistorySearch {
  return { query, at: findMatchBefore(entries, query, entries.length) };
}

/** Finds the next older match with a different text; returns the same search if there is none. */
export function searchOlder(search: HistorySearch, entries: readonly string[]): HistorySearch {
  if (search.at === null) return search;
  let index: number | null = search.at;
  do index = findMatchBefore(entries, search.query, index);
  while (index !== null && entries[index] === entries[search.at]);
  return index === null ? search : { ...search, at: index };
}

/** Returns the text of the match, or null. */
export function getMatch({ at }: HistorySearch, entries: readonly string[]): string | null {
  return at === null ? null : (entries[at] ?? null);
}

function findMatchBefore(entries: readonly string[], query: string, end: number): number | null {
  if (query === "") return null;
  const isSmall = query === query.toLowerCase();
  for (let index = end - 1; index >= 0; index--) {
    const entry = entries[index] ?? "";
    if ((isSmall ? entry.toLowerCase() : entry).includes(query)) return index;
  }
  return null;
}
