import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * A computation that pauses now and then. Each pause says how much work was done since the last one: words of the
 * request, times what each was compared with.
 */
export type Steps<T> = Generator<number, T>;

/** Work between two turns of the event loop: some ten milliseconds of processor time. */
const MOST_AT_ONCE = 5_000;

/** Runs a computation at once, without pauses. */
export function finishSteps<T>(steps: Steps<T>): T {
  let next = steps.next();
  while (!next.done) next = steps.next();
  return next.value;
}

/** Gives each of several computations its turn: one slice in each turn of the event loop, however many there are. */
let before: Promise<unknown> = Promise.resolve();

/**
 * Runs a computation in slices, between which the process does its other work.
 *
 * @param most the work after which it is given up
 * @returns undefined if it was given up
 * @throws the reason of the signal
 */
export async function runInSlices<T>(steps: Steps<T>, most: number, signal?: AbortSignal): Promise<T | undefined> {
  for (let work = 0; work <= most; ) {
    before = before.then(() => nextTurn());
    await before;
    signal?.throwIfAborted();
    for (const end = work + MOST_AT_ONCE; work < end; ) {
      const { done, value } = steps.next();
      if (done) return value;
      work += value;
    }
  }
  return undefined;
}
