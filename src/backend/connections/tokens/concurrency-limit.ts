/** Runs work in order of arrival, with at most this many at once. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Limits concurrent work that holds a scarce resource, such as a database connection, while it waits. */
export function createConcurrencyLimit(atOnce: number): ConcurrencyLimit {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
