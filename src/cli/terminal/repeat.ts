import type { Timer } from "#net/ports";

/** Does something at once, and then every second until the signal fires: what it draws shows the time left. */
export async function repeatEverySecond(clock: Timer, work: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    work();
    await clock.sleep(1_000, signal).catch(() => {});
  }
}
