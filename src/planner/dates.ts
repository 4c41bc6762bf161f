import { parse } from "chrono-node/en";
import type { Clause } from "./clauses.ts";
import type { Field } from "./fields.ts";

/** A day or a time that a clause names: which words say it (`to` exclusive), and what they mean. */
export type NamedDate = { from: number; to: number; start: string; end?: string };

/** Days and times in a clause, in their order, as a field means them: a Friday is the next one, but for what looks back. */
export function findDates(clause: Clause, field: Field): NamedDate[] {
  const forwardDate = looksAhead(field);
  const known = read.get(clause) ?? new Map<boolean, NamedDate[]>();
  read.set(clause, known);
  const dates = known.get(forwardDate) ?? findByName(clause, forwardDate);
  known.set(forwardDate, dates);
  return dates;
}

/** The day or time that a text names, for a field. */
export function parseDate(text: string, field: Field, now: number): string | undefined {
  const [date] = parse(text, new Date(now), { forwardDate: looksAhead(field) });
  return date && getIso(date.start);
}

/** Each clause is read once for all tools. */
const read = new WeakMap<Clause, Map<boolean, NamedDate[]>>();

function looksAhead({ name }: Field): boolean {
  return !/^(since|after|before|from)/.test(name);
}

function findByName(clause: Clause, forwardDate: boolean): NamedDate[] {
  const { text, words, now } = clause;
  const offset = words[0]?.start ?? 0;
  return parse(text, new Date(now), { forwardDate }).flatMap((date): NamedDate[] => {
    const from = words.findIndex(({ end }) => end - offset > date.index);
    const to = words.findLastIndex(({ start }) => start - offset < date.index + date.text.length) + 1;
    const value = { start: getIso(date.start), ...(date.end ? { end: getIso(date.end) } : {}) };
    // Text in quotes or after a colon is the user's text.
    return from < 0 || words.slice(from, to).some(({ kind }) => kind === "literal") ? [] : [{ from, to, ...value }];
  });
}

/** A day as `2026-11-28`; a time as people say it, of no zone unless they name one, since it is theirs and not this machine's. */
function getIso(date: ReturnType<typeof parse>[number]["start"]): string {
  const part = (name: "month" | "day" | "hour" | "minute" | "second") => String(date.get(name) ?? 0).padStart(2, "0");
  const day = `${date.get("year")}-${part("month")}-${part("day")}`;
  if (!date.isCertain("hour")) return day;
  if (date.isCertain("timezoneOffset")) return date.date().toISOString();
  return `${day}T${part("hour")}:${part("minute")}:${part("second")}`;
}
