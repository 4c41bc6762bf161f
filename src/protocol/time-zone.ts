/** Returns the name of a time zone as the system spells it; undefined for a text that names none. */
export function resolveTimeZone(text: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * Returns a moment as clocks show it: `year`, `month`, `day`, `weekday`, `hour`, `minute`, and in `timeZoneName` the offset,
 * such as `GMT+01:00`.
 *
 * @param timeZone IANA name (default: that of the system)
 */
export function readLocalParts(moment: number | Date, timeZone?: string): Record<string, string> {
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ weekday: "long", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
    ...{ hourCycle: "h23", timeZoneName: "longOffset", timeZone },
  });
  return Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, value]));
}
