import { INITIAL_FOCUS, recordDrawn, updateCards } from "../cards/focus.ts";
import { applyEdit, rejectAnswer } from "../cards/update-card.ts";
import { EMPTY_DRAFT, getText, replaceText } from "../editor/draft.ts";
import { createHistory } from "../editor/history.ts";
import { EMPTY_VIEW, listOpenCards } from "../view/view.ts";
import { refreshOffer } from "./composer.ts";
import { DRAFT_TARGET, type SessionEffect, type SessionEvent, type SessionStep } from "./events.ts";
import { handleKey } from "./handle-key.ts";
import { handleParts, updateOpenCards } from "./handle-parts.ts";
import { releaseHeldKey } from "./held-key.ts";
import { listAnswerableCards, listCards, refreshPlans } from "./open-cards.ts";
import { dropCommitted } from "./scrollback.ts";
import { followClock } from "./set-back.ts";
import type { Session, Status } from "./state.ts";
import { isFinished, restoreQueue, sendQueued } from "./turn.ts";

/** How long a hint is shown, in ms. */
const HINT_MS = 5_000;

/** How long to wait for the generation of an accepted prompt, in ms. */
const ARRIVES_MS = 2_000;

/** Creates an empty session. */
export function createSession(begin: { columns: number; rows: number; now: number; status: Status }): Session {
  const { columns, rows, now, status } = begin;
  return {
    size: { columns, rows },
    now,
    view: EMPTY_VIEW,
    draft: EMPTY_DRAFT,
    history: createHistory([]),
    search: null,
    offer: null,
    sources: {
      ...{ commands: [], prompts: [], services: [], connected: [], sessions: [], tools: [] },
      ...{ words: [], mentions: [], resources: [], places: [] },
    },
    picking: null,
    queue: [],
    sending: null,
    arriving: null,
    cancelling: false,
    cards: {},
    local: [],
    readOnly: false,
    news: null,
    links: {},
    focus: INITIAL_FOCUS,
    held: null,
    ignoring: null,
    extending: null,
    cardRows: 0,
    exitArmedUntil: 0,
    hint: null,
    status,
    windowFocused: true,
  };
}

/** Applies an event to a session. Pure: the result depends only on the arguments. */
export function updateSession(session: Session, event: SessionEvent): SessionStep {
  return refreshPlans(applyEvent(followClock(session, event), event));
}

function applyEvent(session: Session, event: SessionEvent): SessionStep {
  switch (event.type) {
    case "key":
      return handleKey({ ...session, now: Math.max(session.now, event.key.at) }, event.key);
    case "parts":
      return handleParts({ ...session, now: event.at }, event.parts);
    case "local":
      return openLocalCard(session, event);
    case "interaction":
      return setInteraction(session, event.enabled);
    case "local-ended":
      return closeLocalCard(session, event.id);
    case "pick":
      return openPicker(session, event);
    case "reset":
      return resetSession(session);
    case "sent":
      return sendQueued({ session: settlePrompt(session, event.back), effects: [] });
    case "tick":
      return sendQueued(releaseHeldKey(expireOld({ ...session, now: event.at })));
    default:
      return { session: applyChange(session, event), effects: [] };
  }
}

type Plain = Exclude<
  SessionEvent,
  { type: "key" | "parts" | "interaction" | "local" | "local-ended" | "pick" | "reset" | "sent" | "tick" }
>;

function applyChange(session: Session, event: Plain): Session {
  switch (event.type) {
    case "drawn":
      return { ...session, focus: recordDrawn(session.focus, event.frame), cardRows: event.frame.cardRows };
    case "committed":
      return { ...session, view: dropCommitted(session.view, event.blocks) };
    case "size":
      return { ...session, size: { columns: event.columns, rows: event.rows } };
    case "refused":
      return withUi(session, event.card, (ui) => rejectAnswer(ui, event.error));
    case "cancelled":
      return { ...session, cancelling: false };
    case "edited":
      return applyEditedText(session, event.of, event.text);
    case "status":
      return { ...session, status: { ...session.status, ...event.status } };
    case "sources":
      return applySources(session, event.sources);
    case "hint":
      return { ...session, hint: { text: event.text, until: event.at + HINT_MS } };
    case "history":
      return { ...session, history: createHistory(event.entries, session.history.pastes) };
    case "links":
      return session.cards[event.card]
        ? { ...session, links: { ...session.links, [event.card]: event.links } }
        : session;
  }
}

/** Servers' lists arrive while the user types, so completions are updated. */
function applySources(session: Session, sources: Partial<Session["sources"]>): Session {
  const next = { ...session, sources: { ...session.sources, ...sources } };
  const isListed = [sources.prompts, sources.resources, sources.places].some((list) => list !== undefined);
  // New mentions come with each printed text, and a list that the user closed stays closed.
  return isListed || (sources.mentions && session.offer) ? refreshOffer(next) : next;
}

/** Removes expired hints and news, and stops waiting for a generation that did not start. */
function expireOld(session: Session): Session {
  const { now, hint, news, arriving } = session;
  const late = arriving !== null && arriving.until <= now;
  return {
    ...session,
    hint: hint && hint.until <= now ? null : hint,
    news: news && news.until <= now ? null : news,
    ...(late ? { arriving: null, cancelling: false } : {}),
  };
}

/** Switches between answering and read-only. Open cards then open as if they were new. */
function setInteraction(session: Session, enabled: boolean): SessionStep {
  const now = { ...session, readOnly: !enabled };
  const opened = enabled && session.readOnly ? listOpenCards(session.view) : [];
  return {
    session: { ...now, focus: updateCards(session.focus, listAnswerableCards(now)) },
    effects: opened.map((card): SessionEffect => ({ do: "opened", card, unseen: false })),
  };
}

/** Marks the prompt as accepted, or returns a rejected one to the draft before everything else. */
function settlePrompt(session: Session, back?: string): Session {
  if (back === undefined) {
    const isHere = session.arriving === null || session.arriving.after !== session.view.generation_id;
    const arriving = isHere ? null : { after: session.view.generation_id, until: session.now + ARRIVES_MS };
    return { ...session, sending: null, arriving };
  }
  const restored = restoreQueue(session);
  const lines = [back, getText(restored.draft)].filter((text) => text.trim() !== "");
  const cancelling = session.cancelling && !isFinished(session.view);
  return {
    ...restored,
    sending: null,
    arriving: null,
    cancelling,
    draft: replaceText(restored.draft, lines.join("\n")),
  };
}

function applyEditedText(session: Session, of: string, text: string | null): Session {
  if (of === DRAFT_TARGET)
    return text === null ? session : { ...session, draft: replaceText(session.draft, text.trimEnd()) };
  const card = listCards(session).find(({ id }) => id === of);
  return card ? withUi(session, of, (ui) => applyEdit(ui, card, text)) : session;
}

function withUi(
  session: Session,
  id: string,
  change: (ui: Session["cards"][string]) => Session["cards"][string],
): Session {
  const ui = session.cards[id];
  return ui ? { ...session, cards: { ...session.cards, [id]: change(ui) } } : session;
}

/** Shows a list instead of an older one, which counts as not chosen. */
function openPicker(session: Session, { id, picker }: Extract<SessionEvent, { type: "pick" }>): SessionStep {
  const previous = session.picking;
  return {
    session: { ...session, picking: { id, picker }, offer: null, search: null },
    effects: previous ? [{ do: "picked", id: previous.id, values: null }] : [],
  };
}

/** Opens or updates a card that only this terminal has. */
function openLocalCard(session: Session, { card }: Extract<SessionEvent, { type: "local" }>): SessionStep {
  const index = session.local.findIndex(({ id }) => id === card.id);
  const local = index < 0 ? [...session.local, card] : session.local.with(index, card);
  const effects: SessionEffect[] = index < 0 ? [{ do: "opened", card, unseen: false }] : [];
  return { session: updateOpenCards({ ...session, local }, [], index < 0 ? [card] : []), effects };
}

function closeLocalCard(session: Session, id: string): SessionStep {
  if (session.local.every((card) => card.id !== id)) return { session, effects: [] };
  const local = session.local.filter((card) => card.id !== id);
  return { session: updateOpenCards({ ...session, local }, [id], []), effects: [{ do: "closed", card: id }] };
}

/** Clears everything of the previous conversation except the draft. */
function resetSession(session: Session): SessionStep {
  const closed = listCards(session).map(({ id }) => id);
  const cleared = {
    ...session,
    news: null,
    view: EMPTY_VIEW,
    local: [],
    queue: [],
    sending: null,
    arriving: null,
    cancelling: false,
  };
  return {
    session: updateOpenCards({ ...cleared, status: { ...session.status, title: "" } }, closed, []),
    effects: closed.map((card) => ({ do: "closed", card })),
  };
}
