import { readLocalParts } from "#protocol/time";
import type { Timing } from "#protocol/timing";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Longest search in days: a month, and one more, because a zone can skip a whole day, as Samoa did in 2011. */
const SEARCH = 64;

/** Maximum number of daily runs that are counted one by one. */
const MOST_COUNTED = 1_000;

/**
 * Returns the first run after a moment, in ms. A time of day that clocks skip runs at the next moment that exists; one
 * that they show twice runs the first time.
 *
 * @param after in ms since the epoch
 * @param start a moment that intervals count from
 */
export function findNextRun(timing: Timing, timeZone: string, after: number, start = after): number {
  if ("minutes" in timing) {
    const step = timing.minutes * MINUTE;
    return start + (Math.floor((after - start) / step) + 1) * step;
  }
  const { hour, minute } = timing;
  const today = Math.floor(readWallTime(after, timeZone) / DAY) * DAY;
  for (let date = today; date <= today + SEARCH * DAY; date += DAY) {
    if (!matchesDay(timing, date)) continue;
    const instant = toInstant(date + (hour * 60 + minute) * MINUTE, timeZone);
    if (instant > after) return instant;
  }
  throw new RangeError(`no run follows ${after}`);
}

function matchesDay(timing: Exclude<Timing, { minutes: number }>, date: number): boolean {
  if ("days" in timing) return timing.days.includes(new Date(date).getUTCDay());
  if (timing.date === 0) return new Date(date + DAY).getUTCDate() === 1;
  return new Date(date).getUTCDate() === timing.date;
}

/** The due runs: their number, the last one, and the next one that is not due yet. */
export type DueRuns = { count: number; last: number; next: number };

/** Returns the runs from one that is due until now. */
export function listDueRuns(timing: Timing, timeZone: string, due: number, now: number): DueRuns {
  if ("minutes" in timing) {
    const next = findNextRun(timing, timeZone, now, due);
    const step = timing.minutes * MINUTE;
    return { count: (next - due) / step, last: next - step, next };
  }
  let [count, last, next] = [1, due, findNextRun(timing, timeZone, due)];
  while (next <= now && count < MOST_COUNTED)
    [count, last, next] = [count + 1, next, findNextRun(timing, timeZone, next)];
  return next > now ? { count, last, next } : { count, last, next: findNextRun(timing, timeZone, now) };
}

/** Returns what clocks of a zone show, as if it were UTC, to the minute. */
function readWallTime(moment: number, timeZone: string): number {
  const { year, month, day, hour, minute } = readLocalParts(moment, timeZone);
  return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute));
}

/** Returns the first moment at which clocks show a time, or the end of the gap if they skip it. */
function toInstant(wall: number, timeZone: string): number {
  const getOffset = (moment: number) => readWallTime(moment, timeZone) - Math.floor(moment / MINUTE) * MINUTE;
  const [offsetBefore, offsetAfter] = [getOffset(wall - DAY), getOffset(wall + DAY)];
  const [early, late] = [wall - Math.max(offsetBefore, offsetAfter), wall - Math.min(offsetBefore, offsetAfter)];
  for (const moment of [early, late]) if (readWallTime(moment, timeZone) === wall) return moment;
  let [low, high] = [early, late];
  while (high - low > MINUTE) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
    if (getOffset(middle) === offsetBefore) low = middle;
    else high = middle;
  }
  return high;
}
