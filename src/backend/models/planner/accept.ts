import type { Accept } from "./align.ts";
import { leadsTo, type Skill } from "./catalogue.ts";
import type { Clause } from "./clause.ts";
import { datesIn } from "./dates.ts";
import { type Field, isLong } from "./fields.ts";
import { PLACING, POSSESSIVE } from "./grammar.ts";
import { isService, isValue, keyIn, slotName, textQuality } from "./looks.ts";
import { reference } from "./reference.ts";
import { MARK } from "./spans.ts";

/** Whether some words could be the value of a field, from their look alone. */
export function acceptor(clause: Clause, skill: Skill): Accept {
  const look = lookOf(clause, skill);
  const size = clause.words.length + 1;
  const known = new Map<Field, Map<number, number>>();
  // The examples of a tool have the same few fields in many places.
  return (field, from, to) => {
    const seen = known.get(field) ?? new Map<number, number>();
    known.set(field, seen);
    const at = from * size + to;
    const quality = seen.get(at) ?? look(field, from, to);
    seen.set(at, quality);
    return quality;
  };
}

function lookOf(clause: Clause, skill: Skill): Accept {
  const { words } = clause;
  return (field, from, to) => {
    const span = words.slice(from, to);
    const [first] = span;
    if (first === undefined || (skill.access !== "read" && to - from === 1 && POSSESSIVE.has(first.lower))) return 0;
    if (to - from <= 4 && reference(clause, field, from, to) !== undefined) return 0.9;
    if (span.every(({ stop, kind }) => (stop && kind === "word") || kind === "mark") && !isValue(field, span)) return 0;
    // The "GitHub" of "list open issues in GitHub" is where to look, and no repository.
    if (first.kind === "word" && isService(skill, span)) return 0;
    if (field.kind === "date") return datesIn(clause, field).some((one) => one.from === from && one.to === to) ? 1 : 0;
    if (first.kind === "literal") {
      if (to - from > 1 || (field.kind !== "text" && field.kind !== "name")) return 0;
      if (first.text === MARK) return isLong(field) ? 1 : 0;
      // "Send a message: hello": what stands after the colon is no channel, which would look like #general.
      const said = words[from - 1]?.text === ":";
      return said && field.kind === "name" && field.shape?.test(first.text) === false ? 0 : 1;
    }
    switch (field.kind) {
      case "key":
        return to - from === 1 && keyIn(first, field) ? 1 : 0;
      case "number":
        return to - from === 1 && /^#?\d+$/.test(first.text) ? 1 : 0;
      case "text":
        // The "on" of "schedule Dentist on Friday" belongs to the day.
        if (BEFORE_DATES.has(span.at(-1)?.lower ?? "") && datesIn(clause, field).some((date) => date.from === to))
          return 0;
        if (skill.access === "read" && PLACING.has(first.lower)) return 0;
        return leadsTo(skill, field, words[from - 1]) || !skill.cues.has(field.name) ? textQuality(span) : 0;
      case "name":
        return isValue(field, span) ? 1 : field.closed ? 0 : slotName(skill, field, words, from, to);
      default:
        return 0;
    }
  };
}

const BEFORE_DATES = new Set(["on", "at", "for", "from", "to", "by", "in", "until"]);
