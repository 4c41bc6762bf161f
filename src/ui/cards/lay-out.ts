import { steady } from "../cells.ts";
import { timeLeft } from "../time-left.ts";
import type { AnyCard } from "./act.ts";
import { approvalPieces } from "./approval-rows.ts";
import type { AuthLinks } from "./auth.ts";
import { authPieces } from "./auth-rows.ts";
import type { CardUi } from "./card-ui.ts";
import { confirmPieces } from "./confirm-rows.ts";
import { formPieces } from "./form-rows.ts";
import { framed, SIDES } from "./frame.ts";
import type { Pieces } from "./pieces.ts";
import { type Row, rowsOf, type Spot } from "./row.ts";

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
};

/**
 * The rows of a card, and where the cursor belongs while text is typed. `hidden` is how many lines can be scrolled away, `page` how many are
 * read at once.
 */
export type LaidCard = { rows: Row[]; cursor?: Spot; hidden: number; page: number };

/** Lay a card out: whole where there is room, never taller than `maxRows`, and every row exactly as wide as the card. */
export function layCard(props: CardProps): LaidCard {
  const width = Math.max(LEAST_WIDTH, props.width);
  const { body, keys, title, tone, until } = piecesOf({ ...props, width });
  const frame = {
    title: steady(title),
    right: rightOf(props, until),
    tone: props.focused ? tone : ("dim" as const),
    width,
  };
  const shown = props.focused ? body : { rows: body.rows };
  const below = props.focused ? keys : { rows: rowsOf("[tab] answer this", width - SIDES, "bold") };
  const room = Math.max(1, props.maxRows - 2);
  // Where the keys would leave nothing to be seen of what they answer, they stand below it, and all of it scrolls.
  const isTight = room - below.rows.length < Math.min(LEAST_BODY, shown.rows.length);
  const all: Part = isTight ? joined(shown, below) : shown;
  const fixed: Part = isTight ? { rows: [] } : below;
  const seen = windowed(all, room - fixed.rows.length, props.ui.scroll, width - SIDES);
  const inside = [...seen.rows, ...fixed.rows];
  const cursor = fixed.cursor ? { ...fixed.cursor, row: fixed.cursor.row + seen.rows.length } : seen.cursor;
  const spot = cursor ? { row: cursor.row + 1, column: cursor.column + SIDES / 2 } : undefined;
  return { rows: framed(frame, inside), cursor: spot, hidden: seen.hidden, page: seen.page };
}

/** Rows, the place of the cursor, and the row that must be seen where it is not the cursor's. */
type Part = { rows: Row[]; cursor?: Spot; focus?: number };

const LEAST_WIDTH = 8;
const LEAST_BODY = 3;

function piecesOf(props: CardProps): Pieces {
  const { card, ui } = props;
  if (card.kind === "confirmation") return confirmPieces(card, ui, props);
  if (card.type === "auth") return authPieces(card.auth, ui, props);
  return ui.type === "form" ? formPieces(card, ui, props) : approvalPieces(card, ui, props);
}

function rightOf({ position, now }: CardProps, until: string | undefined): string[] {
  const ends = until === undefined ? Number.NaN : Date.parse(until);
  const left = Number.isNaN(ends) ? [] : ends <= now ? ["expired"] : [`${timeLeft(ends - now)} left`];
  return [...(position.of > 1 ? [`${position.n} of ${position.of}`] : []), ...left];
}

function joined(body: Part, keys: Part): Part {
  const above = body.rows.length;
  const cursor = keys.cursor ? { ...keys.cursor, row: keys.cursor.row + above } : body.cursor;
  return { rows: [...body.rows, ...keys.rows], cursor, focus: keys.cursor ? undefined : body.focus };
}

/** As many rows as there is room for, and how many are above and below them. */
function windowed(part: Part, room: number, scroll: number, width: number) {
  const total = part.rows.length;
  if (total <= room) return { rows: part.rows, cursor: part.cursor, hidden: 0, page: 1 };
  const hidden = Math.max(0, total - room);
  const start = Math.max(0, Math.min(hidden, startOf(part, room) ?? scroll));
  const rows = part.rows.slice(start, start + room);
  if (room >= LEAST_BODY) {
    const below = total - start - room;
    if (start > 0) rows[0] = more("↑", start + 1, "above", width);
    if (below > 0) rows[room - 1] = more("↓", below + 1, "below", width);
  }
  const cursor = part.cursor ? { ...part.cursor, row: part.cursor.row - start } : undefined;
  // A line of what was read stays, and two say what is above and below.
  return { rows, cursor, hidden, page: Math.max(1, room - 3) };
}

/** The first row that is seen, so that the row in focus is, and above all the cursor; undefined where nothing has to be seen. */
function startOf({ cursor, focus }: Part, room: number): number | undefined {
  const first = focus ?? (cursor ? cursor.row - 1 : undefined);
  if (first === undefined) return undefined;
  // The first and the last row that are seen may say how much there is beyond them.
  return Math.max(first - 1, (cursor?.row ?? first) - room + 2);
}

function more(arrow: string, lines: number, where: string, width: number): Row {
  return rowsOf(`${arrow} ${lines} more lines ${where}`, width, "dim")[0] ?? [];
}
