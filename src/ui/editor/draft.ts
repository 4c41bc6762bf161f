// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what is kept out
import { foldText, shouldFold, unfoldText } from "./fold.ts";
import { findBoundaryFrom } from "./graphemes.ts";

/** What is being written. Immutable; made by the functions of this folder alone. */
export type Draft = {
  /** As it is edited: a folded paste is one private character. {@link textOf} is what was written. */
  text: string;
  /** Index into `text`, never inside a character. */
  cursor: number;
  folds: readonly string[];
  /** What Ctrl+Y brings back; may hold folds. */
  killed: string;
  /** The column that Up and Down keep to, in cells. */
  goal: number | null;
  undo: readonly DraftState[];
  redo: readonly DraftState[];
  /** What was done last: typing goes on in one step, and what is killed in a row is kept together. */
  last: EditKind;
};

/** A state to come back to. */
export type DraftState = { text: string; cursor: number };

/** Kinds of changes; `other` is also any movement. */
export type EditKind = "type" | "kill-back" | "kill-on" | "other";

/** Nothing written. */
export const EMPTY_DRAFT: Draft = {
  text: "",
  cursor: 0,
  folds: [],
  killed: "",
  goal: null,
  undo: [],
  redo: [],
  last: "other",
};

/** What was written, with every paste in full. Well-formed, and without control characters but `\n` and `\t`. */
export function getText(draft: Draft): string {
  return unfoldText(draft.text, draft.folds);
}

/** The draft with text typed at the cursor. */
export function insert(draft: Draft, text: string): Draft {
  return insertRaw(draft, sanitizeText(text), "type");
}

/** The draft with a paste at the cursor: folded if it is long, to be deleted and moved over as one character. */
export function paste(draft: Draft, text: string): Draft {
  const safe = sanitizeText(text);
  const folded = shouldFold(safe) ? foldText(draft.folds, safe) : null;
  return folded
    ? insertRaw({ ...draft, folds: folded.folds }, folded.marker, "other")
    : insertRaw(draft, safe, "other");
}

/** The draft with another text as a whole, as from the history or an editor; Ctrl+_ brings the old one back. */
export function replaceText(draft: Draft, text: string): Draft {
  const safe = sanitizeText(text);
  return applyChange(draft, { text: safe, cursor: safe.length }, "other");
}

/** An empty draft after this one was sent or given up. What was killed can still be brought back. */
export function clearDraft(draft: Draft): Draft {
  return { ...EMPTY_DRAFT, killed: unfoldText(draft.killed, draft.folds) };
}

/** For Enter right behind a backslash: the draft with a line break in its place. Null where Enter sends. */
export function breakAtBackslash(draft: Draft): Draft | null {
  const { text, cursor } = draft;
  if (text[cursor - 1] !== "\\") return null;
  return applyChange(draft, { text: `${text.slice(0, cursor - 1)}\n${text.slice(cursor)}`, cursor }, "other");
}

/** The draft after a change that can be undone. What is typed within a word is undone at once. */
export function applyChange(draft: Draft, { text, cursor }: DraftState, doing: EditKind): Draft {
  const goesOn = doing === "type" && draft.last === "type" && !/\s/.test(text.slice(draft.cursor, draft.cursor + 1));
  const undo = goesOn ? draft.undo : [...draft.undo.slice(1 - STEPS), { text: draft.text, cursor: draft.cursor }];
  return { ...draft, text, cursor: findBoundaryFrom(text, cursor), goal: null, undo, redo: [], last: doing };
}

const STEPS = 200;

/** Put text in that is well-formed or a marker of a fold. */
export function insertRaw(draft: Draft, text: string, doing: EditKind): Draft {
  if (text === "") return draft;
  const { cursor } = draft;
  const whole = draft.text.slice(0, cursor) + text + draft.text.slice(cursor);
  return applyChange(draft, { text: whole, cursor: cursor + text.length }, doing);
}

/** Text without what a draft must not hold: halves of characters, control characters, other line breaks than `\n`. */
export function sanitizeText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "")
    .replace(/\p{Surrogate}/gu, "");
}
