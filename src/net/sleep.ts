import { Problem } from "#protocol/errors";
import type { Timer } from "./ports.ts";

/** Sleeps. @throws Problem CANCELLED when the signal ends the sleep */
export async function sleepOrThrow(clock: Pick<Timer, "sleep">, ms: number, signal?: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch((error: unknown) => {
    // A clock may resolve or reject an aborted sleep; both are handled below.
    if (!signal?.aborted) throw error;
  });
  throwIfCancelled(signal);
}

/** Throws CANCELLED if the signal is aborted. */
export function throwIfCancelled(signal?: AbortSignal): void {
  if (signal?.aborted) throw new Problem("CANCELLED", "Cancelled.", { details: { sent: false } });
}
