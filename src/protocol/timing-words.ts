/** What the words of a time say. `toTiming` decides whether that is one time. */
export type TimingWords = {
  /** The first word that is not understood; "" if the text is empty or ends in the middle. */
  unknown?: string;
  /** The interval. Seconds count as less than a minute. */
  minutes?: number;
  /** Days of the week, sorted; 0 is Sunday. */
  days?: number[];
  /** Dates of the month; 0 is its last day. */
  dates: number[];
  /** Times of day, not checked. `isExact` is false for a number alone, as in `at 9`. */
  times: { text: string; hour: number; minute: number; isExact: boolean }[];
  monthly: boolean;
  weekly: boolean;
  part?: "morning" | "afternoon" | "evening" | "night";
};

const WEEK = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

/** Names of days and groups of days. */
export const DAYS = new Map<string, readonly number[]>([
  ["day", [0, 1, 2, 3, 4, 5, 6]],
  ["weekday", [1, 2, 3, 4, 5]],
  ["weekend", [0, 6]],
  ...WEEK.map((name, day): [string, number[]] => [name, [day]]),
]);

/** Other words for the same, besides plurals. */
const SYNONYMS: Record<string, string> = {
  ...{ daily: "day", everyday: "day", monthly: "month", weekly: "week", hourly: "hour" },
  ...{ sun: "sunday", mon: "monday", tue: "tuesday", tues: "tuesday", wed: "wednesday", weds: "wednesday" },
  ...{ thu: "thursday", thur: "thursday", thurs: "thursday", fri: "friday", sat: "saturday" },
  ...{ min: "minute", hr: "hour", sec: "second", each: "every", "@": "at", through: "to", thru: "to", first: "1st" },
};

const NUMBERS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/** Minutes of the units of an interval. */
const UNITS: Record<string, number> = { second: 0, minute: 1, hour: 60, day: 24 * 60, week: 7 * 24 * 60 };

const FILLERS = new Set(["every", "a", "an", "once", "on", "at", "the", "of", "in", "and"]);

const PARTS = new Set(["morning", "afternoon", "evening", "night"]);

/** Reads the words of a time such as `every monday and thursday at 8:30`. */
export function readTimingWords(text: string): TimingWords {
  const words = splitWords(text);
  const read: TimingWords = { dates: [], times: [], monthly: false, weekly: false };
  for (let index = 0; index < words.length; ) {
    const length = readNext(read, words, index);
    if (length === 0) return { ...read, unknown: words[index] ?? "" };
    index += length;
  }
  const last = words.at(-1);
  return last === undefined || FILLERS.has(last) ? { ...read, unknown: last ?? "" } : read;
}

/** Splits a text into words in one spelling: `Mon-Fri, 9 a.m.` becomes monday, to, friday, and, 9am. */
function splitWords(text: string): string[] {
  const spaced = text
    .toLowerCase()
    .replace(/,|&/g, " and ")
    .replace(/([a-z])\s*[-–]\s*(?=[a-z])/g, "$1 to ")
    .replace(/(\d)\s*(a|p)\.?m\b\.?/g, "$1$2m")
    .replace(/(\d)\s+(?=[dhms]\b)/g, "$1")
    .replace(/(\d)\s*o['’]?clock\b/g, "$1:00")
    .replace(/\b(half|1\/2) (an )?hour\b/g, "30m")
    .replace(/\b(work|business) ?(?:ing )?day/g, "weekday")
    .replace(/\bmidday\b|\bnoon\b/g, "12:00")
    .replace(/\bmidnight\b/g, "0:00");
  return spaced.split(/\s+/).flatMap((word) => (word === "" ? [] : [toOneSpelling(word)]));
}

function toOneSpelling(word: string): string {
  const [short = ""] = /^.+?(?=s$)/.exec(word) ?? [];
  const known = [word, short].find(
    (form) => Object.hasOwn(SYNONYMS, form) || DAYS.has(form) || isUnit(form) || PARTS.has(form),
  );
  return known === undefined || /^\d/.test(word) ? word : (SYNONYMS[known] ?? known);
}

function isUnit(word: string): boolean {
  return Object.hasOwn(UNITS, word) || word === "month";
}

/** Reads the next words, and returns how many; 0 if they are not understood. */
function readNext(read: TimingWords, words: string[], index: number): number {
  const [word = "", next = ""] = words.slice(index, index + 2);
  return (
    readInterval(read, word, next) ||
    readDate(read, word, next) ||
    readDays(read, words, index) ||
    readTime(read, words, index) ||
    readPart(read, word, words[index - 1]) ||
    (FILLERS.has(word) ? 1 : 0)
  );
}

function readInterval(read: TimingWords, word: string, next: string): number {
  const add = (minutes: number, length: number) => {
    read.minutes = (read.minutes ?? 0) + minutes;
    return length;
  };
  const count = /^\d{1,6}$/.test(word) ? Number(word) : NUMBERS.indexOf(word);
  if (count >= 0 && word !== "" && Object.hasOwn(UNITS, next)) return add(count * (UNITS[next] ?? 0), 2);
  if (word === "hour" || word === "minute") return add(UNITS[word] ?? 0, 1);
  if (/^\d{1,9}s(?:ec)?$/.test(word)) return add(0, 1);
  const [match, days = 0, hours = 0, minutes = 0] =
    /^(?:(\d{1,3})d)?(?:(\d{1,6})h(?:rs?|ours?)?)?(?:(\d{1,6})m(?:ins?|inutes?)?)?$/.exec(word) ?? [];
  return match ? add(Number(days) * 24 * 60 + Number(hours) * 60 + Number(minutes), 1) : 0;
}

/** Reads `1st`, `15 of` and `last day`. The month must be named, so that `2nd monday` is not a date. */
function readDate(read: TimingWords, word: string, next: string): number {
  const [, ordinal, bare] = /^(?:(\d{1,2})(?:st|nd|rd|th)|(\d{1,2}))$/.exec(word) ?? [];
  const date = word === "last" && next === "day" ? 0 : Number(ordinal ?? (next === "of" ? bare : undefined));
  if (word === "month") read.monthly = true;
  else if (Number.isNaN(date) || (date === 0 && word !== "last")) return 0;
  else read.dates.push(date);
  return word === "last" || (next === "day" && word !== "month") ? 2 : 1;
}

/** Reads a day, a group of days, or `monday to friday`. Days do not follow a time unless `on` is between. */
function readDays(read: TimingWords, words: string[], index: number): number {
  const [word = "", to, last = ""] = words.slice(index, index + 3);
  if (word === "week") read.weekly = true;
  const days = DAYS.get(word);
  if (!days) return word === "week" ? 1 : 0;
  if (read.days && (read.times.length > 0 || [word, read.days.length].some((one) => one === "day" || one === 7)))
    return 0;
  const [first = 0, end] = [WEEK.indexOf(word), WEEK.indexOf(last)];
  const isRange = to === "to" && first >= 0 && end >= 0;
  const range = isRange ? WEEK.map((_, step) => (first + step) % 7).slice(0, ((end - first + 7) % 7) + 1) : days;
  read.days = [...new Set([...(read.days ?? []), ...range])].sort();
  return isRange ? 3 : 1;
}

/** Reads `9:00`, `9.30`, `9am`, `6:30pm`, and a number alone after `at`, at the end, or before `in the evening`. */
function readTime(read: TimingWords, words: string[], index: number): number {
  const word = words[index] ?? "";
  const [match, hours = "", minutes, half] = /^(\d{1,2})(?:[:.](\d\d))?(am|pm)?$/.exec(word) ?? [];
  const isExact = minutes !== undefined || half !== undefined;
  const [next, after] = words.slice(index + 1, index + 3);
  const isTime =
    isExact || next === undefined || words[index - 1] === "at" || (next === "in" && after === "the") || next === "at";
  if (!match || !isTime) return 0;
  const isWrong = half !== undefined && (Number(hours) > 12 || Number(hours) === 0);
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half === "pm" ? 12 : 0);
  read.times.push({ text: word, hour: isWrong ? 99 : hour, minute: Number(minutes ?? 0), isExact });
  return 1;
}

/** Reads `morning`. After a time it needs `in the` or `at`, so that it is not the beginning of a prompt. */
function readPart(read: TimingWords, word: string, previous: string | undefined): number {
  const isPart = PARTS.has(word) && read.part === undefined;
  if (!isPart || (read.times.length > 0 && previous !== "the" && previous !== "at")) return 0;
  read.part = word as NonNullable<TimingWords["part"]>;
  return 1;
}
