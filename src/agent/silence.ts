export type SilenceTimer = {
  signal: AbortSignal;
  /** Starts the time again, in ms. */
  restart(ms: number): void;
  /** Must be called at the end. */
  clear(): void;
};

/**
 * Creates a signal that aborts with another one, or when nothing arrives for too long.
 *
 * `AbortSignal.any` would do less: until the next full garbage collection, it keeps all that its listeners refer to.
 */
export function createSilenceTimer(signal: AbortSignal, ms: number): SilenceTimer {
  const silent = new AbortController();
  const end = () => silent.abort(signal.reason);
  let timer: NodeJS.Timeout | undefined;
  const restart = (after: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => silent.abort(), after).unref();
  };
  const clear = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  restart(ms);
  return { signal: silent.signal, restart, clear };
}
