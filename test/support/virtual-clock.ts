import { vi } from "vitest";
import type { Timer } from "#net/ports";

/** A clock that moves on by itself, to the next wait that ends, whenever nothing else is under way in this process. */
export type VirtualClock = Timer & {
  advance(ms: number): void;
  /** Time stands still while this work is under way. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Limits are not over while this says that something works, but for {@link WORKING_MS} of real time; short waits are. */
  whileWorking(works: () => boolean): void;
  /** Time stands still while this says that something is read or written. */
  whileUsing(uses: () => boolean): void;
};

/** So many looks in a row must find nothing under way; between two steps of one piece of work there may be a moment without any. */
const QUIET_LOOKS = 5;
/**
 * Longer waits than this, in ms, are limits of something; it has really hung when nothing happened in so many looks, a millisecond or more
 * apart (on a machine that is slow at everything, these are slow too), nor in so many ms of real time, which are more than short timers of
 * the backend take.
 */
const LIMITS_MS = 4_000;
const HUNG_LOOKS = 330;
const HUNG_MS = 700;
const WORKING_MS = 30_000;

/** After so many of them modules that are being loaded are waited for; what they were loaded for has the rest of the looks to begin. */
const LOOKS_BETWEEN_MODULES = 50;

type Wait = { began: number; ends: number; wake(): void };

/**
 * Build a {@link VirtualClock}. Work that it knows of is what passes `during` (requests), what `whileUsing` tells (a database), modules
 * that are loaded, and whatever reads or writes files. So a wait of ten minutes takes milliseconds, in the order in which it would go in real
 * time, and nothing depends on how fast the machine is.
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
    whileWorking: (given) => {
      works = given;
    },
    whileUsing: (given) => {
      uses = given;
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
