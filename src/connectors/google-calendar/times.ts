import { Problem } from "#protocol/errors";
import {
  addDays,
  type CalendarTime,
  countDaysBetween,
  DAY_MS,
  parseCalendarTime,
  toInstant,
  toOffsetTime,
  toWallTime,
} from "../time.ts";

/** A date or time as Google expects it. The unused half is null, so that a change from one to the other is complete. */
export type GoogleTime = { date: string } | { dateTime: string; timeZone: string };

/** Default duration of an event. */
const HOUR_MS = 3_600_000;

/**
 * Returns start and end of a new event. Users include the last of several whole days, Google excludes it, and neither
 * date is converted between time zones.
 *
 * @throws Problem INVALID_REQUEST
 */
export function toEventTimes(
  { start, end, allDay }: { start: string; end?: string; allDay?: boolean },
  zone: string,
): { start: GoogleTime; end: GoogleTime } {
  const [first, last] = [parseCalendarTime(start, "start"), end?.trim() ? parseCalendarTime(end, "end") : undefined];
  if (allDay === true || "date" in first) return toWholeDays(getDay(first, zone), getDay(last ?? first, zone));
  if (last && "date" in last) throw mixedTimesProblem();
  const from = toInstant(first, zone);
  return toTimedSpan(from, last ? toInstant(last, zone) : from + HOUR_MS, zone);
}

/**
 * Returns the times of a moved event. Whatever is not specified stays, including the time of day if only the day
 * changes.
 */
export function toMovedTimes(
  oldTimes: { start: CalendarTime; end: CalendarTime },
  { start, end }: { start?: string; end?: string },
  zone: string,
): { start: GoogleTime; end: GoogleTime } {
  const [first, last] = [
    start?.trim() ? parseCalendarTime(start, "start") : undefined,
    end?.trim() ? parseCalendarTime(end, "end") : undefined,
  ];
  if ("date" in oldTimes.start) {
    if (first && "dateTime" in first) return toEventTimes({ start: first.dateTime, end }, zone);
    if (last && "dateTime" in last) throw mixedTimesProblem();
    const from = first?.date ?? oldTimes.start.date;
    const days = countDaysBetween(oldTimes.start.date, getDay(oldTimes.end, zone)) - 1;
    return toWholeDays(from, last?.date ?? addDays(from, days));
  }
  const [oldFrom, oldTo] = [toInstant(oldTimes.start, zone), toInstant(oldTimes.end, zone)];
  const from = first ? getAtTime(first, oldFrom, zone) : oldFrom;
  const to = last ? getAtTime(last, oldTo, zone) : from + (oldTo - oldFrom);
  return toTimedSpan(from, to, zone);
}

function toWholeDays(first: string, last: string): { start: GoogleTime; end: GoogleTime } {
  if (last < first) throw endBeforeStartProblem();
  return { start: { date: first }, end: { date: addDays(last, 1) } };
}

function toTimedSpan(from: number, to: number, timeZone: string): { start: GoogleTime; end: GoogleTime } {
  if (to < from) throw endBeforeStartProblem();
  if (to - from > 366 * DAY_MS)
    throw new Problem("INVALID_REQUEST", "The event is longer than a year.", { details: { field: "end" } });
  return {
    start: { dateTime: toOffsetTime(from, timeZone), timeZone },
    end: { dateTime: toOffsetTime(to, timeZone), timeZone },
  };
}

/** Keeps the time of day on another date. */
function getAtTime(when: CalendarTime, instant: number, zone: string): number {
  if ("dateTime" in when) return toInstant(when, zone);
  return toInstant({ dateTime: `${when.date}${toWallTime(instant, zone).slice(10)}` }, zone);
}

function getDay(when: CalendarTime, zone: string): string {
  if ("date" in when) return when.date;
  const offset = /(?:Z|[+-]\d\d:\d\d)$/.test(when.dateTime);
  return offset ? toWallTime(toInstant(when, zone), zone).slice(0, 10) : when.dateTime.slice(0, 10);
}

function mixedTimesProblem(): Problem {
  return new Problem("INVALID_REQUEST", "Start and end must both be dates or both be times.", {
    hint: "Specify a time for the end too.",
    details: { field: "end" },
  });
}

function endBeforeStartProblem(): Problem {
  return new Problem("INVALID_REQUEST", "The end is before the start.", { details: { field: "end" } });
}
