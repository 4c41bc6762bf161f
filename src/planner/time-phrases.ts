import type { Skill } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";

import { type Field, isFieldWord } from "./fields.ts";
import type { Word } from "./language.ts";
import type { Phrase } from "./phrase.ts";
import { addDays, addMinutes, findTimes, type NamedTime, toDay } from "./times.ts";

/** Finds the phrases that give the date fields of a tool their values: "tomorrow", "since Monday", "last week", "for 30 min". */
export function findTimePhrases(skill: Skill, clause: Clause): Phrase[] {
  const dates = skill.fields.filter(({ kind }) => kind === "date");
  const lengths = skill.fields.filter(({ kind, name }) => kind === "number" && LENGTH.test(name));
  if (dates.length === 0 && lengths.length === 0) return [];
  const overdue = findOverdue(skill, clause);
  const past = skill.access === "read" && dates.some(({ name }) => PAST.test(name));
  const times = findTimes(clause, past);
  const timed = times.flatMap((said, at): Phrase[] => {
    if (said.bound === "length") return getLength(said, times, dates, lengths);
    const { topic, from } = findTopic(clause.words, said, dates);
    // What is due or closes lies ahead.
    const isAhead = topic.every(({ name }) => AHEAD.test(name));
    const time = isAhead ? (findTimes(clause, false)[at] ?? said) : said;
    const today = toDay(clause.now);
    const phrase =
      skill.access === "read" ? bound(time, topic, today, past && !isAhead) : point(time, topic, clause.words);
    const which = dates.find(({ name }) => name === "day");
    const led = /^(to|at|until|by)$/.test(clause.words[from - 1]?.lower ?? "");
    // "Cancel Friday's review": the day that tells which one is meant.
    const meant =
      which && !led && time.end === undefined
        ? [{ field: which, value: time.start.slice(0, 10), from, to: time.to, weight: 0.75, particular: false }]
        : [];
    return [...meant, ...(phrase ? [{ ...phrase, from, to: time.to, weight: 0.7, particular: false }] : [])];
  });
  return [...overdue, ...timed];
}

/** "Overdue issues": those that are open, and were due before today. */
function findOverdue({ fields, access }: Skill, { words, now }: Clause): Phrase[] {
  const due = fields.find(({ name }) => DUE_BEFORE.test(name));
  const status = fields.find(({ values }) => values.some(({ value }) => value === "open"));
  if (due === undefined || access !== "read") return [];
  const also = status ? [{ field: status, value: "open" }] : [];
  const base = { field: due, value: addDays(toDay(now), -1), also, weight: 0.7, particular: true };
  return words.flatMap(({ lower }, from) => (lower === "overdue" ? [{ ...base, from, to: from + 1 }] : []));
}

const DUE_BEFORE = /^due_?before$/i;

type Bound = Pick<Phrase, "field" | "value" | "also">;

/** "Changed since Monday" is about the dates of the changes; without such a word, about the only dates that there are. */
function findTopic(words: Word[], time: NamedTime, dates: Field[]): { topic: Field[]; from: number } {
  for (const at of [time.from - 1, time.from - 2]) {
    const word = words[at];
    if (word === undefined || word.kind !== "word") break;
    const topic = dates.filter((field) => namesTopic(field, word));
    if (topic.length > 0 && (topic.length < dates.length || topic.every(hasTopic))) return { topic, from: at };
  }
  // "Issues resolved in KAY since Monday" is about when they were resolved.
  const deed = words.slice(0, Math.max(0, time.from - 2)).findLast(isDeed);
  const own = deed ? dates.filter((field) => namesTopic(field, deed)) : [];
  const isGeneral = deed === undefined || (own.length === 0 && CHANGED.has(deed.lower));
  const general = isGeneral ? dates.filter((field) => !hasTopic(field)) : own;
  // "Change the due date of KAY-3 to Friday".
  const isOnly = general.length === 0 && dates.length === 1 && words[time.from - 1]?.lower === "to";
  return { topic: isOnly ? dates : general, from: time.from };
}

/** What was done with things: "created", "changed". */
function isDeed({ lower }: Word): boolean {
  return MADE.has(lower) || CHANGED.has(lower);
}

function hasTopic(field: Field): boolean {
  return TOPICS.some(({ name }) => name.test(field.name));
}

function namesTopic(field: Field, word: Word): boolean {
  return isFieldWord(field, word) || TOPICS.some(({ name, words }) => name.test(field.name) && words.has(word.lower));
}

/** A stretch of time as the bounds that a tool looks between. `past`: what it finds has happened already. */
function bound(time: NamedTime, fields: Field[], today: string, past: boolean): Bound | undefined {
  const lower = fields.find(({ name }) => LOWER.test(name));
  const upper = fields.find(({ name }) => UPPER.test(name));
  const { bound: kind, start, end } = time;
  const isInclusive = upper !== undefined && /inclusive|on or before/i.test(upper.description);
  if (kind === "before") {
    const isDayBefore = isInclusive && !start.includes("T") && !time.including;
    return upper && { field: upper, value: isDayBefore ? addDays(start, -1) : start };
  }
  if (lower === undefined) {
    const [only] = fields;
    return only && !upper && kind === "on" && end === undefined ? { field: only, value: start } : undefined;
  }
  const isMoment = start.includes("T");
  if (kind === "after") return { field: lower, value: start };
  const wholeDay = /whole day/i.test(lower.description);
  if (end === undefined && !isMoment && wholeDay) return { field: lower, value: start };
  const last = end ?? (isMoment ? addMinutes(start, 60) : start);
  // "Today" means the same as "since today"; "yesterday" does not.
  const isOpen = last.slice(0, 10) >= today && (upper === undefined || (past && end !== undefined && !isMoment));
  if (isOpen) return { field: lower, value: start };
  if (upper === undefined) return undefined;
  return {
    field: lower,
    value: start,
    also: [{ field: upper, value: isInclusive || last.includes("T") ? last : addDays(last, 1) }],
  };
}

/** A day or time of something that is written: its start, and its end where both are said. */
function point(time: NamedTime, fields: Field[], words: Word[]): Bound | undefined {
  if (time.vague) return undefined;
  if (time.bound === "before" && !fields.some(({ name }) => /due|deadline|until|close|end/i.test(name))) {
    if (words[time.from]?.lower !== "by") return undefined;
  }
  const [first] = fields.filter(({ name }) => !UPPER.test(name) || fields.length === 1);
  if (first === undefined) return undefined;
  const next = fields.find((field) => field !== first && UPPER.test(field.name));
  if (time.end === undefined) return { field: first, value: time.start };
  return next ? { field: first, value: time.start, also: [{ field: next, value: time.end }] } : undefined;
}

function getLength(time: NamedTime, times: NamedTime[], dates: Field[], lengths: Field[]): Phrase[] {
  const base = { from: time.from, to: time.to, weight: 0.6, particular: false };
  const { minutes = 0 } = time;
  const [length] = lengths;
  if (length) return [{ ...base, field: length, value: minutes }];
  const end = dates.find(({ name }) => UPPER.test(name));
  const start = times.find(({ bound: kind, start: at }) => kind === "on" && at.includes("T"));
  return end && start ? [{ ...base, field: end, value: addMinutes(start.start, minutes) }] : [];
}

const LOWER = /since|after|from|start|min/i;
const UPPER = /before|until|till|end|^to$|max/i;
const PAST = /since|after|before|from|updated|created|changed/i;
const AHEAD = /due|deadline|clos/i;
const LENGTH = /minutes|duration|length/i;

const CHANGED = new Set(["changed", "updated", "modified", "edited"]);
const MADE = new Set("created reported opened filed raised resolved closed finished merged".split(" "));

const TOPICS: { name: RegExp; words: Set<string> }[] = [
  {
    name: /updat|chang|modif|edit/i,
    words: new Set("updated changed modified edited touched change".split(" ")),
  },
  {
    name: /creat|report|open/i,
    words: new Set("created reported opened filed raised new create report file raise".split(" ")),
  },
  { name: /due|deadline/i, words: new Set(["due", "deadline"]) },
  { name: /clos/i, words: new Set(["closing", "closes", "close", "closed"]) },
  { name: /resol|done/i, words: new Set(["resolved", "closed", "done", "finished"]) },
];
