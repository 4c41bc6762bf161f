import type { Key } from "../keys/key.ts";
import { applyChange, type Draft, type DraftState, type EditKind, insert, insertRaw, paste } from "./draft.ts";
import {
  findBoundaryAfter,
  findBoundaryBefore,
  findLineEnd,
  findLineStart,
  findWordEnd,
  findWordStart,
} from "./graphemes.ts";
import { findCell, type GridOptions, layOutGrid } from "./grid.ts";

/**
 * Applies a key to the draft. Returns the same object if the editor has no use for the key: Enter, Escape, Tab, Ctrl+C,
 * Ctrl+D in an empty draft, Up in the first row, Down in the last.
 *
 * @param room window that defines the rows for Up and Down; without it, a row is a line
 */
export function updateDraft(draft: Draft, key: Key, room: GridOptions = ENDLESS): Draft {
  if (key.name === "paste") return { ...paste(draft, key.text) };
  if (key.name === "text" && !key.ctrl && !key.alt) return { ...insert(draft, key.text) };
  const action = ACTIONS[getChord(key)];
  return action ? action(draft, room) : draft;
}

const ENDLESS: GridOptions = { width: Number.POSITIVE_INFINITY, prompt: "" };

/** Names a key with its modifiers. Shift matters only with Enter. */
function getChord({ name, text, ctrl, alt, shift }: Key): string {
  const binding = name === "text" ? text.toLowerCase() : shift && name === "enter" ? "newline" : name;
  return `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${binding}`;
}

type Action = (draft: Draft, room: GridOptions) => Draft;
/** Finds a position in the text, given the text and the cursor. */
type FindPosition = (text: string, offset: number) => number;

const ACTIONS: Record<string, Action> = {
  ...bindChords("newline alt-newline alt-enter", (draft) => insertRaw(draft, "\n", "other")),
  ...bindChords("left ctrl-b", createMove(findBoundaryBefore)),
  ...bindChords("right ctrl-f", createMove(findBoundaryAfter)),
  ...bindChords("ctrl-left alt-left alt-b", createMove(findWordStart)),
  ...bindChords("ctrl-right alt-right alt-f", createMove(findWordEnd)),
  ...bindChords("home ctrl-a", createMove(findLineStart)),
  ...bindChords("end ctrl-e", createMove(findLineEnd)),
  ...bindChords(
    "ctrl-home alt-<",
    createMove(() => 0),
  ),
  ...bindChords(
    "ctrl-end alt->",
    createMove((text) => text.length),
  ),
  ...bindChords("up ctrl-p", (draft, room) => moveVertically(draft, -1, room)),
  ...bindChords("down ctrl-n", (draft, room) => moveVertically(draft, 1, room)),
  ...bindChords("backspace", (draft) =>
    removeRange(draft, findBoundaryBefore(draft.text, draft.cursor), draft.cursor, "other"),
  ),
  ...bindChords("delete", deleteForward),
  ...bindChords("ctrl-d", (draft) => (draft.text === "" ? draft : deleteForward(draft))),
  ...bindChords("ctrl-w alt-backspace ctrl-backspace", createKillBack(findWordStart)),
  ...bindChords("alt-d alt-delete ctrl-delete", createKillForward(findWordEnd)),
  ...bindChords(
    "ctrl-u",
    createKillBack((text, offset) =>
      findLineStart(text, offset) === offset ? Math.max(0, offset - 1) : findLineStart(text, offset),
    ),
  ),
  ...bindChords(
    "ctrl-k",
    createKillForward((text, offset) =>
      findLineEnd(text, offset) === offset ? findBoundaryAfter(text, offset) : findLineEnd(text, offset),
    ),
  ),
  ...bindChords("ctrl-y", (draft) => ({ ...insertRaw(draft, draft.killed, "other") })),
  ...bindChords("ctrl-_ ctrl-/ ctrl--", (draft) => undo(draft)),
  ...bindChords("alt-_", (draft) => redo(draft)),
};

function bindChords(chords: string, action: Action): Record<string, Action> {
  return Object.fromEntries(chords.split(" ").map((chord) => [chord, action]));
}

function createMove(to: FindPosition): Action {
  return (draft) => ({ ...draft, cursor: to(draft.text, draft.cursor), goal: null, last: "other" });
}

function moveVertically(draft: Draft, step: number, room: GridOptions): Draft {
  const rows = layOutGrid(draft, room);
  const { row, column } = findCell(rows, draft.cursor);
  const stops = rows[row + step]?.stops;
  if (!stops) return draft;
  const goal = draft.goal ?? column;
  const stop = stops.findLast((cell) => cell.column <= goal) ?? stops[0];
  return { ...draft, cursor: stop?.at ?? draft.cursor, goal, last: "other" };
}

function deleteForward(draft: Draft): Draft {
  return removeRange(draft, draft.cursor, findBoundaryAfter(draft.text, draft.cursor), "other");
}

function createKillBack(to: FindPosition): Action {
  return (draft) => {
    const from = to(draft.text, draft.cursor);
    const killed = draft.text.slice(from, draft.cursor) + (isKilling(draft) ? draft.killed : "");
    return removeRange({ ...draft, killed: killed || draft.killed }, from, draft.cursor, "kill-back");
  };
}

function createKillForward(to: FindPosition): Action {
  return (draft) => {
    const end = to(draft.text, draft.cursor);
    const killed = (isKilling(draft) ? draft.killed : "") + draft.text.slice(draft.cursor, end);
    return removeRange({ ...draft, killed: killed || draft.killed }, draft.cursor, end, "kill-on");
  };
}

function isKilling({ last }: Draft): boolean {
  return last === "kill-back" || last === "kill-on";
}

/** Removes a part of the text. Returns a new object even for an empty part, because the editor used the key. */
function removeRange(draft: Draft, from: number, to: number, doing: EditKind): Draft {
  if (from === to) return { ...draft, goal: null, last: doing };
  return applyChange(draft, { text: draft.text.slice(0, from) + draft.text.slice(to), cursor: from }, doing);
}

function undo(draft: Draft): Draft {
  const step = draft.undo.at(-1);
  if (!step) return { ...draft };
  return { ...restore(draft, step), undo: draft.undo.slice(0, -1), redo: [...draft.redo, draft].map(toState) };
}

function redo(draft: Draft): Draft {
  const step = draft.redo.at(-1);
  if (!step) return { ...draft };
  return { ...restore(draft, step), redo: draft.redo.slice(0, -1), undo: [...draft.undo, draft].map(toState) };
}

function restore(draft: Draft, { text, cursor }: DraftState): Draft {
  return { ...draft, text, cursor, goal: null, last: "other" };
}

function toState({ text, cursor }: DraftState): DraftState {
  return { text, cursor };
}
