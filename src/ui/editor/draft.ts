// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what is kept out
import { foldText, refoldText, shouldFold, unfoldText } from "./fold.ts";
import { findBoundaryFrom } from "./graphemes.ts";

/** The text in the composer. Immutable; only the functions of this folder create one. */
export type Draft = {
  /** Text as edited, in which a folded paste is one private character. {@link getText} returns the full text. */
  text: string;
  /** Index into `text`, never inside a character. */
  cursor: number;
  folds: readonly string[];
  /** Text that Ctrl+Y inserts; may contain folds. */
  killed: string;
  /** Target column of Up and Down, in cells. */
  goal: number | null;
  undo: readonly DraftState[];
  redo: readonly DraftState[];
  /** Kind of the last edit. Typing continues an undo step, and consecutive kills are joined. */
  last: EditKind;
};

/** A state to restore. */
export type DraftState = { text: string; cursor: number };

/** Kinds of edits; `other` includes cursor movement. */
export type EditKind = "type" | "kill-back" | "kill-on" | "other";

/** An empty draft. */
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

/** Returns the full text with all pastes. It is well-formed and has no control characters except `\n` and `\t`. */
export function getText(draft: Draft): string {
  return unfoldText(draft.text, draft.folds);
}

/** Inserts typed text at the cursor. */
export function insert(draft: Draft, text: string): Draft {
  return insertRaw(draft, sanitizeText(text), "type");
}

/** Inserts a paste at the cursor. A long paste is folded and behaves like one character. */
export function paste(draft: Draft, text: string): Draft {
  const safe = sanitizeText(text);
  const fold = shouldFold(safe) ? foldText(draft.folds, safe) : null;
  return fold ? insertRaw({ ...draft, folds: fold.folds }, fold.marker, "other") : insertRaw(draft, safe, "other");
}

/**
 * Replaces the whole text, as from the history or an editor. Ctrl+_ restores the old text.
 *
 * @param pastes parts of the text that are folded
 */
export function replaceText(draft: Draft, text: string, pastes: readonly string[] = []): Draft {
  const { text: safe, folds } = refoldText(sanitizeText(text), pastes, draft.folds);
  return applyChange({ ...draft, folds }, { text: safe, cursor: safe.length }, "other");
}

/** Returns an empty draft after this one was sent or discarded. Killed text stays available. */
export function clearDraft(draft: Draft): Draft {
  return { ...EMPTY_DRAFT, killed: unfoldText(draft.killed, draft.folds) };
}

/** Empties the draft so that undo brings it back. */
export function discardText(draft: Draft): Draft {
  return applyChange(draft, { text: "", cursor: 0 }, "other");
}

/** Replaces a backslash before the cursor with a line break, for Enter. Returns null if Enter sends. */
export function breakAtBackslash(draft: Draft): Draft | null {
  const { text, cursor } = draft;
  if (text[cursor - 1] !== "\\") return null;
  return applyChange(draft, { text: `${text.slice(0, cursor - 1)}\n${text.slice(cursor)}`, cursor }, "other");
}

/** Applies a change that can be undone. Typing within a word is one undo step. */
export function applyChange(draft: Draft, { text, cursor }: DraftState, doing: EditKind): Draft {
  const goesOn = doing === "type" && draft.last === "type" && !/\s/.test(text.slice(draft.cursor, draft.cursor + 1));
  const undo = goesOn ? draft.undo : [...draft.undo.slice(1 - STEPS), { text: draft.text, cursor: draft.cursor }];
  return { ...draft, text, cursor: findBoundaryFrom(text, cursor), goal: null, undo, redo: [], last: doing };
}

const STEPS = 200;

/** Inserts text that is well-formed or the marker of a fold. */
export function insertRaw(draft: Draft, text: string, doing: EditKind): Draft {
  if (text === "") return draft;
  const { cursor } = draft;
  const nextText = draft.text.slice(0, cursor) + text + draft.text.slice(cursor);
  return applyChange(draft, { text: nextText, cursor: cursor + text.length }, doing);
}

/** Removes what a draft must not contain: lone surrogates, control characters, and line breaks other than `\n`. */
export function sanitizeText(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "")
    .replace(/\p{Surrogate}/gu, "");
}
