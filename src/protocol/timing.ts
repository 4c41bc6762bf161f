import { Problem } from "./errors.ts";
import { capitalize } from "./parse.ts";
import { DAYS, readTimingWords, type TimingWords } from "./timing-words.ts";

/**
 * When a schedule runs: every so many minutes, or at a time of day on days of the week (0 is Sunday) or on one date of
 * each month (1 to 28, or 0 for its last day).
 */
export type Timing =
  | { minutes: number }
  | { days: readonly number[]; hour: number; minute: number }
  | { date: number; hour: number; minute: number };

/** The longest interval in minutes: 30 days. The shortest is one minute. */
const LONGEST = 30 * 24 * 60;

/**
 * Parses `15m`, `2 hours`, `weekday 9:00`, `daily at 6pm`, `every monday and thursday at 8:30`, `1st of the month at 9`.
 * A text with a word that it does not know, or with two times, is refused: a schedule never runs at half of its times.
 *
 * @param code of the problem: USAGE in a command, INVALID_REQUEST in a request
 * @throws Problem for any other text
 */
export function parseTiming(text: string, code: "USAGE" | "INVALID_REQUEST"): Timing {
  const words = readTimingWords(text);
  const timing = toTiming(words);
  if (typeof timing === "object") return timing;
  const label = JSON.stringify(text.slice(0, 60));
  const message = timing === "" ? `${label} does not say when.` : timing;
  throw new Problem(code, message, { hint: HINT, details: { field: "timing" } });
}

const HINT = "For example: weekday at 9:00, or 2 hours.";

/** Returns the timing, or why there is none; "" if the words do not say when. */
function toTiming({ unknown, minutes, days, dates, times, monthly, weekly, part }: TimingWords): Timing | string {
  if (unknown !== undefined)
    return unknown === "" ? "" : `kay does not understand “${unknown.slice(0, 40)}” as a time.`;
  if (minutes !== undefined) return toInterval(minutes, days ?? part ?? times[0] ?? dates[0]);
  if (dates.length > 0 || monthly) {
    const [date, another] = dates;
    if (date === undefined) return "On which day of the month? Its number is missing, such as 1st.";
    if (!monthly || another !== undefined || days?.length) return "A schedule has one date, such as 1st of the month.";
    if (date > 28) return "Not every month has this date. Use 1st to 28th, or last day of the month.";
    const time = getTime(times, part);
    return typeof time === "string" ? time : { date, ...time };
  }
  if (weekly && !days) return "On which day of the week? It is missing.";
  if (!days && part === undefined && !times.some(({ isExact }) => isExact)) return "";
  const time = getTime(times, part);
  return typeof time === "string" ? time : { days: days ?? EVERY_DAY, ...time };
}

const EVERY_DAY = DAYS.get("day") ?? [];

function toInterval(minutes: number, other: unknown): Timing | string {
  if (other !== undefined) return "An interval has no day and no time of day.";
  if (minutes < 1) return "The shortest interval is 1m.";
  return minutes > LONGEST ? "The longest interval is 720h, 30 days." : { minutes };
}

/** Parts of the day: the time that they mean alone, and the first and last hour that fits them. */
const PARTS = {
  morning: [9, 0, 11],
  afternoon: [15, 12, 17],
  evening: [18, 17, 23],
  night: [undefined, 18, 23],
} as const;

function getTime(
  [time, another]: TimingWords["times"],
  part: TimingWords["part"],
): { hour: number; minute: number } | string {
  if (another) return "A schedule has one time of day. Add another schedule for another time.";
  const [usual, first, last] = part === undefined ? [undefined, 0, 23] : PARTS[part];
  if (!time) return usual === undefined ? "At what time? The time is missing." : { hour: usual, minute: 0 };
  const { text, minute } = time;
  if (time.hour > 23 || minute > 59) return `${JSON.stringify(text.slice(0, 40))} is not a time of day.`;
  const hour = time.hour < first && time.hour > 0 ? time.hour + 12 : time.hour;
  return hour < first || hour > last ? `${JSON.stringify(text.slice(0, 40))} is not in the ${part}.` : { hour, minute };
}

/** Formats a timing in its one spelling: `hour`, `90m`, `2h`, `weekday 9:00`, `1st of month 9:00`. */
export function formatTiming(timing: Timing): string {
  if ("minutes" in timing) {
    const { minutes } = timing;
    return minutes === 60 ? "hour" : minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
  }
  const name = "date" in timing ? `${formatDate(timing.date)} of month` : listDays(timing.days).join(", ");
  return `${name} ${formatTime(timing)}`;
}

/** Describes a timing in words: `every 2 hours`, `every Monday and Friday at 9:00`, `on the 1st of every month at 9:00`. */
export function describeTiming(timing: Timing): string {
  if ("minutes" in timing) {
    const [count, unit] = timing.minutes % 60 === 0 ? [timing.minutes / 60, "hour"] : [timing.minutes, "minute"];
    return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`;
  }
  const time = `at ${formatTime(timing)}`;
  if ("date" in timing) return `on the ${formatDate(timing.date)} of every month ${time}`;
  const days = listDays(timing.days).map((day) => (DAYS.get(day)?.length === 1 ? capitalize(day) : day));
  return `every ${new Intl.ListFormat("en").format(days)} ${time}`;
}

function formatTime({ hour, minute }: { hour: number; minute: number }): string {
  return `${hour}:${String(minute).padStart(2, "0")}`;
}

function formatDate(date: number): string {
  if (date === 0) return "last day";
  const ending = date > 3 && date < 21 ? "th" : (["th", "st", "nd", "rd"][date % 10] ?? "th");
  return `${date}${ending}`;
}

/** Lists the names of the days, or the name of their group. */
function listDays(days: readonly number[]): string[] {
  const group = [...DAYS].find(([, set]) => set.join() === days.join());
  if (group) return [group[0]];
  return [...DAYS].flatMap(([name, set]) => (set.length === 1 && days.includes(set[0] ?? -1) ? [name] : []));
}
