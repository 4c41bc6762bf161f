import { between, itemText } from "./item-text.ts";
import type { Look } from "./look.ts";
import { wrapLines } from "./markdown/wrap.ts";
import type { Item, View } from "./view.ts";
import { cardText, line } from "./words.ts";

/** A conversation as text of this width, as a session leaves it in the scrollback, and whole what waits for an answer. */
export function transcript(view: View, look: Look): string {
  const shown = view.items.map((item) => ({ kind: item.kind, text: shownItem(item, look) })).filter(({ text }) => text);
  return shown
    .map(({ kind, text }, index) => {
      const above = shown[index - 1];
      return (above ? between(above.kind, kind) : "") + text;
    })
    .join("");
}

function shownItem(item: Item, look: Look): string {
  if (item.kind !== "card" || item.ended || item.over) return itemText(item, look);
  return wrapLines(`${cardText(item)}\n→ waits for an answer: kay answer ${line(item.id)}`, look.width);
}
