import { Problem } from "#protocol/errors";
import { createIdShortener, findIds } from "#protocol/short-id";
import { toLine } from "#ui/text/words";

/**
 * Finds the item with this ID, or with an ID that starts with it.
 *
 * @param describe describes an item in a few words
 * @throws Problem USAGE that names the candidates if several IDs match
 */
export function findById<T extends { id: string }>(
  input: string,
  items: readonly T[],
  describe: (item: T) => string,
): T | undefined {
  const exact = items.find(({ id }) => id === input);
  if (exact) return exact;
  const ids = findIds(
    input,
    items.map(({ id }) => id),
  );
  const matches = items.filter(({ id }) => ids.includes(id));
  if (matches.length <= 1) return matches[0];
  const shorten = createIdShortener(items.map(({ id }) => id));
  const list = matches.slice(0, MOST_NAMED).map((item) => `${toLine(shorten(item.id))} (${toLine(describe(item))})`);
  const suffix = matches.length > MOST_NAMED ? ` and ${matches.length - MOST_NAMED} more` : "";
  throw new Problem("USAGE", `${JSON.stringify(toLine(input))} could be ${list.join(", ")}${suffix}.`, {
    hint: "Type more characters of the ID.",
  });
}

const MOST_NAMED = 5;
