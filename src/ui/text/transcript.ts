import { wrapLines } from "../markdown/wrap.ts";
import type { Look } from "../style.ts";
import type { Item, View } from "../view/view.ts";
import { formatItem, getSeparator } from "./item.ts";
import { formatCard, toLine } from "./words.ts";

/** Formats a conversation as in a session's scrollback, with open cards in full. */
export function formatTranscript(view: View, look: Look): string {
  const shown = view.items
    .map((item) => ({ kind: item.kind, text: formatTranscriptItem(item, look) }))
    .filter(({ text }) => text);
  return shown
    .map(({ kind, text }, index) => {
      const above = shown[index - 1];
      return (above ? getSeparator(above.kind, kind) : "") + text;
    })
    .join("");
}

function formatTranscriptItem(item: Item, look: Look): string {
  if (item.kind !== "card" || item.ended || item.over) return formatItem(item, look);
  return wrapLines(`${formatCard(item)}\n→ waiting for an answer: kay answer ${toLine(item.id)}`, look.width);
}
