import wrapAnsi from "wrap-ansi";
import { clean } from "#protocol/clean";
import type { Look } from "./look.ts";
import { renderMarkdown } from "./markdown.ts";
import { rowText } from "./tool-row.ts";
import type { CardItem, Item, View } from "./view.ts";
import { cardText, endText, line } from "./words.ts";

/** A conversation as text of this width: what was asked, said and done, and how each question ended. Everything in it is cleaned. */
export function transcript(view: View, look: Look): string {
  return view.items.reduce((text, item, index) => {
    const shown = itemText(item, look);
    if (shown === "") return text;
    return text === "" ? shown : `${text}${gap(view.items[index - 1], item)}${shown}`;
  }, "");
}

/** What stands between two items: calls and what they did follow each other closely. */
export function gap(before: Item | undefined, item: Item): string {
  const isClose =
    (before?.kind === "tool" || before?.kind === "receipt") && (item.kind === "tool" || item.kind === "receipt");
  return isClose ? "\n" : "\n\n";
}

/** One item that changes no more, as it stands in a transcript. "" where there is nothing to see. */
export function itemText(item: Item, look: Look): string {
  switch (item.kind) {
    case "message":
      return wrapped(clean(item.text).trim(), look.width - 2).replace(/^/gm, "> ");
    case "text":
      return renderMarkdown(clean(item.text).trim(), look);
    case "reasoning":
      return "";
    case "tool":
      return rowText(item, look.width);
    case "receipt": {
      const { effect, summary, url } = item.receipt;
      const doubt = effect === "settled" ? "" : " (unknown whether it was done; check)";
      const what = `${effect === "settled" ? "✓" : "?"} ${line(summary)}${doubt}`;
      return [wrapped(what, look.width), ...(url ? [`  ${line(url)}`] : [])].join("\n");
    }
    case "card":
      return wrapped(`${cardText(item)}\n→ ${outcome(item)}`, look.width);
    case "end":
      return wrapped(`✗ ${clean(item.text) || "cancelled"}`, look.width);
  }
}

function outcome(card: CardItem): string {
  if (!card.ended) return `waits for an answer: kay answer ${line(card.id)}`;
  const at = card.ended.at ? `, ${line(card.ended.at).slice(0, 16).replace("T", " ")}` : "";
  return `${endText(card.ended, card.type)}${at}`;
}

function wrapped(text: string, width: number): string {
  return wrapAnsi(text, Math.max(10, width), { hard: true, trim: false });
}
