import { INITIAL_STREAM, type MarkdownStream } from "../markdown/stream.ts";
import { renderTail } from "../markdown/tail.ts";
import type { Look } from "../style.ts";
import { getSeparator } from "../text/item.ts";
import { formatToolRow, isToolFinished } from "../text/tool-row.ts";
import type { Item, TextItem, View } from "../view/view.ts";

/**
 * The running part of the conversation, in rows of at most `look.width` cells. `text` is the end of the current text,
 * after an empty row if it starts a new paragraph. `tools` has a row per uncommitted call; the first cell of a running
 * one is {@link SPINNER_MARK}. `waiting` is what kay waits for, if both are empty.
 */
export type LiveContent = { text: string[]; tools: string[]; waiting: string | null };

/** Maximum number of text rows. */
const LIVE_TEXT_ROWS = 8;

/** Placeholder for the spinner. */
export const SPINNER_MARK = "◌";

/** How many characters of a text behind an unfinished call are rendered. */
const MAX_RENDERED = 2_000;

/** Returns the end of what is not committed yet. */
export function getLiveContent({ next, above, text }: ScrollbackState, view: View, look: Look): LiveContent {
  const items = view.items.slice(next);
  const tools = items.filter((item) => item.kind === "tool");
  const textItem = items.findLast((item): item is TextItem => item.kind === "text");
  const rows =
    textItem === undefined
      ? []
      : textItem === items[0]
        ? toCurrentRows(textItem, text, look)
        : toLaterRows(textItem, look);
  const first = items.find((item) => item.kind === "tool" || item.kind === "text");
  const isApart =
    above !== null &&
    first !== undefined &&
    (first.kind !== "text" || !text.stream.begun) &&
    getSeparator(above, first.kind) === "\n\n";
  const lines = rows.length + tools.length === 0 ? [] : isApart && rows[0] !== "" ? ["", ...rows] : rows;
  return {
    text: lines.slice(-LIVE_TEXT_ROWS),
    tools: tools.map((tool) => {
      const row = formatToolRow(tool, look.width);
      return isToolFinished(tool) ? row : SPINNER_MARK + row.slice(1);
    }),
    waiting: rows.length + tools.length === 0 ? describeWait(view, items) : null,
  };
}

function toCurrentRows(item: TextItem, { stream, taken }: ScrollbackState["text"], look: Look): string[] {
  return renderTail(
    stream,
    item.text.slice(Math.max(taken - (item.dropped ?? 0), item.text.length - MAX_RENDERED)),
    look,
    LIVE_TEXT_ROWS,
  );
}

/** Renders a text that waits for an earlier call to finish. */
function toLaterRows(item: TextItem, look: Look): string[] {
  return renderTail(INITIAL_STREAM, item.text.slice(-MAX_RENDERED), look, LIVE_TEXT_ROWS);
}

function describeWait({ status }: View, items: Item[]): string | null {
  if (status === "paused") return "Another request is running in this conversation; this one is queued.";
  if (status !== "running" || items.some((item) => item.kind === "card")) return null;
  return "Thinking…";
}

/** Position of the scrollback in a conversation. Its size is constant. */
export type ScrollbackState = {
  /** Index of the first item that is not fully committed. */
  next: number;
  /** Kind of the last committed item. */
  above: Item["kind"] | null;
  /** Position in the text at `next`: the number of read characters, and how far it was searched for a line break. */
  text: { stream: MarkdownStream; taken: number; searched: number };
};
