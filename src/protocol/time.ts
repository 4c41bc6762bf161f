/** Shortest and longest time that an approval may be set to wait, in seconds: ten seconds and a week. */
export const APPROVAL_LIMITS = { shortest: 10, longest: 7 * 24 * 3_600 };

/**
 * Parses `30`, `30s`, `5m`, `24h`, `7d` or `1h30m` to milliseconds; a number alone is seconds. Returns undefined for any
 * other text.
 */
export function parseDuration(text: string): number | undefined {
  const [match, ...parts] = /^(?:([\d.]+)d)?(?:([\d.]+)h)?(?:([\d.]+)m)?(?:([\d.]+)s?)?$/i.exec(text.trim()) ?? [];
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
  const ms = Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000);
  return match && Number.isFinite(ms) ? ms : undefined;
}

/** Parses how long an approval waits, in seconds. Returns undefined if the text is invalid or outside the limits. */
export function parseApprovalTimeout(text: string): number | undefined {
  const seconds = (parseDuration(text) ?? 0) / 1_000;
  const { shortest, longest } = APPROVAL_LIMITS;
  return Number.isInteger(seconds) && seconds >= shortest && seconds <= longest ? seconds : undefined;
}

/** Formats a duration with its two largest units: `2 h 30 min`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor((seconds % 86_400) / 3_600), "h"],
    [Math.floor((seconds % 3_600) / 60), "min"],
    [seconds % 60, "s"],
  ] as const;
  const words = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return words.slice(0, 2).join(" ") || `${ms} ms`;
}

/** Returns the name of a time zone as the system spells it; undefined for a text that names none. */
export function resolveTimeZone(text: string): string | undefined {
  try {
    const name = zoneNames.get(text) ?? new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone;
    if (zoneNames.size < MOST_ZONES) zoneNames.set(text, name);
    return name;
  } catch {
    return undefined;
  }
}

/** Cached by what was written, because the system takes 0.1 ms to look a zone up. */
const zoneNames = new Map<string, string>();
const MOST_ZONES = 1_000;

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
  const cached = timeZone === undefined ? undefined : formats.get(timeZone);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ weekday: "long", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
    ...{ hourCycle: "h23", timeZoneName: "longOffset", timeZone },
  });
  // The zone of the system may change while kay runs.
  if (timeZone !== undefined) formats.set(timeZone, format);
  return format;
}

/**
 * Formats a moment for the model: `Friday, 2026-11-27 10:00 in the user's time zone, Europe/Berlin (UTC+01:00)`. Without
 * a known zone the time is in UTC.
 *
 * @param now in ms since the epoch
 */
export function describeNow(now: number, timeZone: string | undefined): string {
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
