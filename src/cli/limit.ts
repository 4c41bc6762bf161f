import type { Clock } from "#net/ports";
import { Problem } from "#protocol/errors";

/** Work at a backend that nobody waits for longer than this; a Problem in place of what did not come in time. */
export async function withDeadline(clock: Clock, ms: number, work: Promise<Problem | null>): Promise<Problem | null> {
  const over = new AbortController();
  const late = clock.sleep(ms, over.signal).then(
    () => new Problem("TIMED_OUT", `The backend did not answer the logout within ${ms / 1_000} s.`),
    () => null,
  );
  return Promise.race([work, late]).finally(() => over.abort());
}
