import type { Timer } from "#net/ports";

/** Runs `work` at once, and then every second until the signal aborts, to redraw the remaining time. */
export async function repeatEverySecond(clock: Timer, work: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    work();
    await clock.sleep(1_000, signal).catch(() => {});
  }
}
