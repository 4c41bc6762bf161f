import { between } from "../item-text.ts";
import type { Look } from "../look.ts";
import { UNREAD } from "../markdown/stream.ts";
import { tailRows } from "../markdown/tail.ts";
import { isOver, rowText } from "../tool-row.ts";
import type { Item, TextItem, View } from "../view.ts";
import type { Blocks } from "./blocks.ts";

/**
 * What is under way, in rows of at most `look.width` cells. `text` is the end of what is being said, with an empty row before it where the
 * finished text above ends with a paragraph of its own; `tools` has a row for each call that is not committed, and the first cell of those
 * that work is {@link SPINNER_PLACE}; `waiting` says what there is to wait for where neither shows anything.
 */
export type Live = { text: string[]; tools: string[]; waiting: string | null };

/** Most rows of text. */
const LIVE_TEXT_ROWS = 8;

/** Where a spinner turns. */
export const SPINNER_PLACE = "◌";

/** Most characters of a text behind an unfinished call that are looked at. */
const LOOKED_AT = 2_000;

/** What is not committed yet, at its end. */
export function liveOf({ next, above, text }: Blocks, view: View, look: Look): Live {
  const items = view.items.slice(next);
  const tools = items.filter((item) => item.kind === "tool");
  const said = items.findLast((item): item is TextItem => item.kind === "text");
  const rows = said === undefined ? [] : said === items[0] ? currentRows(said, text, look) : laterRows(said, look);
  const first = items.find((item) => item.kind === "tool" || item.kind === "text");
  const isApart =
    above !== null &&
    first !== undefined &&
    (first.kind !== "text" || !text.stream.begun) &&
    between(above, first.kind) === "\n\n";
  const shown = rows.length + tools.length === 0 ? [] : isApart && rows[0] !== "" ? ["", ...rows] : rows;
  return {
    text: shown.slice(-LIVE_TEXT_ROWS),
    tools: tools.map((tool) => {
      const row = rowText(tool, look.width);
      return isOver(tool) ? row : SPINNER_PLACE + row.slice(1);
    }),
    waiting: rows.length + tools.length === 0 ? waitingFor(view, items) : null,
  };
}

function currentRows(item: TextItem, { stream, taken }: Blocks["text"], look: Look): string[] {
  return tailRows(
    stream,
    item.text.slice(Math.max(taken - (item.dropped ?? 0), item.text.length - LOOKED_AT)),
    look,
    LIVE_TEXT_ROWS,
  );
}

/** A text that waits for a call before it. */
function laterRows(item: TextItem, look: Look): string[] {
  return tailRows(UNREAD, item.text.slice(-LOOKED_AT), look, LIVE_TEXT_ROWS);
}

function waitingFor({ status }: View, items: Item[]): string | null {
  if (status === "paused") return "Another request of this conversation is under way; this one waits for its turn.";
  if (status !== "running" || items.some((item) => item.kind === "card")) return null;
  return "Thinking…";
}
