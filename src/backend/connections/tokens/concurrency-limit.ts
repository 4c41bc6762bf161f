/** Runs work in order of arrival, with at most this many at once. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Limits concurrent work that holds a scarce resource, such as a database connection, while it waits. */
export function createConcurrencyLimit(maxConcurrent: number): ConcurrencyLimit {
  let freeSlots = maxConcurrent;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (freeSlots > 0) freeSlots--;
    else await new Promise<void>((resolve) => queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else freeSlots++;
    }
  };
}
