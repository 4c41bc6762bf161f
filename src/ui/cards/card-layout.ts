import { normalizeWidth } from "../screen/cells.ts";
import { formatTimeLeft } from "../text/words.ts";
import { layOutApproval } from "./approval-rows.ts";
import type { AuthLinks } from "./auth.ts";
import { layOutAuth } from "./auth-rows.ts";
import type { AnyCard } from "./card-action.ts";
import type { CardUi } from "./card-state.ts";
import { layOutConfirm } from "./confirm-rows.ts";
import { type CardContent, type KeyHints, SHORT_INDENT } from "./content.ts";
import { layOutForm } from "./form-rows.ts";
import { BORDER_CELLS, drawFrame } from "./frame.ts";
import { type CursorCell, type Row, wrapRows } from "./row.ts";

/** A card as it is to be drawn. `now` is ms since 1970, `links` say where the services of an auth card stand. */
export type CardProps = {
  card: AnyCard;
  ui: CardUi;
  focused: boolean;
  /** Which of those that wait it is. */
  position: { n: number; of: number };
  width: number;
  maxRows: number;
  now: number;
  links?: AuthLinks;
  /** Others answer it; here it is only shown. */
  readOnly?: boolean;
};

/**
 * The rows of a card, and where the cursor belongs while text is typed. `hidden` is how many lines can be scrolled away, `page` how many are
 * read at once.
 */
export type CardLayout = { rows: Row[]; cursor?: CursorCell; hidden: number; page: number };

/** Lay a card out: whole where there is room, never taller than `maxRows`, and every row exactly as wide as the card. */
export function layOutCard(props: CardProps): CardLayout {
  const width = Math.max(LEAST_WIDTH, props.width);
  const { body, keys, title, tone, until } = getPieces({ ...props, width });
  const frame = {
    title: normalizeWidth(title),
    right: getRight(props, until),
    tone: props.focused ? tone : ("dim" as const),
    width,
  };
  const shown = props.focused ? body : { rows: body.rows };
  const below = props.focused ? keys : props.readOnly ? readOnlyKeys(width - BORDER_CELLS) : TAB_HERE;
  const room = Math.max(1, props.maxRows - 2);
  // Where the keys would leave nothing to be seen of what they answer, they stand below it, and all of it scrolls above the keys in one row.
  const isTight = room - below.rows.length < Math.min(LEAST_BODY, shown.rows.length);
  const seen = isTight
    ? tight(join(shown, below), below.short, room, props.ui.scroll)
    : loose(shown, below, room, props.ui.scroll, width);
  const { cursor } = seen;
  const spot = cursor ? { row: cursor.row + 1, column: cursor.column + BORDER_CELLS / 2 } : undefined;
  return { rows: drawFrame(frame, seen.rows), cursor: spot, hidden: seen.hidden, page: seen.page };
}

/** Rows, the place of the cursor, and the row that must be seen where it is not the cursor's. */
type Part = { rows: Row[]; cursor?: CursorCell; focus?: number };

/** Rows inside of the border, the keys among them. */
type Seen = { rows: Row[]; cursor?: CursorCell; hidden: number; page: number };

const TAB_HERE: KeyHints = {
  rows: [[{ text: "[tab] answer this", style: "bold" }]],
  short: [{ text: "[tab] answer this", style: "bold" }],
};

function readOnlyKeys(width: number): KeyHints {
  const rows = wrapRows("Read-only here: /interactive on lets you answer.", width, "bold");
  return { rows, short: [{ text: "/interactive on answers", style: "bold" }] };
}

const LEAST_WIDTH = 8;
const LEAST_BODY = 3;

function getPieces(props: CardProps): CardContent {
  const { card, ui } = props;
  if (card.kind === "confirmation") return layOutConfirm(card, ui, props);
  if (card.type === "auth") return layOutAuth(card.auth, ui, props);
  return ui.type === "form" ? layOutForm(card, ui, props) : layOutApproval(card, ui, props);
}

function getRight({ position, now }: CardProps, until: string | undefined): string[] {
  const ends = until === undefined ? Number.NaN : Date.parse(until);
  const left = Number.isNaN(ends) ? [] : ends <= now ? ["expired"] : [`${formatTimeLeft(ends - now)} left`];
  return [...(position.of > 1 ? [`${position.n} of ${position.of}`] : []), ...left];
}

function join(body: Part, keys: KeyHints): Part {
  const above = body.rows.length;
  const cursor = keys.cursor ? { ...keys.cursor, row: keys.cursor.row + above } : body.cursor;
  return { rows: [...body.rows, ...keys.rows], cursor, focus: keys.cursor ? undefined : body.focus };
}

/** The body above its keys; rows at its ends say how many there are above and below. */
function loose(body: Part, keys: KeyHints, room: number, scroll: number, width: number): Seen {
  const most = room - keys.rows.length;
  const { rows, start, hidden, cursor } = applyWindow(body, most, scroll);
  const below = hidden - start;
  if (hidden > 0 && most >= LEAST_BODY) {
    if (start > 0) rows[0] = more("↑", start + 1, "above", width - BORDER_CELLS);
    if (below > 0) rows[most - 1] = more("↓", below + 1, "below", width - BORDER_CELLS);
  }
  const place = keys.cursor ? { ...keys.cursor, row: keys.cursor.row + rows.length } : cursor;
  // A line of what was read stays, and two say what is above and below.
  return { rows: [...rows, ...keys.rows], cursor: place, hidden, page: Math.max(1, most - 3) };
}

/** All of it, and below it the keys in one row, with arrows where there is more. */
function tight(all: Part, short: Row, room: number, scroll: number): Seen {
  const most = room > 2 ? room - 1 : room;
  const { rows, start, hidden, cursor } = applyWindow(all, most, scroll);
  const arrows = `${start > 0 ? "↑" : " "}${start < hidden ? "↓" : " "}`.padEnd(SHORT_INDENT);
  const keys: Row[] = most < room && hidden > 0 ? [[{ text: arrows, style: "dim" }, ...short]] : [];
  return { rows: [...rows, ...keys], cursor, hidden, page: Math.max(1, most - 1) };
}

/** As many rows as there is room for, of which the first is row `start`; `hidden` more are above and below them. */
function applyWindow(part: Part, room: number, scroll: number) {
  const hidden = Math.max(0, part.rows.length - Math.max(0, room));
  const start = hidden === 0 ? 0 : Math.max(0, Math.min(hidden, getStart(part, room) ?? scroll));
  const cursor = part.cursor ? { ...part.cursor, row: part.cursor.row - start } : undefined;
  return { rows: part.rows.slice(start, start + room), start, hidden, cursor };
}

/** The first row that is seen, so that the row in focus is, and above all the cursor; undefined where nothing has to be seen. */
function getStart({ cursor, focus }: Part, room: number): number | undefined {
  const first = focus ?? (cursor ? cursor.row - 1 : undefined);
  if (first === undefined) return undefined;
  // The first and the last row that are seen may say how much there is beyond them.
  return Math.max(first - 1, (cursor?.row ?? first) - room + 2);
}

function more(arrow: string, lines: number, where: string, width: number): Row {
  return wrapRows(`${arrow} ${lines} more lines ${where}`, width, "dim")[0] ?? [];
}
