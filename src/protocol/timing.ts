import { Problem } from "./errors.ts";

/** When a schedule runs: every so many minutes, or on days of the week (0 is Sunday) at a time of day. */
export type Timing = { minutes: number } | { days: readonly number[]; hour: number; minute: number };

const WEEK = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

const DAYS: Record<string, readonly number[]> = {
  day: [0, 1, 2, 3, 4, 5, 6],
  weekday: [1, 2, 3, 4, 5],
  weekend: [0, 6],
  ...Object.fromEntries(WEEK.map((name, day) => [name, [day]])),
};

/** The longest interval in minutes: 30 days. The shortest is one minute. */
const LONGEST = 30 * 24 * 60;

/** Returns whether a timing that begins with this word has a time of day as its second word. */
export function isDayName(word: string): boolean {
  return Object.hasOwn(DAYS, word.toLowerCase());
}

/**
 * Parses `15m`, `2h`, `1h30m`, `hour`, `day 18:00`, `weekday 9:00`, `weekend 10:00` or `monday 8:30`.
 *
 * @param code of the problem: USAGE in a command, INVALID_REQUEST in a request
 * @throws Problem for any other text
 */
export function parseTiming(text: string, code: "USAGE" | "INVALID_REQUEST"): Timing {
  const [first = "", time, ...extra] = text.trim().toLowerCase().split(/\s+/);
  const label = JSON.stringify(text.slice(0, 40));
  const timingProblem = (message: string) => new Problem(code, message, { hint: HINT, details: { field: "timing" } });
  if (isDayName(first)) {
    if (time === undefined) throw timingProblem(`At what time of ${first}? The time is missing.`);
    const [, hour, minute] = /^(\d{1,2}):(\d\d)$/.exec(time) ?? [];
    if (hour === undefined || Number(hour) > 23 || Number(minute) > 59 || extra.length > 0)
      throw timingProblem(`${JSON.stringify(time.slice(0, 40))} is not a time of day.`);
    return { days: DAYS[first] ?? [], hour: Number(hour), minute: Number(minute) };
  }
  const minutes = first === "hour" ? 60 : readMinutes(first);
  if (minutes === undefined || time !== undefined) throw timingProblem(`${label} does not say when.`);
  if (minutes < 1) throw timingProblem("The shortest interval is 1m.");
  if (minutes > LONGEST) throw timingProblem("The longest interval is 720h, 30 days.");
  return { minutes };
}

const HINT = "Write 15m, 2h, hour, day 18:00, weekday 9:00 or monday 8:30.";

/** Reads `15m`, `2h` or `1h30m`. Seconds count as less than a minute. */
function readMinutes(text: string): number | undefined {
  if (/^\d{1,9}s$/.test(text)) return 0;
  const [match, hours = 0, minutes = 0] = /^(?:(\d{1,6})h)?(?:(\d{1,6})m(?:in)?)?$/.exec(text) ?? [];
  return match ? Number(hours) * 60 + Number(minutes) : undefined;
}

/** Formats a timing in its one spelling: `hour`, `90m`, `2h`, `weekday 9:00`. */
export function formatTiming(timing: Timing): string {
  if ("minutes" in timing) {
    const { minutes } = timing;
    return minutes === 60 ? "hour" : minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
  }
  const { days, hour, minute } = timing;
  const name = Object.keys(DAYS).find((key) => DAYS[key]?.join() === days.join());
  return `${name} ${hour}:${String(minute).padStart(2, "0")}`;
}
