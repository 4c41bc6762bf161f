import { Problem } from "#protocol/errors";
import type { Timer } from "./ports.ts";

/** Wait, or throw CANCELLED as soon as the signal ends the wait. */
export async function sleepOrThrow(clock: Pick<Timer, "sleep">, ms: number, signal?: AbortSignal): Promise<void> {
  await clock.sleep(ms, signal).catch((error: unknown) => {
    // A clock may end an aborted wait either way; what it rejects with is the signal's own reason.
    if (!signal?.aborted) throw error;
  });
  throwIfCancelled(signal);
}

/** Throw CANCELLED once the signal is aborted. */
export function throwIfCancelled(signal?: AbortSignal): void {
  if (signal?.aborted) throw new Problem("CANCELLED", "Cancelled.", { details: { sent: false } });
}
