/** What the idle clock needs from outside. */
export type IdlePorts = { now(): number; busy(): boolean; every(ms: number, tick: () => void): () => void };

/**
 * Call `onIdle` once when nothing was asked for `limitMs` and nothing is under way.
 *
 * @returns `touch`, to be called with every request, and `stop`
 */
export function watchIdle(limitMs: number, ports: IdlePorts, onIdle: () => void): { touch(): void; stop(): void } {
  let last = ports.now();
  const stop = ports.every(Math.max(50, Math.min(limitMs / 4, 30_000)), () => {
    if (ports.busy()) last = ports.now();
    if (ports.now() - last < limitMs) return;
    stop();
    onIdle();
  });
  return {
    touch: () => {
      last = ports.now();
    },
    stop,
  };
}
