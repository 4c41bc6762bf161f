import type { Key } from "../key.ts";
import { changed, type Doing, type Draft, insert, paste, put, type Step } from "./draft.ts";
import { boundaryAfter, boundaryBefore, lineEnd, lineStart, wordEnd, wordStart } from "./graphemes.ts";
import { gridOf, type Room, whereIs } from "./grid.ts";

/**
 * The draft after a key. The same object means that the key is not the editor's business: Enter, Escape, Tab, Ctrl+C, Ctrl+D in an empty
 * draft, Up in the first row, Down in the last.
 *
 * @param room what Up and Down take for rows; without it, a row is a line
 */
export function edit(draft: Draft, key: Key, room: Room = ENDLESS): Draft {
  if (key.name === "paste") return { ...paste(draft, key.text) };
  if (key.name === "text" && !key.ctrl && !key.alt) return { ...insert(draft, key.text) };
  const action = ACTIONS[chordOf(key)];
  return action ? action(draft, room) : draft;
}

const ENDLESS: Room = { width: Number.POSITIVE_INFINITY, prompt: "" };

/** Shift says something with Enter alone. */
function chordOf({ name, text, ctrl, alt, shift }: Key): string {
  const own = name === "text" ? text.toLowerCase() : shift && name === "enter" ? "newline" : name;
  return `${ctrl ? "ctrl-" : ""}${alt ? "alt-" : ""}${own}`;
}

type Action = (draft: Draft, room: Room) => Draft;
/** A place in the text, from the text and the cursor. */
type Place = (text: string, at: number) => number;

const ACTIONS: Record<string, Action> = {
  ...named("newline alt-newline alt-enter", (draft) => put(draft, "\n", "other")),
  ...named("left ctrl-b", moving(boundaryBefore)),
  ...named("right ctrl-f", moving(boundaryAfter)),
  ...named("ctrl-left alt-left alt-b", moving(wordStart)),
  ...named("ctrl-right alt-right alt-f", moving(wordEnd)),
  ...named("home ctrl-a", moving(lineStart)),
  ...named("end ctrl-e", moving(lineEnd)),
  ...named(
    "ctrl-home alt-<",
    moving(() => 0),
  ),
  ...named(
    "ctrl-end alt->",
    moving((text) => text.length),
  ),
  ...named("up ctrl-p", (draft, room) => vertically(draft, -1, room)),
  ...named("down ctrl-n", (draft, room) => vertically(draft, 1, room)),
  ...named("backspace", (draft) => without(draft, boundaryBefore(draft.text, draft.cursor), draft.cursor, "other")),
  ...named("delete", deleteOn),
  ...named("ctrl-d", (draft) => (draft.text === "" ? draft : deleteOn(draft))),
  ...named("ctrl-w alt-backspace ctrl-backspace", killingBack(wordStart)),
  ...named("alt-d alt-delete ctrl-delete", killingOn(wordEnd)),
  ...named(
    "ctrl-u",
    killingBack((text, at) => (lineStart(text, at) === at ? Math.max(0, at - 1) : lineStart(text, at))),
  ),
  ...named(
    "ctrl-k",
    killingOn((text, at) => (lineEnd(text, at) === at ? boundaryAfter(text, at) : lineEnd(text, at))),
  ),
  ...named("ctrl-y", (draft) => ({ ...put(draft, draft.killed, "other") })),
  ...named("ctrl-_ ctrl-/ ctrl--", (draft) => back(draft)),
  ...named("alt-_", (draft) => again(draft)),
};

function named(chords: string, action: Action): Record<string, Action> {
  return Object.fromEntries(chords.split(" ").map((chord) => [chord, action]));
}

function moving(to: Place): Action {
  return (draft) => ({ ...draft, cursor: to(draft.text, draft.cursor), goal: null, last: "other" });
}

function vertically(draft: Draft, step: number, room: Room): Draft {
  const rows = gridOf(draft, room);
  const { row, column } = whereIs(rows, draft.cursor);
  const stops = rows[row + step]?.stops;
  if (!stops) return draft;
  const goal = draft.goal ?? column;
  const stop = stops.findLast((each) => each.column <= goal) ?? stops[0];
  return { ...draft, cursor: stop?.at ?? draft.cursor, goal, last: "other" };
}

function deleteOn(draft: Draft): Draft {
  return without(draft, draft.cursor, boundaryAfter(draft.text, draft.cursor), "other");
}

function killingBack(to: Place): Action {
  return (draft) => {
    const from = to(draft.text, draft.cursor);
    const killed = draft.text.slice(from, draft.cursor) + (isKilling(draft) ? draft.killed : "");
    return without({ ...draft, killed: killed || draft.killed }, from, draft.cursor, "kill-back");
  };
}

function killingOn(to: Place): Action {
  return (draft) => {
    const end = to(draft.text, draft.cursor);
    const killed = (isKilling(draft) ? draft.killed : "") + draft.text.slice(draft.cursor, end);
    return without({ ...draft, killed: killed || draft.killed }, draft.cursor, end, "kill-on");
  };
}

function isKilling({ last }: Draft): boolean {
  return last === "kill-back" || last === "kill-on";
}

/** Without this part; a new object also when the part is empty, since the key was the editor's. */
function without(draft: Draft, from: number, to: number, doing: Doing): Draft {
  if (from === to) return { ...draft, goal: null, last: doing };
  return changed(draft, { text: draft.text.slice(0, from) + draft.text.slice(to), cursor: from }, doing);
}

function back(draft: Draft): Draft {
  const step = draft.undo.at(-1);
  if (!step) return { ...draft };
  return { ...at(draft, step), undo: draft.undo.slice(0, -1), redo: [...draft.redo, draft].map(stepOf) };
}

function again(draft: Draft): Draft {
  const step = draft.redo.at(-1);
  if (!step) return { ...draft };
  return { ...at(draft, step), redo: draft.redo.slice(0, -1), undo: [...draft.undo, draft].map(stepOf) };
}

function at(draft: Draft, { text, cursor }: Step): Draft {
  return { ...draft, text, cursor, goal: null, last: "other" };
}

function stepOf({ text, cursor }: Step): Step {
  return { text, cursor };
}
