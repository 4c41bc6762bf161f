/** A search through what was sent before (Ctrl+R). `at` is the entry that matches; null when none does. */
export type HistorySearch = { query: string; at: number | null };

/** A search that nothing was typed into yet: it shows nothing. */
export const EMPTY_SEARCH: HistorySearch = { query: "", at: null };

/** The search for another text: the newest entry that has it. Small letters also find capitals. */
export function searchHistory(entries: readonly string[], query: string): HistorySearch {
  return { query, at: matchBefore(entries, query, entries.length) };
}

/** The next older entry that has it and says something else; the same search when there is none. */
export function searchOlder(search: HistorySearch, entries: readonly string[]): HistorySearch {
  if (search.at === null) return search;
  let at: number | null = search.at;
  do at = matchBefore(entries, search.query, at);
  while (at !== null && entries[at] === entries[search.at]);
  return at === null ? search : { ...search, at };
}

/** The text that was found, or null. */
export function getMatch({ at }: HistorySearch, entries: readonly string[]): string | null {
  return at === null ? null : (entries[at] ?? null);
}

function matchBefore(entries: readonly string[], query: string, before: number): number | null {
  if (query === "") return null;
  const isSmall = query === query.toLowerCase();
  for (let at = before - 1; at >= 0; at--) {
    const entry = entries[at] ?? "";
    if ((isSmall ? entry.toLowerCase() : entry).includes(query)) return at;
  }
  return null;
}
