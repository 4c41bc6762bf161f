/** Runs work, at most so many at once; what comes later waits for its turn, first come first served. */
export type ConcurrencyLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Turns for work that holds something scarce, such as a connection to the database, while it waits for somebody else. */
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
