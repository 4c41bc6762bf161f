import { vi } from "vitest";
import type { Timer } from "#net/ports";

/** A clock that advances to the end of the next wait whenever nothing else runs in this process. */
export type VirtualClock = Timer & {
  advance(ms: number): void;
  /** Time stands still while this work runs. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Limits do not pass while this reports work, for at most {@link WORKING_MS} of real time; short waits do. */
  whileWorking(works: () => boolean): void;
  /** Time stands still while this reports a read or a write. */
  whileUsing(uses: () => boolean): void;
};

/**
 * Number of consecutive checks that must find nothing running, because work may pause for a moment between two steps.
 */
const QUIET_LOOKS = 5;
/**
 * Waits longer than this, in ms, are time limits. One has passed if nothing happened in this many checks, a millisecond
 * or more apart (slower on a slow machine), nor in this many ms of real time, which exceeds short timers of the
 * backend.
 */
const LIMITS_MS = 4_000;
const HUNG_LOOKS = 330;
const HUNG_MS = 700;
const WORKING_MS = 30_000;

/** After this many checks, pending module loads are awaited; their users have the remaining checks to begin. */
const LOOKS_BETWEEN_MODULES = 50;

type Wait = { began: number; ends: number; wake(): void };

/**
 * Creates a {@link VirtualClock}. It knows work that passes `during` (requests), `whileUsing` (a database), module
 * loads, and file access. So a wait of ten minutes takes milliseconds, in real order, and nothing depends on the speed
 * of the machine.
 */
export function virtualClock(start: number): VirtualClock {
  let now = start;
  let underWay = 0;
  let quiet = 0;
  let quietSince = 0;
  let looking = false;
  let works = () => false;
  let uses = () => false;
  const waits = new Set<Wait>();
  const stir = () => {
    quiet = 0;
    quietSince = performance.now();
  };
  const look = () => {
    if (waits.size === 0) {
      looking = false;
      return;
    }
    if (underWay > 0 || filesInUse() || uses()) stir();
    quiet += 1;
    const first = [...waits].reduce((a, b) => (b.ends < a.ends ? b : a));
    const limit = first.ends - first.began > LIMITS_MS;
    const hung = quiet > HUNG_LOOKS && performance.now() - quietSince > (works() ? WORKING_MS : HUNG_MS);
    if (limit ? hung : quiet > QUIET_LOOKS) {
      stir();
      now = Math.max(now, first.ends);
      first.wake();
    }
    if (limit && quiet > 0 && quiet % LOOKS_BETWEEN_MODULES === 0) void vi.dynamicImportSettled().then(look);
    else if (limit || quiet === 1) setTimeout(look, 1);
    else setImmediate(look);
  };
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    whileWorking: (predicate) => {
      works = predicate;
    },
    whileUsing: (predicate) => {
      uses = predicate;
    },
    async during(work) {
      underWay += 1;
      try {
        return await work;
      } finally {
        underWay -= 1;
        stir();
      }
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const wait = { began: now, ends: now + ms, wake: () => end(resolve) };
        const abort = () => end(() => reject(signal?.reason));
        const end = (then: () => void) => {
          waits.delete(wait);
          signal?.removeEventListener("abort", abort);
          then();
        };
        waits.add(wait);
        signal?.addEventListener("abort", abort, { once: true });
        stir();
        if (looking) return;
        looking = true;
        setImmediate(look);
      }),
  };
}

function filesInUse(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^(FSReq|FileHandleClose)/.test(name));
}
