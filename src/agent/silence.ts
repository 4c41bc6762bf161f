export type SilenceTimer = {
  signal: AbortSignal;
  /** Restarts the timer with a new limit, in ms. */
  restart(ms: number): void;
  /** Must be called at the end. */
  clear(): void;
};

/**
 * Creates a signal that aborts with another one, or when nothing arrives for too long.
 *
 * Does not use `AbortSignal.any`, which keeps everything that its listeners refer to until a full garbage collection.
 */
export function createSilenceTimer(signal: AbortSignal, ms: number): SilenceTimer {
  const controller = new AbortController();
  const end = () => controller.abort(signal.reason);
  let timer: NodeJS.Timeout | undefined;
  const restart = (delayMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(), delayMs).unref();
  };
  const clear = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  restart(ms);
  return { signal: controller.signal, restart, clear };
}
