import type { BackendConnection } from "./backend-connection.ts";

/** Longest time without a connection before giving up, in ms. */
const LIMIT_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 15_000;

/** A time without a connection: how long to wait before each attempt, and when to give up. */
export type Outage = {
  /** Starts an outage and returns true, unless one has started already. */
  begin(): boolean;
  /** Returns the pause before the next attempt in ms, at least `askedMs`; null to give up. */
  pause(askedMs: number): number | null;
  /** Returns the ms until it is time to give up. */
  leftMs(): number;
  end(): void;
};

export function createOutage({ clock, random }: Pick<BackendConnection, "clock" | "random">): Outage {
  let since: number | null = null;
  let attempts = 0;
  const leftMs = () => (since ?? clock.now()) + LIMIT_MS - clock.now();
  return {
    begin() {
      const begins = since === null;
      since ??= clock.now();
      return begins;
    },
    pause(askedMs) {
      const spread = 1 + (random(1)[0] ?? 0) / 1020;
      const growing = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts) * spread;
      attempts += 1;
      return leftMs() <= askedMs ? null : Math.min(leftMs(), Math.max(askedMs, growing));
    },
    leftMs,
    end() {
      since = null;
      attempts = 0;
    },
  };
}
