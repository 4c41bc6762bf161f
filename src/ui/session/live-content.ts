import { INITIAL_STREAM, type MarkdownStream } from "../markdown/stream.ts";
import { renderTail } from "../markdown/tail.ts";
import type { Look } from "../style.ts";
import { getSeparator } from "../text/item.ts";
import { formatToolRow, isToolFinished } from "../text/tool-row.ts";
import type { Item, TextItem, View } from "../view/view.ts";

/**
 * What is under way, in rows of at most `look.width` cells. `text` is the end of what is being said, with an empty row before it where the
 * finished text above ends with a paragraph of its own; `tools` has a row for each call that is not committed, and the first cell of those
 * that work is {@link SPINNER_PLACE}; `waiting` says what there is to wait for where neither shows anything.
 */
export type LiveContent = { text: string[]; tools: string[]; waiting: string | null };

/** Most rows of text. */
const LIVE_TEXT_ROWS = 8;

/** Where a spinner turns. */
export const SPINNER_MARK = "◌";

/** Most characters of a text behind an unfinished call that are looked at. */
const LOOKED_AT = 2_000;

/** What is not committed yet, at its end. */
export function getLiveContent({ next, above, text }: ScrollbackState, view: View, look: Look): LiveContent {
  const items = view.items.slice(next);
  const tools = items.filter((item) => item.kind === "tool");
  const said = items.findLast((item): item is TextItem => item.kind === "text");
  const rows = said === undefined ? [] : said === items[0] ? toCurrentRows(said, text, look) : toLaterRows(said, look);
  const first = items.find((item) => item.kind === "tool" || item.kind === "text");
  const isApart =
    above !== null &&
    first !== undefined &&
    (first.kind !== "text" || !text.stream.begun) &&
    getSeparator(above, first.kind) === "\n\n";
  const shown = rows.length + tools.length === 0 ? [] : isApart && rows[0] !== "" ? ["", ...rows] : rows;
  return {
    text: shown.slice(-LIVE_TEXT_ROWS),
    tools: tools.map((tool) => {
      const row = formatToolRow(tool, look.width);
      return isToolFinished(tool) ? row : SPINNER_MARK + row.slice(1);
    }),
    waiting: rows.length + tools.length === 0 ? waitingFor(view, items) : null,
  };
}

function toCurrentRows(item: TextItem, { stream, taken }: ScrollbackState["text"], look: Look): string[] {
  return renderTail(
    stream,
    item.text.slice(Math.max(taken - (item.dropped ?? 0), item.text.length - LOOKED_AT)),
    look,
    LIVE_TEXT_ROWS,
  );
}

/** A text that waits for a call before it. */
function toLaterRows(item: TextItem, look: Look): string[] {
  return renderTail(INITIAL_STREAM, item.text.slice(-LOOKED_AT), look, LIVE_TEXT_ROWS);
}

function waitingFor({ status }: View, items: Item[]): string | null {
  if (status === "paused") return "Another request of this conversation is under way; this one waits for its turn.";
  if (status !== "running" || items.some((item) => item.kind === "card")) return null;
  return "Thinking…";
}

/** How far a conversation has left for the scrollback. It does not grow with it. */
export type ScrollbackState = {
  /** Place of the first item that is not wholly committed. */
  next: number;
  /** What was committed last. */
  above: Item["kind"] | null;
  /** Where the text at `next` is read on: after how many of its characters, and up to where there is no end of a line. */
  text: { stream: MarkdownStream; taken: number; searched: number };
};
