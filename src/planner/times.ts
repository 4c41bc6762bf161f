import { type Component, casual, type ParsedResult, type Refiner } from "chrono-node/en";
import type { Clause } from "./clauses.ts";
import { PRONOUNS } from "./grammar.ts";
import { PERIODS, type Period } from "./periods.ts";

/**
 * A day, a time or a stretch of time that a clause names: which words say it (`to` exclusive), and what it bounds.
 * `start` and `end` are days (`2026-11-28`) or moments (`2026-11-28T15:00:00`); `end` is inclusive for days.
 */
export type NamedTime = Period & {
  from: number;
  to: number;
  /** A time of day alone. */
  clock?: boolean;
  /** A part of a day, such as its morning: long enough to look at, too vague to write down. */
  vague?: boolean;
  /** "By Friday" has the Friday in it, "before Friday" has not. */
  including?: boolean;
};

/** Returns the times in a clause, in their order. A weekday is the next one, or the last one with `past`. */
export function findTimes(clause: Clause, past: boolean): NamedTime[] {
  const times = known.get(clause) ?? {};
  known.set(clause, times);
  const key = past ? "past" : "ahead";
  times[key] ??= readTimes(clause, past);
  return times[key];
}

/** Returns the day or time that a text names, for a form. */
export function parseTime(text: string, now: number): string | undefined {
  const [date] = text.length > LONGEST_TIME ? [] : parse(text, now, true);
  return date && toIso(date.start);
}

/** No one says a time in more characters than this. */
const LONGEST_TIME = 200;

/** Adds minutes to a moment without a zone. */
export function addMinutes(moment: string, minutes: number): string {
  const zoned = /Z$/.test(moment);
  const time = new Date(zoned ? moment : `${moment}Z`).getTime() + minutes * 60_000;
  const iso = new Date(time).toISOString();
  return zoned ? iso : iso.slice(0, 19);
}

/** Returns the moment at which this machine's clock shows what the clock of a time zone shows at `now`. */
export function toOwnClock(now: number, timeZone: string | undefined): number {
  if (timeZone === undefined) return now;
  const shown = new Date(now).toLocaleString("sv-SE", { timeZone });
  return new Date(shown.replace(" ", "T")).getTime() + (now % 1_000);
}

/** Returns the day of a moment on this machine's clock. */
export function toDay(time: number): string {
  const date = new Date(time);
  return new Date(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())).toISOString().slice(0, 10);
}

/** Adds days to a day. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day.slice(0, 10)}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);
}

/** "At 2" is 14:00: people mean the hours in which they work. "02:00" and "2 in the morning" stay. */
const WORKING_HOURS: Refiner = {
  refine: ({ text }, results) => {
    for (const { text: said, start, end } of results) {
      if (/\b0\d|\d{4}-/.test(said) || AT_NIGHT.test(text)) continue;
      for (const date of [start, end]) {
        const hour = date?.get("hour") ?? 0;
        if (!date?.isCertain("hour") || date.isCertain("meridiem") || hour < 1 || hour > LATEST_AFTERNOON) continue;
        date.assign("hour", hour + 12).assign("meridiem", 1);
        // "From 10 to 2" ends on the same day.
        if (date === end) for (const part of DAY_PARTS) date.imply(part, start.get(part) ?? 0);
      }
    }
    return results;
  },
};
const AT_NIGHT = /\b(?:morning|night|tonight|early)\b/i;
const LATEST_AFTERNOON = 6;
const DAY_PARTS: Component[] = ["year", "month", "day"];

const ENGLISH = casual.clone();
ENGLISH.refiners.unshift(WORKING_HOURS);

function parse(text: string, now: number, forwardDate: boolean): ParsedResult[] {
  return ENGLISH.parse(text, new Date(now), { forwardDate });
}

/** Each clause is read once for all tools. */
const known = new WeakMap<Clause, { past?: NamedTime[]; ahead?: NamedTime[] }>();

type ParsedDate = ParsedResult["start"];
type Found = Omit<NamedTime, "from" | "to"> & { at: number; until: number };

function readTimes(clause: Clause, past: boolean): NamedTime[] {
  const text = maskLiterals(clause);
  const periods = PERIODS.flatMap(({ pattern, read }) =>
    [...text.matchAll(pattern)].flatMap((match): Found[] => {
      const value = read(match, new Date(clause.now), past);
      return value ? [{ ...value, at: match.index, until: match.index + match[0].length }] : [];
    }),
  );
  // "Between 2 and 4pm", in words that chrono reads and at the same places.
  const free = blank(text, periods).replace(
    /\bbetween (\d{1,2}(?::\d\d)? ?(?:am|pm)?(?= and \d{1,2}(?::\d\d| ?[ap]m))|(?:\w+ ){0,2}?\w+) and /gi,
    (_, start: string) => `from    ${start} to  `,
  );
  const apart = free.replace(DAY_TO_CLOCK, (_, day: string, to: string) => day + MASK.repeat(to.length));
  const dates = parse(apart, clause.now, !past)
    // "By one hour" is a length, not a time from now on; "the week before" is that before another one.
    .filter(({ text: said }) => !LENGTH.test(said) && !/\bbefore$/i.test(said))
    .map(
      ({ index, text: said, start, end }): Found => ({
        bound: "on",
        ...(["day", "weekday", "month"].some((name) => start.isCertain(name as "day")) ? {} : { clock: true }),
        start: toBound(start, past && !SHIFTED.test(said), clause.now),
        ...(end ? { end: toBound(end, past && !SHIFTED.test(said), clause.now) } : {}),
        ...(start.isCertain("hour") ? {} : getPartOfDay(said, toBound(start, past && !SHIFTED.test(said), clause.now))),
        at: index,
        until: index + said.length,
      }),
    );
  const all = [...periods, ...dates].sort((a, b) => a.at - b.at);
  return setDays(
    all.flatMap((one) => place(one, clause)),
    findDayOfReference(clause),
  );
}

/** "Tomorrow morning": from when to when. */
function getPartOfDay(said: string, day: string): Pick<NamedTime, "start" | "end" | "vague"> | undefined {
  const [, from, to] = PARTS_OF_DAY.find(([name]) => name.test(said)) ?? [];
  return from && to ? { start: `${day}T${from}:00`, end: `${day}T${to}:00`, vague: true } : undefined;
}

const PARTS_OF_DAY: [name: RegExp, from: string, to: string][] = [
  [/\bmorning\b/i, "06:00", "12:00"],
  [/\bafternoon\b/i, "12:00", "18:00"],
  [/\bevening\b/i, "18:00", "23:00"],
];

/** Finds the words of a time: not the "17" of "Safari 17". */
function place({ at, until, ...time }: Found, { words, text }: Clause): NamedTime[] {
  const said = text.slice(at, until);
  if (!DAY_AFTER.test(said) && NO_TIME.test(said)) return [];
  if (!time.vague && /\b(morning|afternoon|evening)\b/i.test(said)) return [];
  const offset = words[0]?.start ?? 0;
  let from = words.findIndex(({ end }) => end - offset > at);
  let to = words.findLastIndex(({ start }) => start - offset < until) + 1;
  if (from < 0 || to <= from || words.slice(from, to).some(({ kind }) => kind === "literal")) return [];
  if (words[to]?.lower === "'s") to++;
  let { bound } = time;
  if (bound === "on") {
    const lead = words[from - 1]?.lower ?? "";
    if (AFTER.has(lead)) bound = "after";
    else if (BEFORE.has(lead)) bound = "before";
    if (UNTIL.has(lead)) time.including = true;
    if (bound !== "on" || ON.has(lead)) from--;
  }
  return [{ from, to, ...time, bound }];
}

/** "Tomorrow's review to 4pm", "it to 5pm": a time of day is on the one day that is named, or on that of the thing. */
function setDays(times: NamedTime[], dayOfReference: string | undefined): NamedTime[] {
  const [first, ...others] = times.filter(
    ({ start, end, bound, clock }) => bound === "on" && !clock && end === undefined && /^[\d-]{10}$/.test(start),
  );
  const day = others.length > 0 ? undefined : (first?.start ?? dayOfReference);
  return day === undefined
    ? times
    : times.map((time) => (time.clock ? { ...time, start: `${day}${time.start.slice(10)}` } : time));
}

/** The day of the one thing that "it" stands for. */
function findDayOfReference({ words, memory: { items } }: Clause): string | undefined {
  const [item, ...others] = items;
  if (item === undefined || others.length > 0 || !words.some(({ lower }) => PRONOUNS.has(lower))) return undefined;
  return typeof item.start === "string" && /^\d{4}-\d\d-\d\d/.test(item.start) ? item.start.slice(0, 10) : undefined;
}

function maskLiterals({ text, words }: Clause): string {
  const offset = words[0]?.start ?? 0;
  let masked = text.replace(/\b(today|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s\b/gi, "$1 ");
  for (const { kind, start, end } of words) {
    if (kind !== "literal" && end - start <= LONGEST_TIME) continue;
    masked =
      masked.slice(0, start - offset) +
      MASK.repeat(Math.max(0, Math.min(end - offset, text.length) - (start - offset))) +
      masked.slice(end - offset);
  }
  return masked;
}

function blank(text: string, spans: Found[]): string {
  return spans.reduce((rest, { at, until }) => rest.slice(0, at) + MASK.repeat(until - at) + rest.slice(until), text);
}

/** A day or moment; a weekday alone is not after today, where time lies `back`. */
function toBound(date: ParsedDate, back: boolean, now: number): string {
  const time = toIso(date);
  const isWeekday = date.isCertain("weekday") && !date.isCertain("day");
  return back && isWeekday && time.slice(0, 10) > toDay(now) ? addDays(time, -7) + time.slice(10) : time;
}

/** A day as `2026-11-28`; a time as people say it, of no zone unless they name one, since it is theirs and not this machine's. */
function toIso(date: ParsedDate): string {
  const part = (name: "month" | "day" | "hour" | "minute" | "second") => String(date.get(name) ?? 0).padStart(2, "0");
  const day = `${date.get("year")}-${part("month")}-${part("day")}`;
  if (!date.isCertain("hour")) return day;
  // "In two hours" is counted from the person's clock; "3pm UTC" names its zone.
  const namesZone = date.isCertain("timezoneOffset") && !date.tags().has("result/relativeDateAndTime");
  if (namesZone) return date.date().toISOString();
  return `${day}T${part("hour")}:${part("minute")}:${part("second")}`;
}

const AFTER = new Set(["since", "after", "newer"]);
const BEFORE = new Set("before until till by older".split(" "));
const UNTIL = new Set(["by", "until", "till"]);
const ON = new Set("between from on at for in of during".split(" "));

const SHIFTED = /\b(?:next|this|last|coming|past)\b/i;
const LENGTH = /^(?!.*\b(?:in|ago|now|within|last|past|next|this)\b).*\b(?:hour|min|minute|day|week|month)s?$/i;

/** A number alone, or words that shift another time. */
const NO_TIME = /^\s*\d+\s*$|\S\s(after|before|until|till|by|since)\s|\b(later|earlier|night)\b/i;
const DAY_AFTER = /^(?:the )?day (?:after tomorrow|before yesterday)\b/i;

/** "Move it on Friday to 3pm": a day and a time of day, not a stretch from one to the other. */
const DAY_TO_CLOCK =
  /\b(today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)( (?:to|until|till) )(?=\d{1,2}(?::\d\d)? ?(?:[ap]m\b|$))/gi;

const MASK = "\u0002";
const DAY = 86_400_000;
