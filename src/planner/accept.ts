import type { AcceptValue } from "./align.ts";
import { isCueFor, type Skill } from "./catalogue.ts";
import type { Clause } from "./clauses.ts";
import { findDates } from "./dates.ts";
import { type Field, isLongText } from "./fields.ts";
import { PLACE_WORDS, POSSESSIVES } from "./grammar.ts";
import { resolveReference } from "./reference.ts";
import { TEXT_MARK } from "./spans.ts";
import { couldBeValue, findKey, isServiceName, scoreName, scoreText } from "./value-scores.ts";

/** Whether some words could be the value of a field, from their look alone. */
export function createAcceptor(clause: Clause, skill: Skill): AcceptValue {
  const look = getLook(clause, skill);
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

function getLook(clause: Clause, skill: Skill): AcceptValue {
  const { words } = clause;
  return (field, from, to) => {
    const span = words.slice(from, to);
    const [first] = span;
    if (first === undefined || (skill.access !== "read" && to - from === 1 && POSSESSIVES.has(first.lower))) return 0;
    if (to - from <= 4 && resolveReference(clause, field, from, to) !== undefined) return 0.9;
    if (span.every(({ stop, kind }) => (stop && kind === "word") || kind === "mark") && !couldBeValue(field, span))
      return 0;
    // The "GitHub" of "list open issues in GitHub" is where to look, and no repository.
    if (first.kind === "word" && isServiceName(skill, span)) return 0;
    if (field.kind === "date")
      return findDates(clause, field).some((one) => one.from === from && one.to === to) ? 1 : 0;
    if (first.kind === "literal") {
      if (to - from > 1 || (field.kind !== "text" && field.kind !== "name")) return 0;
      if (first.text === TEXT_MARK) return isLongText(field) ? 1 : 0;
      // "Send a message: hello": the text after the colon is not a channel, which would look like #general.
      const said = words[from - 1]?.text === ":";
      return said && field.kind === "name" && field.shape?.test(first.text) === false ? 0 : 1;
    }
    switch (field.kind) {
      case "key":
        return to - from === 1 && findKey(first, field) ? 1 : 0;
      case "number":
        return to - from === 1 && /^#?\d+$/.test(first.text) ? 1 : 0;
      case "text":
        // The "on" of "schedule Dentist on Friday" belongs to the day.
        if (BEFORE_DATES.has(span.at(-1)?.lower ?? "") && findDates(clause, field).some((date) => date.from === to))
          return 0;
        if (skill.access === "read" && PLACE_WORDS.has(first.lower)) return 0;
        return isCueFor(skill, field, words[from - 1]) || !skill.cues.has(field.name) ? scoreText(span) : 0;
      case "name":
        return couldBeValue(field, span) ? 1 : field.closed ? 0 : scoreName(skill, field, words, from, to);
      default:
        return 0;
    }
  };
}

const BEFORE_DATES = new Set(["on", "at", "for", "from", "to", "by", "in", "until"]);
