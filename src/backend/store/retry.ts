import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseAway } from "./database.ts";

/** Pauses between attempts, in ms: a restart of Postgres takes seconds. The last one repeats. */
const PAUSES_MS = [100, 250, 500, 1_000, 2_000];
const LIMIT_MS = 60_000;

/**
 * Retries work that fails because the database is away, for about a minute. The work must be safe to repeat.
 *
 * @throws the error of the last attempt; any other error at once
 */
export async function retryWhileAway<T>(work: () => Promise<T>): Promise<T> {
  let waited = 0;
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseAway(error) || waited >= LIMIT_MS) throw error;
    }
    const pause = PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] ?? 0;
    waited += pause;
    await sleep(pause, undefined, { ref: false });
  }
}
