import type { Timer } from "#net/ports";

/** The real clock as `src/process.ts` has it, for tests that wait for real sockets. */
export const realClock: Timer = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
    }),
};

export type FakeClock = Timer & {
  /** Every requested wait, in ms. */
  sleeps: number[];
  advance(ms: number): void;
};

/**
 * A clock on which a wait up to `jump` takes no time but advances the clock; longer ones (time limits of exchanges)
 * never end. So a loop of waits runs at once, in order, and its waits can be compared.
 */
export function fakeClock(options: { start?: number; jump?: (ms: number) => boolean } = {}): FakeClock {
  let now = options.start ?? Date.UTC(2026, 10, 27, 12);
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    sleep: async (ms, signal) => {
      if (signal?.aborted) return;
      if (options.jump && !options.jump(ms))
        return new Promise((resolve) => signal?.addEventListener("abort", () => resolve()));
      sleeps.push(ms);
      now += ms;
    },
  };
}
