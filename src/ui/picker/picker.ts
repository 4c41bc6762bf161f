import { getScrollDelta } from "../cards/card-action.ts";
import { sanitizeText } from "../editor/draft.ts";
import type { Key } from "../keys/key.ts";
import { splitGraphemes } from "../screen/cells.ts";

/** A choice. `label` and `note` are raw; the view cleans them. */
export type Choice = { value: string; label: string; note?: string };

/** A list to choose from. Typing filters it, arrows move, and a number goes to that choice. */
export type Picker = {
  question: string;
  choices: readonly Choice[];
  filter: string;
  /** Index among the matches. */
  at: number;
  /** Values chosen with Tab, if several may be chosen. */
  marked: readonly string[];
  multiple: boolean;
};

/** A choice that matches the filter, and its number in the whole list, from 1. */
export type Match = { choice: Choice; number: number };

/** A picker after a key. `chosen` ends it: null if nothing was chosen. */
export type PickerStep = { picker: Picker; chosen?: string[] | null };

/** The filter and the value at the cursor, with which a changed list reopens. */
export type PickerPlace = { filter: string; value?: string | undefined };

/** Creates a picker. */
export function createPicker(
  question: string,
  choices: readonly Choice[],
  multiple = false,
  { filter, value }: PickerPlace = { filter: "" },
): Picker {
  const picker = { question, choices, filter, at: 0, marked: [], multiple };
  return {
    ...picker,
    at: Math.max(
      0,
      listMatches(picker).findIndex(({ choice }) => choice.value === value),
    ),
  };
}

export function getPickerPlace(picker: Picker): PickerPlace {
  return { filter: picker.filter, value: listMatches(picker)[picker.at]?.choice.value };
}

/** Lists the choices that contain every word of the filter. A filter that is a number puts that choice first. */
export function listMatches({ choices, filter }: Picker): Match[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const all = choices.map((choice, index): Match => ({ choice, number: index + 1 }));
  const matches = all.filter((match) => words.every((word) => getSearched(match).includes(word)));
  const rank = ({ choice, number }: Match) =>
    String(number) === filter.trim() ? 0 : choice.label.toLowerCase().startsWith(words[0] ?? "") ? 1 : 2;
  return words.length === 0 ? matches : matches.sort((a, b) => rank(a) - rank(b));
}

/** Applies a key. */
export function updatePicker(picker: Picker, key: Key, page = PAGE): PickerStep {
  const matches = listMatches(picker);
  const current = matches[picker.at]?.choice.value;
  if (key.name === "escape" || isChord(key, "c") || isChord(key, "d")) return { picker, chosen: null };
  if (key.name === "enter") return current === undefined ? { picker } : { picker, chosen: choose(picker, current) };
  if (key.name === "tab" && picker.multiple && current !== undefined) return { picker: mark(picker, current) };
  const step = getStep(key, page);
  if (step !== 0 && matches.length > 0) return { picker: { ...picker, at: move(picker.at, step, matches.length) } };
  const filter = editFilter(picker.filter, key);
  return { picker: filter === picker.filter ? picker : { ...picker, filter, at: 0 } };
}

const PAGE = 10;

function getSearched({ choice: { label, note = "" }, number }: Match): string {
  return `${number} ${label} ${note}`.toLowerCase();
}

/** Returns the marked values in the order of the list, or the current one if none is marked. */
function choose({ choices, marked }: Picker, current: string): string[] {
  if (marked.length === 0) return [current];
  return choices.map(({ value }) => value).filter((value) => marked.includes(value));
}

function mark(picker: Picker, value: string): Picker {
  const { marked } = picker;
  return { ...picker, marked: marked.includes(value) ? marked.filter((item) => item !== value) : [...marked, value] };
}

function isChord({ name, ctrl, text }: Key, letter: string): boolean {
  return name === "text" && ctrl && text === letter;
}

function getStep(key: Key, page: number): number {
  if (isChord(key, "p")) return -1;
  if (isChord(key, "n")) return 1;
  if (key.name === "tab") return key.shift ? -1 : 1;
  return getScrollDelta(key, page);
}

/** Moves the cursor. Single steps wrap around, others stop at the ends. */
function move(index: number, step: number, count: number): number {
  if (Math.abs(step) === 1) return (index + step + count) % count;
  return Math.max(0, Math.min(count - 1, index + step));
}

function editFilter(filter: string, key: Key): string {
  if (isChord(key, "u") || isChord(key, "w")) return "";
  if (key.name === "backspace") return splitGraphemes(filter).slice(0, -1).join("");
  if (key.name !== "text" && key.name !== "paste") return filter;
  return key.ctrl || key.alt ? filter : (filter + sanitizeText(key.text).split("\n")[0]).slice(0, MAX_FILTER);
}

const MAX_FILTER = 100;
