import { parsePeriod } from "../period.ts";
import { parseMoment, SeedError } from "../seed-build.ts";
import type { TimeSeed } from "./seed.ts";
import type { EventTime } from "./state.ts";

const DAY_MS = 86_400_000;

/** Converts a wall-clock time in a zone to milliseconds. */
export function toInstant(wall: string, zone: string): number {
  const utc = Date.parse(`${wall}Z`);
  const first = utc - offsetAt(utc, zone);
  return utc - offsetAt(first, zone);
}

/** Formats a time as RFC 3339 with the offset of a zone, like Calendar: `2026-11-28T15:00:00+01:00`. */
export function formatZonedTime(instant: number, zone: string): string {
  const offset = offsetAt(instant, zone);
  const wall = new Date(instant + offset).toISOString().slice(0, 19);
  if (offset === 0) return `${wall}Z`;
  const minutes = Math.abs(Math.round(offset / 60_000));
  const padNumber = (number: number) => String(number).padStart(2, "0");
  return `${wall}${offset < 0 ? "-" : "+"}${padNumber(Math.floor(minutes / 60))}:${padNumber(minutes % 60)}`;
}

/** Whether a name is one of a time zone. */
export function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** Converts an event's time to a moment; a day to its start in the calendar's zone. */
export function getInstant(time: EventTime, zone: string): number {
  return "date" in time ? toInstant(`${time.date}T00:00:00`, zone) : Date.parse(time.dateTime);
}

export function addDays(date: string, days = 1): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Reads an event's time in a seed. @throws SeedError */
export function parseSeedTime(value: TimeSeed, zone: string, now: number, path: string): EventTime {
  if (typeof value !== "string") return value;
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return { date: value };
  const [, shift = "", clock] = /^([+-]\s*\d+\s*[dw])(?:\s+(\d\d:\d\d))?$/.exec(value.trim()) ?? [];
  if (shift === "")
    return { dateTime: formatZonedTime(Date.parse(parseMoment(value, now, path)), zone), timeZone: zone };
  const date = formatZonedTime(now + (parsePeriod(shift) ?? 0), zone).slice(0, 10);
  if (clock === undefined) return { date };
  const instant = toInstant(`${date}T${clock}:00`, zone);
  if (Number.isNaN(instant)) throw new SeedError(path, `"${value}" is not a time: write +1d 14:00`);
  return { dateTime: formatZonedTime(instant, zone), timeZone: zone };
}

function offsetAt(instant: number, timeZone: string): number {
  const parts = getFormat(timeZone).formatToParts(instant);
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

/** Cached by zone, because creating one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function getFormat(timeZone: string): Intl.DateTimeFormat {
  const cachedFormat = formats.get(timeZone);
  if (cachedFormat) return cachedFormat;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(timeZone, format);
  return format;
}
