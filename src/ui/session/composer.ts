import { isAuthCard, isCallbackAddress } from "../cards/auth.ts";
import { acceptCandidate, extendDraft, findCompletion, findLiveCompletion } from "../editor/complete.ts";
import { breakAtBackslash, clearDraft, getText, replaceText } from "../editor/draft.ts";
import { updateDraft } from "../editor/edit.ts";
import { listFolded } from "../editor/fold.ts";
import {
  appendEntry,
  createHistory,
  EMPTY_SEARCH,
  getMatch,
  recallEntry,
  searchHistory,
  searchOlder,
  showNext,
  showPrevious,
} from "../editor/history.ts";
import type { Key } from "../keys/key.ts";
import { DRAFT_TARGET, type SessionEffect, type SessionStep, toStep, withHint } from "./events.ts";
import {
  findReadOnlyCard,
  isPromptCommand,
  isSlashCommand,
  listCards,
  READ_ONLY_HINT,
  requestAction,
} from "./open-cards.ts";
import { PROMPT, type Session } from "./state.ts";
import { beginSending, cancelTurn, isBusy } from "./turn.ts";

/** Applies a key in the composer. */
export function updateComposer(session: Session, key: Key): SessionStep {
  if (session.search) return applySearchKey(session, key);
  if (session.offer) {
    const step = applyOfferKey(session, session.offer, key);
    if (step) return step;
  }
  const closed = { ...session, offer: null };
  return applyChordKey(closed, key) ?? applyEditorKey(closed, key);
}

/** Handles the keys that do more than edit text. */
function applyChordKey(session: Session, key: Key): SessionStep | null {
  if (key.name === "enter" && !key.shift && !key.alt) return submitDraft(session, key.ctrl);
  if (key.name === "tab") return completeWord(session);
  // Cancelling the turn would answer for all clients.
  if (key.name === "escape" && findReadOnlyCard(session)) return toStep(withHint(session, READ_ONLY_HINT));
  if (key.name === "escape") return isBusy(session) ? cancelTurn(session) : toStep(session);
  if (key.name !== "text") return null;
  if (key.text === "?" && session.draft.text === "" && !key.amid && !key.alt) return toStep(session, { do: "help" });
  if (key.text === "o" && key.alt) return toStep(session, { do: "visit" });
  if (!key.ctrl) return null;
  if (key.text === "r") return toStep({ ...session, search: EMPTY_SEARCH });
  if (key.text === "g") return toStep(session, { do: "edit", of: DRAFT_TARGET, text: getText(session.draft) });
  return null;
}

/** Handles the editor's keys. Up in the first row and Down in the last show the history. */
function applyEditorKey(session: Session, key: Key): SessionStep {
  const room = { width: session.size.columns, prompt: PROMPT };
  const draft = updateDraft(session.draft, mentionDroppedFile(key), room);
  if (draft !== session.draft) return toStep(offerWhileTyping({ ...session, draft }));
  if (key.name === "up" && session.queue.length > 0 && session.draft.text === "") return dequeue(session);
  const step = key.name === "up" ? showPrevious : key.name === "down" ? showNext : null;
  const move = step?.(session.history, session.draft);
  return toStep(move ? { ...session, ...move } : session);
}

/** Returns the newest queued line to the draft. */
function dequeue(session: Session): SessionStep {
  const line = session.queue.at(-1) ?? "";
  return toStep({ ...session, queue: session.queue.slice(0, -1), draft: replaceText(session.draft, line) });
}

/**
 * Sends the draft, or queues it while a turn is running. With `now` it is sent anyway, which cancels the running turn.
 * A backslash at its end makes a new line instead.
 */
function submitDraft(session: Session, now: boolean): SessionStep {
  const continued = breakAtBackslash(session.draft);
  if (continued && !now) return toStep({ ...session, draft: continued });
  const text = getText(session.draft).trimEnd();
  if (text.trim() === "") return now ? sendQueued(session) : toStep(session);
  const connecting = isCallbackAddress(text) ? listCards(session).find(isAuthCard) : undefined;
  if (connecting)
    return requestAction({ ...session, draft: clearDraft(session.draft) }, connecting, { do: "paste", text });
  const entries = appendEntry(session.history.entries, text);
  const pastes = new Map(session.history.pastes).set(text, listFolded(session.draft.text, session.draft.folds));
  const empty = { ...session, draft: clearDraft(session.draft), history: createHistory(entries, pastes) };
  const remember: SessionEffect = { do: "remember", text };
  if (isSlashCommand(text) && !isPromptCommand(text, session.sources))
    return toStep(empty, remember, { do: "slash", line: text.trim() });
  if (isBusy(session) && !now) return toStep({ ...empty, queue: [...empty.queue, text] }, remember);
  return toStep(beginSending(empty, text), remember, { do: "send", text });
}

/** Sends the oldest queued line now. */
function sendQueued(session: Session): SessionStep {
  const [text, ...queue] = session.queue;
  return text === undefined ? toStep(session) : toStep(beginSending({ ...session, queue }, text), { do: "send", text });
}

/** Whether the key is Tab after a word that can be completed. */
export function canComplete(session: Session, key: Key): boolean {
  return key.name === "tab" && !key.shift && findCompletion(session.draft, session.sources) !== null;
}

/** Completes the word, or shows the candidates. */
function completeWord(session: Session): SessionStep {
  const completion = findCompletion(session.draft, session.sources);
  if (!completion) return toStep(session);
  const draft = extendDraft(session.draft, completion);
  return toStep(draft ? { ...session, draft } : { ...session, offer: { completion, at: 0 } });
}

/** Shows candidates while the user types a command name or a mention. */
function offerWhileTyping(session: Session): Session {
  const completion = findLiveCompletion(session.draft, session.sources);
  return { ...session, offer: completion && { completion, at: 0, live: true } };
}

/** Updates the candidates after the sources changed, and keeps the chosen one. */
export function refreshOffer(session: Session): Session {
  const { offer } = session;
  if (offer && !offer.live) return session;
  const next = offerWhileTyping(session);
  const chosenText = offer?.completion.candidates[offer.at]?.text;
  const index = next.offer?.completion.candidates.findIndex(({ text }) => text === chosenText) ?? 0;
  return next.offer && offer && offer.at > 0 ? { ...next, offer: { ...next.offer, at: Math.max(0, index) } } : next;
}

/** Applies a key while candidates are shown; null if it closes them and must be handled again. */
function applyOfferKey(session: Session, offer: NonNullable<Session["offer"]>, key: Key): SessionStep | null {
  const { completion, at, live } = offer;
  const count = completion.candidates.length;
  const to = (index: number) => toStep({ ...session, offer: { ...offer, at: (index + count) % count } });
  if (live) return applyLiveOfferKey(session, offer, key, to);
  if (key.name === "down" || (key.name === "tab" && !key.shift)) return to(at + 1);
  if (key.name === "up" || key.name === "tab") return to(at - 1);
  if (key.name === "escape") return toStep({ ...session, offer: null });
  const candidate = completion.candidates[at];
  if (key.name !== "enter" || !candidate) return null;
  return toStep({ ...session, offer: null, draft: acceptCandidate(session.draft, completion, candidate) });
}

/**
 * While the user types, Tab completes the common part, or takes the chosen candidate. Enter takes the chosen candidate,
 * and runs a command without further arguments.
 */
function applyLiveOfferKey(
  session: Session,
  { completion, at }: NonNullable<Session["offer"]>,
  key: Key,
  to: (index: number) => SessionStep,
): SessionStep | null {
  if (key.name === "down") return to(at + 1);
  if (key.name === "up") return to(at - 1);
  if (key.name === "escape") return toStep({ ...session, offer: null });
  const candidate = completion.candidates[at];
  if (!candidate || key.shift || key.alt || key.ctrl) return null;
  const sure = key.name === "tab" ? findCompletion(session.draft, session.sources) : null;
  const extended = sure && sure.candidates.length > 1 ? extendDraft(session.draft, sure) : null;
  if (extended) return toStep(offerWhileTyping({ ...session, draft: extended }));
  const isWhole =
    session.draft.text.slice(completion.from, completion.to).toLowerCase() === candidate.text.toLowerCase();
  if (key.name !== "tab" && (key.name !== "enter" || isWhole)) return null;
  const accepted = { ...session, offer: null, draft: acceptCandidate(session.draft, completion, candidate) };
  const command = session.sources.commands.find(({ name }) => `/${name}` === candidate.text);
  return key.name === "enter" && command && !command.needsArgument ? submitDraft(accepted, false) : toStep(accepted);
}

/** Applies a key during a history search: it searches, accepts the match, or cancels. */
function applySearchKey(session: Session, key: Key): SessionStep {
  const search = session.search ?? EMPTY_SEARCH;
  const { entries } = session.history;
  if (key.name === "escape") return toStep({ ...session, search: null });
  if (key.name === "backspace")
    return toStep({ ...session, search: searchHistory(entries, Array.from(search.query).slice(0, -1).join("")) });
  if (key.name === "text" && key.ctrl && key.text === "r")
    return toStep({ ...session, search: searchOlder(search, entries) });
  if ((key.name === "text" || key.name === "paste") && !key.ctrl && !key.alt)
    return toStep({ ...session, search: searchHistory(entries, search.query + (key.text.split("\n")[0] ?? "")) });
  const match = getMatch(search, entries);
  const taken = {
    ...session,
    search: null,
    draft: match === null ? session.draft : recallEntry(session.history, session.draft, match),
  };
  // Enter only accepts the match; any other key is then applied to the new draft.
  return key.name === "enter" ? toStep(taken) : updateComposer(taken, key);
}

/**
 * Terminals paste the path of a dropped file: plain, in quotes, with escaped spaces, or as a `file:` URL. Converts the
 * path of a picture or a PDF to a mention; returns every other key unchanged.
 */
export function mentionDroppedFile(key: Key): Key {
  if (key.name !== "paste") return key;
  const path = parsePath(key.text.trim());
  if (path === undefined || !FILE.test(path)) return key;
  return { ...key, text: /\s/.test(path) ? `@"${path}" ` : `@${path} ` };
}

/**
 * An absolute path on one line with the extension of a picture or a PDF. The type is determined from the content later.
 */
const FILE = /^(?:\/|[A-Za-z]:\\)[^\n"\p{C}]{1,1000}\.(?:png|jpe?g|gif|webp|pdf)$/iu;

function parsePath(text: string): string | undefined {
  const quoted = /^'([^'\n]*)'$|^"([^"\n]*)"$/.exec(text);
  if (quoted) return quoted[1] ?? quoted[2];
  if (text.startsWith("file:")) {
    const url = URL.parse(text);
    return url?.pathname ? tryDecode(url.pathname) : undefined;
  }
  if (text.startsWith("/") && /(?<!\\)\s/.test(text)) return undefined;
  return text.startsWith("/") ? text.replace(/\\(.)/g, "$1") : text;
}

function tryDecode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
