import { clean } from "#protocol/clean";
import { normalizeWidth } from "../screen/cells.ts";
import { formatTimeLeft } from "../text/words.ts";
import { layOutApproval, layOutPlan } from "./approval-rows.ts";
import type { AuthLinks } from "./auth.ts";
import { layOutAuth } from "./auth-rows.ts";
import type { AnyCard, ConfirmCard } from "./card-action.ts";
import type { CardUi } from "./card-state.ts";
import { addKeyNote, type CardContent, type KeyHints, layOutError, layOutKeys, SHORT_INDENT } from "./content.ts";
import { layOutForm } from "./form-rows.ts";
import { BORDER_CELLS, drawFrame } from "./frame.ts";
import { type CursorCell, type Row, wrapRows } from "./row.ts";

/** Fewest rows of a card. */
export const MIN_CARD_ROWS = 3;

/** Shown while the window has no room for a card. Its keys do nothing then. */
export const TOO_LOW_HINT = "Make the window taller to answer the open request.";

/** A card to draw. `now` is in ms since 1970; `links` is the state of a connection card's services. */
export type CardProps = {
  card: AnyCard;
  ui: CardUi;
  focused: boolean;
  /** Position among the open cards. */
  position: { n: number; of: number };
  width: number;
  maxRows: number;
  now: number;
  links?: AuthLinks;
  /** Whether the card is only shown here, and other clients answer it. */
  readOnly?: boolean;
};

/**
 * Rows of a card, and the cursor while text is typed. `hidden` is the number of rows to scroll, `page` the number of
 * visible rows.
 */
export type CardLayout = { rows: Row[]; cursor?: CursorCell; hidden: number; page: number };

/** Lays out a card with at most `maxRows` rows, each exactly as wide as the card. */
export function layOutCard(props: CardProps): CardLayout {
  const width = Math.max(MIN_WIDTH, props.width);
  const { body, keys, title, tone, until } = layOutContent({ ...props, width });
  const frame = {
    title: normalizeWidth(title),
    right: formatRightTexts(props, until),
    tone: props.focused ? tone : ("dim" as const),
    width,
  };
  const content = props.focused ? body : { rows: body.rows };
  const below = props.focused ? keys : props.readOnly ? layOutReadOnlyKeys(width - BORDER_CELLS) : TAB_HERE;
  const room = Math.max(1, props.maxRows - 2);
  // If the keys leave no room for the body, they go below it and everything scrolls. A single row then shows the keys.
  const isTight = room - below.rows.length < Math.min(MIN_BODY_ROWS, content.rows.length);
  const visible = isTight
    ? layOutWithShortKeys(appendKeys(content, below), below.short, room, props.ui.scroll)
    : layOutAboveKeys(content, below, room, props.ui.scroll, width);
  const { cursor } = visible;
  const spot = cursor ? { row: cursor.row + 1, column: cursor.column + BORDER_CELLS / 2 } : undefined;
  return { rows: drawFrame(frame, visible.rows), cursor: spot, hidden: visible.hidden, page: visible.page };
}

/** Rows, the cursor, and the row to keep in view if there is no cursor. */
type ScrollableRows = { rows: Row[]; cursor?: CursorCell; focus?: number };

/** Visible rows inside the border, including the keys. */
type VisibleRows = { rows: Row[]; cursor?: CursorCell; hidden: number; page: number };

const TAB_HERE: KeyHints = {
  rows: [[{ text: "[tab] answer this", style: "bold" }]],
  short: [[{ text: "[tab] answer this", style: "bold" }]],
};

function layOutReadOnlyKeys(width: number): KeyHints {
  const rows = wrapRows("Read-only: use /interactive on to answer.", width, "bold");
  return { rows, short: [[{ text: "/interactive on to answer", style: "bold" }]] };
}

const MIN_WIDTH = 8;
const MIN_BODY_ROWS = 3;

function layOutContent(props: CardProps): CardContent {
  const { card, ui } = props;
  if (card.kind === "confirmation") return layOutConfirm(card, ui, props);
  if (card.kind === "plan") return layOutPlan(card, ui, props);
  if (card.type === "auth") return layOutAuth(card.auth, ui, props);
  return ui.type === "form" ? layOutForm(card, ui, props) : layOutApproval(card, ui, props);
}

function formatRightTexts({ position, now }: CardProps, until: string | undefined): string[] {
  const ends = until === undefined ? Number.NaN : Date.parse(until);
  const timeLeft = Number.isNaN(ends) ? [] : ends <= now ? ["expired"] : [`${formatTimeLeft(ends - now)} left`];
  return [...(position.of > 1 ? [`${position.n} of ${position.of}`] : []), ...timeLeft];
}

function appendKeys(body: ScrollableRows, keys: KeyHints): ScrollableRows {
  const above = body.rows.length;
  const cursor = keys.cursor ? { ...keys.cursor, row: keys.cursor.row + above } : body.cursor;
  return { rows: [...body.rows, ...keys.rows], cursor, focus: keys.cursor ? undefined : body.focus };
}

/** Puts the body above its keys. Rows at its ends count the lines above and below. */
function layOutAboveKeys(
  body: ScrollableRows,
  keys: KeyHints,
  room: number,
  scroll: number,
  width: number,
): VisibleRows {
  const most = room - keys.rows.length;
  const { rows, start, hidden, cursor } = applyWindow(body, most, scroll);
  const below = hidden - start;
  if (hidden > 0 && most >= MIN_BODY_ROWS) {
    if (start > 0) rows[0] = layOutCount("↑", start + 1, "above", width - BORDER_CELLS);
    if (below > 0) rows[most - 1] = layOutCount("↓", below + 1, "below", width - BORDER_CELLS);
  }
  const place = keys.cursor ? { ...keys.cursor, row: keys.cursor.row + rows.length } : cursor;
  // One row of the previous page stays visible, and two rows count what is hidden.
  return { rows: [...rows, ...keys.rows], cursor: place, hidden, page: Math.max(1, most - 3) };
}

/** Scrolls everything above the short keys and the arrows. */
function layOutWithShortKeys(all: ScrollableRows, short: Row[], room: number, scroll: number): VisibleRows {
  const visible = short.slice(0, Math.max(1, room - 2));
  const most = room > 2 ? room - visible.length : room;
  const { rows, start, hidden, cursor } = applyWindow(all, most, scroll);
  const arrows = `${start > 0 ? "↑" : " "}${start < hidden ? "↓" : " "}`.padEnd(SHORT_INDENT);
  const keys = visible.map(
    (row, index): Row => [{ text: index === 0 ? arrows : " ".repeat(SHORT_INDENT), style: "dim" }, ...row],
  );
  return { rows: [...rows, ...(most < room && hidden > 0 ? keys : [])], cursor, hidden, page: Math.max(1, most - 1) };
}

/** Returns the rows that fit, from row `start`; `hidden` is the number of other rows. */
function applyWindow(part: ScrollableRows, room: number, scroll: number) {
  const hidden = Math.max(0, part.rows.length - Math.max(0, room));
  const start = hidden === 0 ? 0 : Math.max(0, Math.min(hidden, findStart(part, room) ?? scroll));
  const cursor = part.cursor ? { ...part.cursor, row: part.cursor.row - start } : undefined;
  return { rows: part.rows.slice(start, start + room), start, hidden, cursor };
}

/**
 * Returns the first visible row that keeps the focused row and the cursor in view, or undefined if there is neither.
 */
function findStart({ cursor, focus }: ScrollableRows, room: number): number | undefined {
  const first = focus ?? (cursor ? cursor.row - 1 : undefined);
  if (first === undefined) return undefined;
  // The first and last visible row may be replaced by a count of hidden rows.
  return Math.max(first - 1, (cursor?.row ?? first) - room + 2);
}

function layOutCount(arrow: string, lines: number, direction: string, width: number): Row {
  return wrapRows(`${arrow} ${lines} more lines ${direction}`, width, "dim")[0] ?? [];
}

/** Lays out a confirmation card: the whole message, and its two answers. */
function layOutConfirm(card: ConfirmCard, ui: CardUi, { width }: { width: number }): CardContent {
  const room = width - BORDER_CELLS;
  const choices = [
    { key: "y", words: "approve" },
    { key: "n", words: "deny" },
  ];
  const leave = ui.type === "confirmation" && ui.step === "leave" ? "esc again: deny" : null;
  return {
    title: "Confirm",
    tone: "yellow",
    until: card.expires_at,
    body: { rows: [...layOutError(ui.error, room), ...wrapRows(clean(card.message), room)] },
    keys: addKeyNote(layOutKeys(ui, choices, room), leave, room),
  };
}
