/** Maximum number of pages that one list reads, so that an endless list has a bounded cost. */
const MAX_PAGES = 20;

/** A page of a list: its items, and the cursor of the next page. `more` marks a further page that cannot be read. */
export type ListPage<Item> = { items: Item[]; next?: string | null; more?: boolean };

/** A position in a list: the service's cursor of a page (absent for the first page), and an index from there. */
export type Position = { cursor?: string; index: number };

/**
 * The part of a list that a call requests. {@link readPages} sets `next` if items remain after those that it returns.
 */
export type ListRequest = { limit: number; start: Position; next?: Position };

/**
 * Reads a list over its pages until it ends, or until there are enough items. Only a missing or repeated cursor ends a
 * list, since services return empty pages in the middle. Repeated items are left out: a list by position repeats items
 * when new ones are added meanwhile.
 *
 * @param fetchPage gets the cursor of a page (undefined for the first) and the number of items still needed
 * @param enough the number of items, a part of the list, or a test of the items so far
 * @returns `more` if unread items remain
 */
export async function readPages<Item>(
  fetchPage: (cursor: string | undefined, size: number) => Promise<ListPage<Item>>,
  enough: number | ListRequest | ((items: Item[]) => boolean),
  maxPages = MAX_PAGES,
): Promise<{ items: Item[]; more: boolean }> {
  const list = toRequest(enough);
  const isEnough = typeof enough === "function" ? enough : () => items.length >= list.limit;
  const items: Item[] = [];
  const seenKeys = new Set<string | number>();
  let { cursor, index: skip } = list.start;
  const cursors = new Set(cursor === undefined ? [] : [cursor]);
  for (let pages = 1; ; pages++) {
    const page = await fetchPage(cursor, list.limit - items.length + skip);
    let index = Math.min(skip, page.items.length);
    skip -= index;
    for (; index < page.items.length && items.length < list.limit; index++) {
      const item = page.items[index] as Item;
      if (!seenKeys.has(getIdentity(item) ?? "")) items.push(item);
    }
    for (const item of page.items) seenKeys.add(getIdentity(item) ?? Number.NaN);
    const next = page.next || undefined;
    const ends = next === undefined || cursors.has(next);
    const isCut = index < page.items.length;
    if (isCut || ends || isEnough(items) || pages >= maxPages) {
      list.next = isCut ? { cursor, index } : ends ? undefined : { cursor: next, index: skip };
      return { items, more: list.next !== undefined || page.more === true };
    }
    cursors.add(next);
    cursor = next;
  }
}

function toRequest(enough: unknown): ListRequest {
  if (typeof enough === "object") return enough as ListRequest;
  return { limit: typeof enough === "number" ? enough : Number.POSITIVE_INFINITY, start: { index: 0 } };
}

/** Returns the identity of an item in its list: an ID, a Slack timestamp or the hash of a commit. */
function getIdentity(item: unknown): string | number | undefined {
  if (typeof item !== "object" || item === null) return undefined;
  const { id, ts, sha } = item as Record<string, unknown>;
  return [id, ts, sha].find((key) => typeof key === "string" || typeof key === "number") as string | number | undefined;
}
