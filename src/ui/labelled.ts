import wrapAnsi from "wrap-ansi";
import { clean } from "#protocol/clean";
import { cut } from "./cells.ts";
import type { Look } from "./look.ts";
import { renderMarkdown } from "./markdown.ts";
import { inputOf, isOver, resultOf } from "./tool-row.ts";
import type { CardItem, Item, ToolItem, View } from "./view.ts";
import { cardText, endText, line, NOTHING_SENT, plannedText, receiptNotes } from "./words.ts";

/** A conversation as text in which each thing says what it is, for a terminal that is read aloud. Everything in it is cleaned. */
export function labelledView(view: View, look: Look): string {
  return view.items
    .map((item) => labelled(item, look))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** One thing of it; "" for what has no words. */
export function labelled(item: Item, look: Look): string {
  switch (item.kind) {
    case "message":
      return wrapped(`you: ${clean(item.text).trim()}`, look);
    case "text":
      return saidText(renderMarkdown(clean(item.text).trim(), { ...look, plain: true }));
    case "reasoning":
      return "";
    case "tool":
      return wrapped(toolText(item, look.width), look);
    case "receipt": {
      const { summary, url } = item.receipt;
      const words = [line(summary), ...receiptNotes(item.receipt)].join(", ");
      return [wrapped(`receipt: ${words}`, look), ...(url ? [`  ${line(url)}`] : [])].join("\n");
    }
    case "planned":
      return wrapped(`planned:\n${plannedText(item.planned)}\n${NOTHING_SENT}`, look);
    case "card":
      return wrapped(`${CARD_NAMES[item.type]}:\n${cardText(item)}\n${cardEnd(item)}`, look);
    case "end":
      return wrapped(endOf(item), look);
  }
}

/** What the model said; the label stands above what begins with a row or an indented line. */
export function saidText(rendered: string): string {
  if (rendered === "") return "";
  return `kay:${/^(\s|[-*#>]|\d+\.)/.test(rendered) || /^[^\n]*\n {2}/.test(rendered) ? "\n" : " "}${rendered}`;
}

/** `tool jira.search: done, 4 issues, 0.4 s`; while it works, what it was given or its last word, cut to `width`. */
export function toolText(tool: ToolItem, width: number): string {
  const result = resultOf(tool);
  const took = isOver(tool) && tool.workedMs !== undefined ? `${(tool.workedMs / 1000).toFixed(1)} s` : "";
  const what = isOver(tool)
    ? [result === tool.state ? "" : result, took]
    : [tool.log.length > 0 ? result : inputOf(tool)];
  const text = `tool ${line(tool.name)}: ${[STATES[tool.state], ...what].filter(Boolean).join(", ")}`;
  return isOver(tool) ? text : cut(text, width);
}

/** How a card ended, in a line; how it can be answered where it did not. */
export function cardEnd(card: CardItem): string {
  const name = CARD_NAMES[card.type];
  return card.ended ? `${name} ended: ${endText(card.ended, card.type)}` : `${name} open: kay answer ${line(card.id)}`;
}

/** What a card is called. */
export const CARD_NAMES: Record<CardItem["type"], string> = {
  approval: "approval",
  form: "form",
  auth: "connection",
};

const STATES: Record<ToolItem["state"], string> = {
  starting: "working",
  working: "working",
  paused: "waits for an answer",
  done: "done",
  failed: "failed",
  denied: "denied",
};

function endOf({ how, text, hint }: Extract<Item, { kind: "end" }>): string {
  const said = clean(text).trim();
  if (how === "cancelled") return /^[a-z_]*$/i.test(said) ? "cancelled" : `cancelled: ${said}`;
  return `error: ${said || "it failed, and the backend does not say why"}${hint ? `\n  ${clean(hint)}` : ""}`;
}

function wrapped(text: string, { width }: Look): string {
  return wrapAnsi(text, Math.max(10, width), { hard: false, trim: false });
}
