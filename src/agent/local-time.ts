/**
 * Formats a moment for the model: `Friday, 2026-11-27 10:00 in the user's time zone, Europe/Berlin (UTC+01:00)`. Without
 * a known zone the time is in UTC.
 *
 * @param now in ms since the epoch
 */
export function formatLocalTime(now: number, timeZone: string | undefined): string {
  const zone = timeZone !== undefined && isTimeZone(timeZone) ? timeZone : undefined;
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone ?? "UTC",
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "longOffset",
  }).formatToParts(now);
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? "";
  const moment = `${get("weekday")}, ${get("year")}-${get("month")}-${get("day")} ${get("hour")}:${get("minute")}`;
  if (zone === undefined) return `${moment} UTC; the user's time zone is not known`;
  const offset = get("timeZoneName").replace(/^GMT/, "UTC");
  return `${moment} in the user's time zone, ${zone} (${offset === "UTC" ? "UTC+00:00" : offset})`;
}

/** Returns whether a text is the IANA name of a time zone. */
export function isTimeZone(text: string): boolean {
  if (text.length > 64 || !/^[A-Za-z][\w+/-]*$/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
