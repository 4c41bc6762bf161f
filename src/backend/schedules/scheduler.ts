import { parseTiming } from "#protocol/timing";
import type { Engine } from "../generations/engine.ts";
import type { BackendPorts } from "../ports.ts";
import { getFaultLevel } from "../store/database.ts";
import {
  changeSchedule,
  isRunning,
  listNextTimes,
  listSchedulesSince,
  lockDueSchedule,
  type StoredSchedule,
} from "../store/schedules.ts";
import type { DbConnection } from "../store/schema.ts";
import { hasLiveFamily } from "../store/token-families.ts";
import { runTransaction } from "../store/wake-ups.ts";
import { findNextRun, listDueRuns } from "./next-run.ts";
import { startRun } from "./start-run.ts";

/** Longest pause between two looks at the schedules, in ms. Another node may have added one. */
const LOOK_MS = 20_000;

/** A run that is later than this, in ms, does not start, because no backend was running when it was due. */
const LATE_MS = 5 * 60_000;

/** Schedules that one look runs. */
const AT_ONCE = 50;

/**
 * Runs due schedules on this node. Each run starts once across all nodes, because its row changes in the same
 * transaction.
 */
export type Scheduler = {
  /** Checks the schedules if one is due, and every 20 s. */
  tick(): Promise<void>;
  /** Time of the next due schedule that this node knows, in ms. */
  expect(time: number): void;
};

export function createScheduler(ports: BackendPorts, engine: Engine): Scheduler {
  const { db, clock, log } = ports;
  // The clock may have been set back before this node started, too.
  let [lastLook, nextLook] = [Number.POSITIVE_INFINITY, 0];

  async function runIfDue(id: string): Promise<void> {
    const now = clock.now();
    const generationId = await runTransaction(db, async (tx) => {
      const schedule = await lockDueSchedule(tx, id, new Date(now));
      return schedule && (await takeDueRuns(ports, tx, schedule, now));
    });
    if (generationId !== undefined) engine.wake(generationId);
  }

  return {
    async tick() {
      const now = clock.now();
      const isSetBack = now < lastLook;
      if ((now < nextLook && !isSetBack) || !engine.takesWork()) return;
      if (isSetBack) await correctNextTimes(ports, now);
      [lastLook, nextLook] = [now, now + LOOK_MS];
      const times = await listNextTimes(db, AT_ONCE);
      const due = times.filter(({ next_at }) => next_at.getTime() <= now);
      const [soonest] = times.slice(due.length);
      if (soonest) nextLook = Math.min(nextLook, soonest.next_at.getTime());
      for (const { id } of due)
        await runIfDue(id).catch((error: unknown) => log(getFaultLevel(error), "schedule_failed", { id, error }));
      if (due.length > 0) nextLook = Math.min(nextLook, now + 1_000);
    },
    expect(time) {
      nextLook = Math.min(nextLook, time);
    },
  };
}

/**
 * Corrects the schedules that a clock ahead of this one has moved on: their next times would be too late by as much.
 * Misses at times that have not come yet are removed. The clocks of nodes may differ by 5 minutes.
 */
async function correctNextTimes({ db, log }: Pick<BackendPorts, "db" | "log">, now: number): Promise<void> {
  for (const schedule of await listSchedulesSince(db, new Date(now + LATE_MS))) {
    const { id, next_at, last_at, missed_until } = schedule;
    try {
      const timing = parseTiming(schedule.timing, "INVALID_REQUEST");
      const next = Math.min(next_at.getTime(), findNextRun(timing, schedule.time_zone, now, next_at.getTime()));
      await changeSchedule(db, id, {
        next_at: new Date(next),
        ...(last_at && last_at.getTime() > now ? { last_at: new Date(now) } : {}),
        ...(missed_until && missed_until.getTime() > now ? NO_MISSES : {}),
      });
    } catch (error) {
      log(getFaultLevel(error), "schedule_failed", { id, error });
    }
  }
}

const NO_MISSES = { missed: 0, missed_since: null, missed_until: null, missed_reason: null };

/**
 * Moves a schedule to its next time. Starts the last due run, or records why none starts.
 *
 * @returns the generation of the run
 */
async function takeDueRuns(
  ports: BackendPorts,
  tx: DbConnection,
  schedule: StoredSchedule & { next_at: Date | null },
  now: number,
): Promise<string | undefined> {
  const due = schedule.next_at?.getTime() ?? now;
  const timing = parseTiming(schedule.timing, "INVALID_REQUEST");
  const { count, last, next } = listDueRuns(timing, schedule.time_zone, due, now);
  const reason = await findObstacle(tx, schedule, last, now);
  const missed = reason ? count : count - 1;
  await changeSchedule(tx, schedule.id, {
    next_at: new Date(next),
    ...(missed > 0 ? addMissed(schedule, { count: missed, since: due, now, reason: reason ?? "backend_off" }) : {}),
  });
  if (reason) return undefined;
  const { generationId } = await startRun(ports, tx, schedule, now);
  return generationId;
}

async function findObstacle(
  tx: DbConnection,
  schedule: StoredSchedule,
  due: number,
  now: number,
): Promise<StoredSchedule["missed_reason"]> {
  if (now - due > LATE_MS) return "backend_off";
  if (!(await hasLiveFamily(tx, schedule.installation_id, new Date(now)))) return "signed_out";
  return (await isRunning(tx, schedule)) ? "still_running" : null;
}

/** Runs that are missed one after another are one row, which a run in between ends. */
function addMissed(
  { missed, missed_since, missed_until, last_at }: StoredSchedule,
  { count, since, now, reason }: { count: number; since: number; now: number; reason: StoredSchedule["missed_reason"] },
) {
  const continues = missed_since !== null && missed_until !== null && (last_at === null || last_at <= missed_until);
  return {
    missed: continues ? missed + count : count,
    missed_since: continues ? missed_since : new Date(since),
    missed_until: new Date(now),
    missed_reason: reason,
  };
}
