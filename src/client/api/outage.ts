import type { BackendConnection } from "./backend-connection.ts";

/** Longest time without a connection, in milliseconds, after which nobody waits any more. */
const LIMIT_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;

/** A time without a connection: how long to wait before each attempt, and when to give up. */
export type Outage = {
  /** Begin it, unless it has begun; whether it did. */
  begin(): boolean;
  /** Pause before the next attempt in milliseconds, at least what was asked for; null when it has lasted too long. */
  pause(askedMs: number): number | null;
  /** Milliseconds until it has lasted too long. */
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
      const growing = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempts) * spread;
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
