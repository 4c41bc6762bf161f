import { accepted, complete, extended } from "../editor/complete.ts";
import { continuesLine, emptied, replaced, textOf } from "../editor/draft.ts";
import { edit } from "../editor/edit.ts";
import { atEnd, next, previous, remembered } from "../editor/history.ts";
import { matchOf, NEW_SEARCH, older, searchFor } from "../editor/search.ts";
import type { Key } from "../key.ts";
import { DRAFT, type Effect, type Step } from "./events.ts";
import { cardReadAlong, isSlash, READS_ALONG, unslashed } from "./open.ts";
import { PROMPT } from "./prompt.ts";
import type { Session } from "./state.ts";
import { hinted, only } from "./step.ts";
import { cancelTurn, isBusy, sending } from "./turn.ts";

/** A key in the composer. */
export function composerKey(session: Session, key: Key): Step {
  if (session.search) return searchKey(session, key);
  if (session.offer) {
    const step = offerKey(session, session.offer, key);
    if (step) return step;
  }
  const closed = { ...session, offer: null };
  return chordKey(closed, key) ?? plainKey(closed, key);
}

/** Keys that are not the editor's, or not its alone. */
function chordKey(session: Session, key: Key): Step | null {
  if (key.name === "enter" && !key.shift && !key.alt) return enter(session, key.ctrl);
  if (key.name === "tab") return tab(session);
  // What ends the turn would answer for everybody.
  if (key.name === "escape" && cardReadAlong(session)) return only(hinted(session, READS_ALONG));
  if (key.name === "escape") return isBusy(session) ? cancelTurn(session) : only(session);
  if (key.name !== "text" || !key.ctrl) return null;
  if (key.text === "r") return only({ ...session, search: NEW_SEARCH });
  if (key.text === "g") return only(session, { do: "edit", of: DRAFT, text: textOf(session.draft) });
  return null;
}

/** The editor's keys; Up and Down at its edges go through what was sent before. */
function plainKey(session: Session, key: Key): Step {
  const room = { width: session.size.columns, prompt: PROMPT };
  const draft = edit(session.draft, key, room);
  if (draft !== session.draft) return only({ ...session, draft });
  if (key.name === "up" && session.queue.length > 0 && session.draft.text === "") return unqueued(session);
  const step = key.name === "up" ? previous : key.name === "down" ? next : null;
  const found = step?.(session.history, session.draft);
  return only(found ? { ...session, ...found } : session);
}

/** The newest queued line comes back to be changed. */
function unqueued(session: Session): Step {
  const line = session.queue.at(-1) ?? "";
  return only({ ...session, queue: session.queue.slice(0, -1), draft: replaced(session.draft, line) });
}

/**
 * The draft is sent, or queued while something is under way; `now` sends it in any case, which ends what is under way.
 * A backslash at its end makes a new line instead.
 */
function enter(session: Session, now: boolean): Step {
  const continued = continuesLine(session.draft);
  if (continued && !now) return only({ ...session, draft: continued });
  const text = textOf(session.draft).replace(/\s+$/, "");
  if (text.trim() === "") return now ? sendQueued(session) : only(session);
  const entries = remembered(session.history.entries, text);
  const empty = { ...session, draft: emptied(session.draft), history: atEnd(entries) };
  const remember: Effect = { do: "remember", text };
  if (isSlash(text)) return only(empty, remember, { do: "slash", line: text.trim() });
  const sent = unslashed(text);
  if (isBusy(session) && !now) return only({ ...empty, queue: [...empty.queue, sent] }, remember);
  return only(sending(empty, sent), remember, { do: "send", text: sent });
}

/** What waits is sent now. */
function sendQueued(session: Session): Step {
  const [text, ...queue] = session.queue;
  return text === undefined ? only(session) : only(sending({ ...session, queue }, text), { do: "send", text });
}

/** Whether the key is Tab at a word that can be completed. */
export function completes(session: Session, key: Key): boolean {
  return key.name === "tab" && !key.shift && complete(session.draft, session.sources) !== null;
}

/** Completes the word, or shows what it could become. */
function tab(session: Session): Step {
  const completion = complete(session.draft, session.sources);
  if (!completion) return only(session);
  const draft = extended(session.draft, completion);
  return only(draft ? { ...session, draft } : { ...session, offer: { completion, at: 0 } });
}

/** A key while completions are offered; null when it closes the offer and counts for itself. */
function offerKey(session: Session, { completion, at }: NonNullable<Session["offer"]>, key: Key): Step | null {
  const count = completion.candidates.length;
  const to = (place: number) => only({ ...session, offer: { completion, at: (place + count) % count } });
  if (key.name === "down" || (key.name === "tab" && !key.shift)) return to(at + 1);
  if (key.name === "up" || key.name === "tab") return to(at - 1);
  if (key.name === "escape") return only({ ...session, offer: null });
  const chosen = completion.candidates[at];
  if (key.name !== "enter" || !chosen) return null;
  return only({ ...session, offer: null, draft: accepted(session.draft, completion, chosen) });
}

/** A key of Ctrl+R: it searches, takes what was found, or leaves all as it was. */
function searchKey(session: Session, key: Key): Step {
  const search = session.search ?? NEW_SEARCH;
  const { entries } = session.history;
  if (key.name === "escape") return only({ ...session, search: null });
  if (key.name === "backspace")
    return only({ ...session, search: searchFor(entries, Array.from(search.query).slice(0, -1).join("")) });
  if (key.name === "text" && key.ctrl && key.text === "r") return only({ ...session, search: older(search, entries) });
  if ((key.name === "text" || key.name === "paste") && !key.ctrl && !key.alt)
    return only({ ...session, search: searchFor(entries, search.query + (key.text.split("\n")[0] ?? "")) });
  const found = matchOf(search, entries);
  const taken = { ...session, search: null, draft: found === null ? session.draft : replaced(session.draft, found) };
  // Enter takes it to be looked at; every other key counts in the draft that it makes.
  return key.name === "enter" ? only(taken) : composerKey(taken, key);
}
