import stringWidth from "string-width";
import { type CardProps, layOutCard, MIN_CARD_ROWS, TOO_LOW_HINT } from "../cards/card-layout.ts";
import type { Row } from "../cards/row.ts";
import { getText } from "../editor/draft.ts";
import { getMatch } from "../editor/history.ts";
import { type EditorLayout, layOutDraft } from "../editor/layout.ts";
import type { Picker } from "../picker/picker.ts";
import { joinHints, layOutPicker } from "../picker/picker-rows.ts";
import { truncateCells } from "../screen/cells.ts";
import { toLine } from "../text/words.ts";
import type { LiveContent } from "./live-content.ts";
import { findFocusedCard, findReadOnlyCard, getCardUi, listCards } from "./open-cards.ts";
import { formatStatusLine } from "./presence.ts";
import { countPickerRows, divideRows } from "./row-budget.ts";
import type { Session } from "./state.ts";
import { PROMPT } from "./state.ts";
import { isBusy } from "./turn.ts";

/** Layout of the live region. Every row fits the window, and all rows together leave two rows free. */
export type LiveFrame = {
  width: number;
  text: string[];
  tools: string[];
  card: Row[];
  queue: string[];
  rule: boolean;
  composer: string[];
  /** Whether the composer receives no keys now. */
  composerDim: boolean;
  offer: { text: string; chosen: boolean }[];
  hint: string | null;
  status: string | null;
  /** Position of the cursor in rows and cells from the top; null if nothing is being typed. */
  cursor: { row: number; column: number } | null;
  /** The visible cards, and the focused one. */
  cards: string[];
  focused: string | null;
  /** Rows available for a card. */
  cardRows: number;
};

/** Most rows of the composer. */
const MAX_COMPOSER_ROWS = 12;

/** Lays out the live region. `spin` is the current character of the spinner. */
export function layOutLiveRegion(session: Session, live: LiveContent, spin: string): LiveFrame {
  const { columns: width, rows } = session.size;
  if (session.picking) return layOutPicking(session, session.picking.picker, live);
  const card = findFocusedCard(session) ?? listCards(session)[0];
  const hint = card && rows < MIN_CARD_ROWS + 3 ? TOO_LOW_HINT : getHint(session);
  const offers = session.offer?.completion.candidates ?? [];
  const tools = live.tools.length > 0 || !isBusy(session) || card ? live.tools : [`${spin} ${describeWork(session)}`];
  const full = getComposer(session, rows - 2);
  const room = divideRows(rows, {
    composer: Math.min(
      full.rows.length,
      rows < 16 ? rows : Math.max(3, Math.min(MAX_COMPOSER_ROWS, Math.floor(rows / 3))),
    ),
    card: card !== undefined,
    queue: session.queue.length,
    popup: offers.length,
    hint: hint !== null,
    tools: tools.length,
    text: live.text.length,
  });
  const composer = full.rows.length <= room.composer ? full : getComposer(session, room.composer);
  // In the only row, an empty prompt gives its place to the hint.
  const isHintAlone = hint === TOO_LOW_HINT && room.hint === 0 && getText(session.draft) === "" && !session.search;
  const props = card && room.card >= MIN_CARD_ROWS ? getCardProps(session, card, room.card) : null;
  const laid = props ? layOutCard(props) : null;
  const composerDim = props?.focused === true;
  const text = takeLast(live.text, room.text);
  const calls = takeLast(tools, room.tools);
  const queue = takeLast(session.queue, room.queue);
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
    composer: isHintAlone ? [truncateCells(hint, width)] : composer.rows,
    composerDim,
    offer: listCandidates(session, room.popup),
    hint: hint !== null && room.hint === 1 ? truncateCells(hint, width) : null,
    status: room.status === 1 ? truncateCells(formatStatusLine(session, width), width) : null,
    cursor: cursor ?? null,
    cards: props && card ? [card.id] : [],
    focused: props?.focused && card ? card.id : null,
    cardRows: room.card,
  };
}

/** Lays out an open list. Cards wait until it is closed. */
function layOutPicking(session: Session, picker: Picker, live: LiveContent): LiveFrame {
  const { columns: width, rows } = session.size;
  const { question, column, ...list } = layOutPicker(picker, { width: width - 2, maxRows: countPickerRows(rows) });
  const rule = rows >= 12;
  const text = takeLast(live.text, Math.max(0, rows - 4 - list.rows.length - (rule ? 1 : 0)));
  return {
    width,
    text,
    tools: [],
    card: [],
    queue: [],
    rule,
    composer: [question],
    composerDim: false,
    offer: list.rows,
    hint: list.hint,
    status: null,
    cursor: { row: text.length + (rule ? 1 : 0), column },
    cards: [],
    focused: null,
    cardRows: session.cardRows,
  };
}

function takeLast(rows: string[], count: number): string[] {
  return rows.slice(Math.max(0, rows.length - count));
}

function getCardProps(session: Session, card: CardProps["card"], maxRows: number): CardProps | null {
  const ui = getCardUi(session, card);
  if (!ui) return null;
  const all = listCards(session).filter(({ kind }) => kind !== "plan");
  const n = all.findIndex(({ id }) => id === card.id) + 1;
  const focused = findFocusedCard(session)?.id === card.id;
  const { now, size, links } = session;
  return {
    card,
    ui,
    focused,
    position: { n, of: card.kind === "plan" ? 1 : all.length },
    width: size.columns,
    maxRows,
    now,
    links: links[card.id],
    readOnly: findReadOnlyCard(session)?.id === card.id,
  };
}

/** Lays out the draft, or the history search and its match. */
function getComposer({ draft, search, history, size }: Session, maxRows: number): EditorLayout {
  if (!search) return layOutDraft(draft, { width: size.columns, maxRows, prompt: PROMPT });
  const match = getMatch(search, history.entries);
  const query = `search: ${toLine(search.query)}`;
  const text = match === null ? (search.query === "" ? "" : "  no match") : `  ${toLine(match)}`;
  return {
    rows: [truncateCells(`${query}${text}`, size.columns)],
    cursor: { row: 0, column: Math.min(size.columns - 1, stringWidth(query)) },
  };
}

function getHint({ hint, search, status, offer, size }: Session): string | null {
  if (hint) return hint.text;
  if (offer?.live)
    return joinHints(
      [formatCount(offer.completion.candidates.length), "tab complete", "enter choose", "esc close"],
      size.columns,
    );
  if (search) return joinHints(["enter use it", "ctrl+r older", "esc cancel"], size.columns);
  return status.connection === "lost" ? "Connection lost. Reconnecting… Your input is kept." : null;
}

function formatCount(matches: number): string {
  return matches === 1 ? "1 match" : `${matches} matches`;
}

function describeWork({ sending, cancelling }: Session): string {
  if (cancelling) return "canceling…";
  return sending === null ? "working… (esc to stop)" : "sending…";
}

/** Returns the candidates around the chosen one. */
function listCandidates({ offer, size }: Session, rows: number): LiveFrame["offer"] {
  if (!offer || rows === 0) return [];
  const { candidates } = offer.completion;
  const start = Math.max(0, Math.min(offer.at - Math.floor(rows / 2), candidates.length - rows));
  const names = offer.live ? Math.max(...candidates.map(({ text }) => stringWidth(toLine(text)))) : 0;
  const pad = (text: string) => text + " ".repeat(Math.max(0, Math.min(names, 40) - stringWidth(text)));
  return candidates.slice(start, start + rows).map(({ text, note }, index) => ({
    text: truncateCells(`${pad(toLine(text))}  ${toLine(note)}`.trimEnd(), size.columns - 2),
    chosen: start + index === offer.at,
  }));
}
