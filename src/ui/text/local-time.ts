import { readLocalParts, resolveTimeZone } from "#protocol/time";
import { toLine } from "./words.ts";

/**
 * Formats a time of the protocol for people: in the zone of this machine, which it names, as in `2026-11-27 07:00 -05:00`.
 * A text that is not a time stays as it is.
 *
 * @param timeZone IANA name (default: that of the system, also for a name that this machine does not know)
 */
export function formatLocalTime(time: string, timeZone?: string): string {
  const parts = getLocalParts(time, timeZone);
  if (!parts) return toLine(time);
  const { year, month, day, hour, minute, timeZoneName = "" } = parts;
  const zone = timeZoneName.replace(/^GMT(\+00:00)?$/, "UTC").replace("GMT", "");
  return `${year}-${month}-${day} ${hour}:${minute} ${zone}`;
}

/** Formats how long ago a time was, for lists: `just now`, `5 min ago`, `3 h ago`. After two days, it is the day. */
export function formatAge(time: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(time)) / 60_000);
  if (!(minutes < 48 * 60)) return formatLocalDay(time);
  if (minutes < 1) return "just now";
  return minutes < 120 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}

/** Formats the day of a time in the zone of this machine, as in `2026-11-27`. */
export function formatLocalDay(time: string, timeZone?: string): string {
  const parts = getLocalParts(time, timeZone);
  return parts ? `${parts.year}-${parts.month}-${parts.day}` : toLine(time);
}

function getLocalParts(time: string, timeZone: string | undefined): Record<string, string> | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return undefined;
  return readLocalParts(date, timeZone && resolveTimeZone(timeZone));
}
