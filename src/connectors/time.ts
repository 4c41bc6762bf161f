import { Problem } from "#protocol/errors";
import { resolveTimeZone } from "#protocol/time";

/** A calendar date without a time zone, or a time: RFC 3339, or local time without an offset. */
export type CalendarTime = { date: string } | { dateTime: string };

export const DAY_MS = 86_400_000;

/**
 * Parses a date or time in ISO 8601. A time without an offset is in the calendar's time zone.
 *
 * @throws Problem INVALID_REQUEST when it is neither, or not a real date
 */
export function parseCalendarTime(text: string, field: string): CalendarTime {
  const match = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)?\s*(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text.trim());
  const [, date = "", time, seconds = ":00", offset = ""] = match ?? [];
  const real = date !== "" && new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10) === date;
  if (!match || !real || (time !== undefined && Number.isNaN(Date.parse(`${date}T${time}${seconds}Z`)))) {
    throw new Problem("INVALID_REQUEST", `“${text.trim()}” is not a day or a time.`, {
      hint: "Write 2026-01-31 or 2026-01-31T09:00.",
      details: { field },
    });
  }
  if (time === undefined) return { date };
  const zone = offset.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, "$1:$2");
  return { dateTime: `${date}T${time}${seconds}${zone}` };
}

/**
 * Parses a date or time as an instant in RFC 3339, in `zone` where it has no offset. @throws Problem INVALID_REQUEST
 */
export function parseInstant(text: string, field: string, zone = "UTC"): string {
  return new Date(toInstant(parseCalendarTime(text, field), zone)).toISOString().replace(".000", "");
}

/** Parses an optional date or time as an instant. Returns undefined for a blank text. @throws Problem INVALID_REQUEST */
export function parseOptionalInstant(text: string | undefined, field: string, zone?: string): string | undefined {
  return text?.trim() ? parseInstant(text, field, zone) : undefined;
}

/**
 * Formats a time of a service for people, as clocks in `zone` show it: `2026-11-28 15:00`. "" for what is not a time.
 */
export function formatMinute(time: string | null | undefined, zone = "UTC"): string {
  const instant = Date.parse(time ?? "");
  return Number.isNaN(instant) ? "" : toWallTime(instant, zone).slice(0, 16).replace("T", " ");
}

/** Adds days to a date without involving a time zone. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the number of days between two dates. */
export function countDaysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/**
 * Converts a time to ms since the epoch. A date counts from its start in the zone. Of a time that clocks show twice,
 * the first counts; one that they skip is later by the gap (RFC 5545, section 3.3.5).
 */
export function toInstant(when: CalendarTime, zone: string): number {
  const text = "date" in when ? `${when.date}T00:00:00` : when.dateTime;
  const offset = /([+-]\d\d):?(\d\d)$/.exec(text.slice(10));
  if (offset) return Date.parse(`${text.slice(0, -offset[0].length)}${offset[1]}:${offset[2]}`);
  if (/Z$/i.test(text)) return Date.parse(text);
  const wall = Date.parse(`${text}Z`);
  if (Number.isNaN(wall)) return wall;
  const [before, after] = [wall - DAY_MS, wall + DAY_MS].map((instant) => wall - getOffsetAt(instant, zone));
  const exact = [before, after].filter((instant): instant is number => toWallTime(instant ?? 0, zone) === text);
  return Math.min(...(exact.length > 0 ? exact : [before ?? wall]));
}

/** Formats an instant as local time in a zone: `2026-11-28T15:00:00`. */
export function toWallTime(instant: number, zone: string): string {
  return new Date(instant + getOffsetAt(instant, zone)).toISOString().slice(0, 19);
}

/**
 * Formats an instant as local time with its offset: `2026-11-28T15:00:00+01:00`. Only this is exact when clocks go
 * back.
 */
export function toOffsetTime(instant: number, zone: string): string {
  return toWallTime(instant, zone) + formatOffset(instant, zone);
}

function formatOffset(instant: number, zone: string): string {
  const minutes = Math.round(getOffsetAt(instant, zone) / 60_000);
  const formatPart = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${formatPart(Math.abs(minutes) / 60)}:${formatPart(Math.abs(minutes) % 60)}`;
}

/** Formats days from first to last, inclusive: "Dec 24 - 26". The year is added if it differs from `thisYear`. */
export function formatDayRange(first: string, last: string, thisYear: number): string {
  const year = last.startsWith(`${thisYear}-`) ? "" : `, ${last.slice(0, 4)}`;
  if (first >= last) return `${formatWeekday(first)} ${formatMonthDay(first)}${year}`;
  const sameMonth = first.slice(0, 7) === last.slice(0, 7);
  return `${formatMonthDay(first)} - ${sameMonth ? String(Number(last.slice(8))) : formatMonthDay(last)}${year}`;
}

/**
 * Formats a time range in a zone: "Fri Nov 27, 14:00 - 15:00". When clocks go back meanwhile, or have just done so, the
 * offsets are shown too.
 */
export function formatTimeRange(start: number, end: number, zone: string, thisYear: number): string {
  const [from, to] = [toWallTime(start, zone), toWallTime(end, zone)];
  const isPlain = [start, end].every(
    (candidate) => toInstant({ dateTime: toWallTime(candidate, zone) }, zone) === candidate,
  );
  const isExact = isPlain && getOffsetAt(start, zone) === getOffsetAt(end, zone);
  const formatTime = (instant: number) =>
    `${toWallTime(instant, zone).slice(11, 16)}${isExact ? "" : ` (UTC${formatOffset(instant, zone)})`}`;
  const formatDay = (wall: string) => formatDayRange(wall.slice(0, 10), wall.slice(0, 10), thisYear);
  const until = from.slice(0, 10) === to.slice(0, 10) ? formatTime(end) : `${formatDay(to)}, ${formatTime(end)}`;
  return start === end
    ? `${formatDay(from)}, ${formatTime(start)}`
    : `${formatDay(from)}, ${formatTime(start)} - ${until}`;
}

/** Validates a time zone. @throws Problem INVALID_REQUEST */
export function parseTimeZone(zone: string): string {
  const resolved = resolveTimeZone(zone.trim());
  if (resolved !== undefined) return resolved;
  throw new Problem("INVALID_REQUEST", `“${zone}” is not a time zone.`, {
    hint: "Use a name such as Europe/Berlin.",
    details: { field: "timeZone" },
  });
}

/** Returns the offset of a zone from UTC at an instant, in ms. */
function getOffsetAt(instant: number, zone: string): number {
  const parts = getClock(zone).formatToParts(instant);
  const getPart = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0);
  const wall = Date.UTC(
    getPart("year"),
    getPart("month") - 1,
    getPart("day"),
    getPart("hour"),
    getPart("minute"),
    getPart("second"),
  );
  return wall - Math.floor(instant / 1000) * 1000;
}

function getClock(timeZone: string): Intl.DateTimeFormat {
  const [year, month, day, hour, minute, second] = Array.from({ length: 6 }, () => "numeric" as const);
  return new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", year, month, day, hour, minute, second });
}

function formatMonthDay(date: string): string {
  return formatDate(date, { month: "short", day: "numeric" });
}

function formatWeekday(date: string): string {
  return formatDate(date, { weekday: "short" });
}

function formatDate(date: string, options: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat("en-US", { ...options, timeZone: "UTC" }).format(Date.parse(`${date}T00:00:00Z`));
}
