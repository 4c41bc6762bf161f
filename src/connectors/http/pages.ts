/** Maximum number of pages that one list reads, so that an endless list has a bounded cost. */
const MAX_PAGES = 20;

/** A page of a list: its items, and the cursor of the next page. `more` marks a further page that cannot be read. */
export type ListPage<Item> = { items: Item[]; next?: string | null; more?: boolean };

/**
 * Reads a list over its pages until it ends, or until there are enough items. Only a missing or repeated cursor ends a list: services also
 * return empty pages in the middle. An item that an earlier page had is left out: lists by position repeat items when new ones come in between.
 *
 * @param fetchPage gets the cursor of a page, which is undefined for the first, and the number of items before it
 * @param enough the number of items wanted, or a test of the items so far
 * @returns `more` if unread items remain
 */
export async function readPages<Item>(
  fetchPage: (cursor: string | undefined, count: number) => Promise<ListPage<Item>>,
  enough: number | ((items: Item[]) => boolean),
  maxPages = MAX_PAGES,
): Promise<{ items: Item[]; more: boolean }> {
  const limit = typeof enough === "number" ? enough : Number.POSITIVE_INFINITY;
  const isEnough = typeof enough === "number" ? () => items.length >= limit : enough;
  const items: Item[] = [];
  const cursors = new Set<string>();
  const known = new Set<string | number>();
  for (let cursor: string | undefined; ; ) {
    const page = await fetchPage(cursor, items.length);
    const fresh = page.items.filter((item) => !known.has(getIdentity(item) ?? ""));
    for (const item of fresh) items.push(item);
    for (const item of fresh) known.add(getIdentity(item) ?? NaN);
    const next = page.next || undefined;
    const ends = next === undefined || cursors.has(next);
    if (ends || isEnough(items) || cursors.size + 1 >= maxPages) {
      return { items: items.slice(0, limit), more: !ends || page.more === true || items.length > limit };
    }
    cursors.add(next);
    cursor = next;
  }
}

/** Returns what tells an item from the others of its list: an ID, a Slack timestamp or the hash of a commit. */
function getIdentity(item: unknown): string | number | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const { id, ts, sha } = item as Record<string, unknown>;
  return [id, ts, sha].find((one) => typeof one === "string" || typeof one === "number") as string | number | undefined;
}
