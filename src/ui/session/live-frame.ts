import stringWidth from "string-width";
import { type CardProps, layOutCard } from "../cards/card-layout.ts";
import type { Row } from "../cards/row.ts";
import { type EditorLayout, layOutDraft } from "../editor/layout.ts";
import { getMatch } from "../editor/search.ts";
import { truncateCells } from "../screen/cells.ts";
import { toLine } from "../text/words.ts";
import type { LiveContent } from "./live-content.ts";
import { findFocusedCard, findReadOnlyCard, listCards } from "./open-cards.ts";
import { formatStatusLine } from "./presence.ts";
import { divideRows } from "./row-budget.ts";
import type { Session } from "./state.ts";
import { PROMPT } from "./state.ts";
import { isBusy } from "./turn.ts";

/** The live region, laid out: every row fits the window, all of them are never more than its rows − 2. */
export type LiveFrame = {
  width: number;
  text: string[];
  tools: string[];
  card: Row[];
  queue: string[];
  rule: boolean;
  composer: string[];
  /** The composer does not take the keys now. */
  composerDim: boolean;
  offer: { text: string; chosen: boolean }[];
  hint: string | null;
  status: string | null;
  /** Where the real cursor belongs, in rows and cells from the top; null where nothing is being typed. */
  cursor: { row: number; column: number } | null;
  /** The cards that are seen in it, and the one that has the focus. */
  cards: string[];
  focused: string | null;
  /** Rows that a card has in it. */
  cardRows: number;
};

/** Rows of the composer, where there is room for more. */
const MOST_COMPOSER = 12;
const LEAST_CARD = 3;

/** Lay the live region out. `spin` turns the mark of what works. */
export function layOutLiveRegion(session: Session, live: LiveContent, spin: string): LiveFrame {
  const { columns: width, rows } = session.size;
  const card = findFocusedCard(session) ?? listCards(session)[0];
  const hint =
    card && rows < LEAST_CARD + 3 ? "Something waits for an answer: make the window higher." : getHint(session);
  const offers = session.offer?.completion.candidates ?? [];
  const tools = live.tools.length > 0 || !isBusy(session) || card ? live.tools : [`${spin} ${waitingFor(session)}`];
  const whole = getComposer(session, rows - 2);
  const room = divideRows(rows, {
    composer: Math.min(
      whole.rows.length,
      rows < 16 ? rows : Math.max(3, Math.min(MOST_COMPOSER, Math.floor(rows / 3))),
    ),
    card: card !== undefined,
    queue: session.queue.length,
    popup: offers.length,
    hint: hint !== null,
    tools: tools.length,
    text: live.text.length,
  });
  const composer = whole.rows.length <= room.composer ? whole : getComposer(session, room.composer);
  const props = card && room.card >= LEAST_CARD ? cardProps(session, card, room.card) : null;
  const laid = props ? layOutCard(props) : null;
  const composerDim = props?.focused === true;
  const text = getLast(live.text, room.text);
  const calls = getLast(tools, room.tools);
  const queue = getLast(session.queue, room.queue);
  const cardTop = text.length + calls.length;
  const composerTop = cardTop + (laid?.rows.length ?? 0) + queue.length + room.rule;
  const cursor = composerDim
    ? laid?.cursor && { row: laid.cursor.row + cardTop, column: laid.cursor.column }
    : { row: composer.cursor.row + composerTop, column: composer.cursor.column };
  return {
    width,
    text,
    tools: calls.map((call) => truncateCells(call, width)),
    card: laid?.rows ?? [],
    queue: queue.map((queued) => truncateCells(`next: ${toLine(queued)}`, width)),
    rule: room.rule === 1,
    composer: composer.rows,
    composerDim,
    offer: listOffered(session, room.popup),
    hint: hint !== null && room.hint === 1 ? truncateCells(hint, width) : null,
    status: room.status === 1 ? truncateCells(formatStatusLine(session, width), width) : null,
    cursor: cursor ?? null,
    cards: props && card ? [card.id] : [],
    focused: props?.focused && card ? card.id : null,
    cardRows: room.card,
  };
}

function getLast(rows: string[], count: number): string[] {
  return rows.slice(Math.max(0, rows.length - count));
}

function cardProps(session: Session, card: CardProps["card"], maxRows: number): CardProps | null {
  const ui = session.cards[card.id];
  if (!ui) return null;
  const all = listCards(session);
  const n = all.findIndex(({ id }) => id === card.id) + 1;
  const focused = findFocusedCard(session)?.id === card.id;
  const { now, size, links } = session;
  return {
    card,
    ui,
    focused,
    position: { n, of: all.length },
    width: size.columns,
    maxRows,
    now,
    links: links[card.id],
    readOnly: findReadOnlyCard(session)?.id === card.id,
  };
}

/** What is being typed; while the history is searched, the search and what it found. */
function getComposer({ draft, search, history, size }: Session, maxRows: number): EditorLayout {
  if (!search) return layOutDraft(draft, { width: size.columns, maxRows, prompt: PROMPT });
  const found = getMatch(search, history.entries);
  const query = `search: ${toLine(search.query)}`;
  const shown = found === null ? (search.query === "" ? "" : "  nothing found") : `  ${toLine(found)}`;
  return {
    rows: [truncateCells(`${query}${shown}`, size.columns)],
    cursor: { row: 0, column: Math.min(size.columns - 1, stringWidth(query)) },
  };
}

function getHint({ hint, search, status }: Session): string | null {
  if (hint) return hint.text;
  if (search) return "enter takes it · ctrl+r older · esc leaves";
  return status.connection === "lost"
    ? "The connection is lost; kay tries to get it back. What you type is kept."
    : null;
}

function waitingFor({ sending, cancelling }: Session): string {
  if (cancelling) return "cancelling…";
  return sending === null ? "working… (esc stops)" : "sending…";
}

/** The candidates around the chosen one. */
function listOffered({ offer, size }: Session, rows: number): LiveFrame["offer"] {
  if (!offer || rows === 0) return [];
  const { candidates } = offer.completion;
  const start = Math.max(0, Math.min(offer.at - Math.floor(rows / 2), candidates.length - rows));
  return candidates.slice(start, start + rows).map(({ text, note }, index) => ({
    text: truncateCells(`${toLine(text)}  ${toLine(note)}`.trimEnd(), size.columns - 2),
    chosen: start + index === offer.at,
  }));
}
