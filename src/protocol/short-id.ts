/** Fewest characters of a short ID. More keep it unique when the list grows. */
const LEAST = 6;

/** Only an ID that ends in this many random characters is shortened. */
const LEAST_RANDOM = 16;

/**
 * Returns a function that shortens IDs to the first random characters that are unique among `ids`. IDs of another form
 * stay whole.
 */
export function createIdShortener(ids: readonly string[]): (id: string) => string {
  const tails = ids.map(getRandomPart);
  return (id) => {
    const tail = getRandomPart(id);
    if (tail === "") return id;
    const otherTails = tails.filter((other) => other !== tail);
    const length = Array.from(tail).findIndex(
      (_, index) => index + 1 >= LEAST && otherTails.every((other) => !other.startsWith(tail.slice(0, index + 1))),
    );
    return length < 0 ? id : tail.slice(0, length + 1);
  };
}

/** Shortens one ID, whatever other IDs exist. */
export function shortenId(id: string): string {
  return createIdShortener([])(id);
}

/** Finds the IDs that begin with a typed text, with or without their kind. */
export function findIds(prefix: string, ids: readonly string[]): string[] {
  const start = prefix.toLowerCase();
  if (start.length < 3) return [];
  return ids.filter((id) => id.startsWith(start) || getRandomPart(id).startsWith(start));
}

/** Returns the random characters at the end of an ID such as `session_1767225600000_9f2c…`; "" if it has none. */
function getRandomPart(id: string): string {
  const tail = id.slice(id.lastIndexOf("_") + 1);
  return id !== tail && tail.length >= LEAST_RANDOM && /^[0-9a-f]+$/.test(tail) ? tail : "";
}
