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
  const parts = getFormat(timeZone).formatToParts(moment);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

/** Cached by zone, because creating one takes longer than using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function getFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  const known = timeZone === undefined ? undefined : formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ weekday: "long", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
    ...{ hourCycle: "h23", timeZoneName: "longOffset", timeZone },
  });
  // The zone of the system may change while kay runs.
  if (timeZone !== undefined) formats.set(timeZone, format);
  return format;
}
