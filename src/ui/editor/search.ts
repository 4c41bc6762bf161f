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
  let at: number | null = search.at;
  do at = findMatchBefore(entries, search.query, at);
  while (at !== null && entries[at] === entries[search.at]);
  return at === null ? search : { ...search, at };
}

/** Returns the text of the match, or null. */
export function getMatch({ at }: HistorySearch, entries: readonly string[]): string | null {
  return at === null ? null : (entries[at] ?? null);
}

function findMatchBefore(entries: readonly string[], query: string, before: number): number | null {
  if (query === "") return null;
  const isSmall = query === query.toLowerCase();
  for (let at = before - 1; at >= 0; at--) {
    const entry = entries[at] ?? "";
    if ((isSmall ? entry.toLowerCase() : entry).includes(query)) return at;
  }
  return null;
}
