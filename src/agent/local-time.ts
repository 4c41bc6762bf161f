import { readLocalParts, resolveTimeZone } from "#protocol/time-zone";

/**
 * Formats a moment for the model: `Friday, 2026-11-27 10:00 in the user's time zone, Europe/Berlin (UTC+01:00)`. Without
 * a known zone the time is in UTC.
 *
 * @param now in ms since the epoch
 */
export function formatLocalTime(now: number, timeZone: string | undefined): string {
  const zone = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : undefined;
  const { weekday, year, month, day, hour, minute, timeZoneName = "" } = readLocalParts(now, zone ?? "UTC");
  const moment = `${weekday}, ${year}-${month}-${day} ${hour}:${minute}`;
  if (zone === undefined) return `${moment} UTC; the user's time zone is not known`;
  const offset = timeZoneName.replace(/^GMT/, "UTC");
  return `${moment} in the user's time zone, ${zone} (${offset === "UTC" ? "UTC+00:00" : offset})`;
}

/** Returns whether a text is the IANA name of a time zone. */
export function isTimeZone(text: string): boolean {
  if (text.length > 64 || !/^[A-Za-z][\w+/-]*$/.test(text)) return false;
  return resolveTimeZone(text) !== undefined;
}
