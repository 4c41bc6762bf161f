import wrapAnsi from "wrap-ansi";
import { clean } from "#protocol/clean";
import { renderMarkdown } from "../markdown/progressive.ts";
import { truncateCells } from "../screen/cells.ts";
import type { Look } from "../style.ts";
import type { CardItem, Item, ToolItem, View } from "../view/view.ts";
import { formatToolInput, formatToolResult, isToolFinished } from "./tool-row.ts";
import {
  formatCancellation,
  formatCard,
  formatEnd,
  formatMessage,
  formatPlanned,
  formatReceiptNotes,
  formatReceiptSummary,
  formatUsage,
  NOTHING_SENT_TEXT,
  toLine,
} from "./words.ts";

/** Formats a conversation with a label for each item, for screen readers. All text is cleaned. */
export function formatLabelledView(view: View, look: Look): string {
  return view.items
    .map((item) => formatLabelled(item, look))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** Formats one item; "" for an item without text. */
export function formatLabelled(item: Item, look: Look): string {
  switch (item.kind) {
    case "message":
      return wrapToWidth(`you: ${formatMessage(item)}`, look);
    case "notice":
      return wrapToWidth(`note: ${toLine(item.text)}`, look);
    case "text":
      return formatAnswerText(renderMarkdown(clean(item.text).trim(), { ...look, plain: true }));
    case "reasoning":
      return "";
    case "tool":
      return wrapToWidth(formatToolLine(item, look.width), look);
    case "receipt": {
      const { summary, url } = item.receipt;
      const words = [formatReceiptSummary(summary), ...formatReceiptNotes(item.receipt)].join(", ");
      return [wrapToWidth(`receipt: ${words}`, look), ...(url ? [`  ${toLine(url)}`] : [])].join("\n");
    }
    case "planned":
      return wrapToWidth(`planned:\n${formatPlanned(item.planned)}\n${NOTHING_SENT_TEXT}`, look);
    case "card":
      return wrapToWidth(`${CARD_NAMES[item.type]}:\n${formatCard(item)}\n${formatCardEnd(item)}`, look);
    case "usage":
      return wrapToWidth(`used: ${formatUsage(item.usage)}`, look);
    case "end":
      return wrapToWidth(formatItemEnd(item), look);
  }
}

/** Labels an answer. The label is on a separate line if the answer starts with a list or an indented line. */
export function formatAnswerText(rendered: string): string {
  if (rendered === "") return "";
  return `kay:${/^(\s|[-*#>]|\d+\.)/.test(rendered) || /^[^\n]*\n {2}/.test(rendered) ? "\n" : " "}${rendered}`;
}

/**
 * Formats a call: `tool jira.search: done, 4 issues, 0.4 s`. A running call shows its input or last log line, cut to
 * `width`.
 */
export function formatToolLine(tool: ToolItem, width: number): string {
  const result = formatToolResult(tool);
  const took = isToolFinished(tool) && tool.workedMs !== undefined ? `${(tool.workedMs / 1000).toFixed(1)} s` : "";
  const details = isToolFinished(tool)
    ? [result === tool.state ? "" : result, took]
    : [tool.log.length > 0 ? result : formatToolInput(tool)];
  const text = `tool ${toLine(tool.name)}: ${[STATES[tool.state], ...details].filter(Boolean).join(", ")}`;
  return isToolFinished(tool) ? text : truncateCells(text, width);
}

/** Formats how a card ended, or how to answer an open one. */
export function formatCardEnd(card: CardItem): string {
  const name = CARD_NAMES[card.type];
  return card.ended
    ? `${name} ended: ${formatEnd(card.ended, card.type)}`
    : `${name} open: kay answer ${toLine(card.id)}`;
}

/** Labels of cards. */
export const CARD_NAMES: Record<CardItem["type"], string> = {
  approval: "approval",
  form: "form",
  auth: "connection",
};

const STATES: Record<ToolItem["state"], string> = {
  starting: "working",
  working: "working",
  paused: "waiting for an answer",
  done: "done",
  failed: "failed",
  denied: "denied",
  expired: "expired",
};

function formatItemEnd({ how, text, hint }: Extract<Item, { kind: "end" }>): string {
  if (how === "cancelled") return formatCancellation(text);
  const reason = clean(text).trim();
  return `error: ${reason || "the request failed, and the backend gave no reason"}${hint ? `\n  ${clean(hint)}` : ""}`;
}

function wrapToWidth(text: string, { width }: Look): string {
  return wrapAnsi(text, Math.max(10, width), { hard: false, trim: false });
}
