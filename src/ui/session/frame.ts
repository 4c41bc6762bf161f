import stringWidth from "string-width";
import { type CardProps, layCard } from "../cards/lay-out.ts";
import type { Row } from "../cards/row.ts";
import { cut } from "../cells.ts";
import { type LaidOut, layOut } from "../editor/layout.ts";
import { matchOf } from "../editor/search.ts";
import { line } from "../words.ts";
import type { Live } from "./live.ts";
import { cardReadAlong, cardsOf, focusedCard } from "./open.ts";
import { PROMPT } from "./prompt.ts";
import { divide } from "./room.ts";
import type { Session } from "./state.ts";
import { statusLine } from "./status-line.ts";
import { isBusy } from "./turn.ts";

/** The live region, laid out: every row fits the window, all of them are never more than its rows − 2. */
export type Frame = {
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
export function layFrame(session: Session, live: Live, spin: string): Frame {
  const { columns: width, rows } = session.size;
  const card = focusedCard(session) ?? cardsOf(session)[0];
  const hint =
    card && rows < LEAST_CARD + 3 ? "Something waits for an answer: make the window higher." : hintOf(session);
  const offers = session.offer?.completion.candidates ?? [];
  const tools = live.tools.length > 0 || !isBusy(session) || card ? live.tools : [`${spin} ${waitingFor(session)}`];
  const whole = composerOf(session, rows - 2);
  const room = divide(rows, {
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
  const composer = whole.rows.length <= room.composer ? whole : composerOf(session, room.composer);
  const props = card && room.card >= LEAST_CARD ? cardProps(session, card, room.card) : null;
  const laid = props ? layCard(props) : null;
  const composerDim = props?.focused === true;
  const text = lastOf(live.text, room.text);
  const calls = lastOf(tools, room.tools);
  const queue = lastOf(session.queue, room.queue);
  const cardTop = text.length + calls.length;
  const composerTop = cardTop + (laid?.rows.length ?? 0) + queue.length + room.rule;
  const cursor = composerDim
    ? laid?.cursor && { row: laid.cursor.row + cardTop, column: laid.cursor.column }
    : { row: composer.cursor.row + composerTop, column: composer.cursor.column };
  return {
    width,
    text,
    tools: calls.map((call) => cut(call, width)),
    card: laid?.rows ?? [],
    queue: queue.map((queued) => cut(`next: ${line(queued)}`, width)),
    rule: room.rule === 1,
    composer: composer.rows,
    composerDim,
    offer: offered(session, room.popup),
    hint: hint !== null && room.hint === 1 ? cut(hint, width) : null,
    status: room.status === 1 ? cut(statusLine(session, width), width) : null,
    cursor: cursor ?? null,
    cards: props && card ? [card.id] : [],
    focused: props?.focused && card ? card.id : null,
    cardRows: room.card,
  };
}

function lastOf(rows: string[], count: number): string[] {
  return rows.slice(Math.max(0, rows.length - count));
}

function cardProps(session: Session, card: CardProps["card"], maxRows: number): CardProps | null {
  const ui = session.cards[card.id];
  if (!ui) return null;
  const all = cardsOf(session);
  const n = all.findIndex(({ id }) => id === card.id) + 1;
  const focused = focusedCard(session)?.id === card.id;
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
    readOnly: cardReadAlong(session)?.id === card.id,
  };
}

/** What is being typed; while the history is searched, the search and what it found. */
function composerOf({ draft, search, history, size }: Session, maxRows: number): LaidOut {
  if (!search) return layOut(draft, { width: size.columns, maxRows, prompt: PROMPT });
  const found = matchOf(search, history.entries);
  const query = `search: ${line(search.query)}`;
  const shown = found === null ? (search.query === "" ? "" : "  nothing found") : `  ${line(found)}`;
  return {
    rows: [cut(`${query}${shown}`, size.columns)],
    cursor: { row: 0, column: Math.min(size.columns - 1, stringWidth(query)) },
  };
}

function hintOf({ hint, search, status }: Session): string | null {
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
function offered({ offer, size }: Session, rows: number): Frame["offer"] {
  if (!offer || rows === 0) return [];
  const { candidates } = offer.completion;
  const start = Math.max(0, Math.min(offer.at - Math.floor(rows / 2), candidates.length - rows));
  return candidates.slice(start, start + rows).map(({ text, note }, index) => ({
    text: cut(`${line(text)}  ${line(note)}`.trimEnd(), size.columns - 2),
    chosen: start + index === offer.at,
  }));
}
