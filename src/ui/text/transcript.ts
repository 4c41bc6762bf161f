import { clean } from "#protocol/clean";
import type { ConversationView } from "#protocol/conversations";
import { wrapLines } from "../markdown/wrap.ts";
import type { Look } from "../style.ts";
import type { CardItem, Item, View } from "../view/view.ts";
import { formatItem, getSeparator } from "./item.ts";
import { formatToolLine } from "./labelled.ts";
import { formatLocalTime } from "./local-time.ts";
import { omitReceiptLinks } from "./receipt-links.ts";
import {
  formatCard,
  formatEnd,
  formatMessage,
  formatPlanned,
  formatReceiptNotes,
  NOTHING_SENT_TEXT,
  toLine,
} from "./words.ts";

/** Formats a conversation as in a session's scrollback, with open cards in full. */
export function formatTranscript(view: View, look: Look): string {
  const receipts = view.items.flatMap((item) => (item.kind === "receipt" ? [item.receipt] : []));
  const parts = view.items
    .map((item) => (item.kind === "text" ? { ...item, text: omitReceiptLinks(item.text, receipts) } : item))
    .map((item) => ({ kind: item.kind, text: formatTranscriptItem(item, look) }))
    .filter(({ text }) => text);
  return parts
    .map(({ kind, text }, index) => {
      const above = parts[index - 1];
      return (above ? getSeparator(above.kind, kind) : "") + text;
    })
    .join("");
}

function formatTranscriptItem(item: Item, look: Look): string {
  if (item.kind !== "card" || item.ended || item.over) return formatItem(item, look);
  return wrapLines(`${formatCard(item)}\n→ waiting for an answer: kay answer ${toLine(item.id)}`, look.width);
}

/** Formats a conversation as a Markdown document. Untrusted text is cleaned; the model's own Markdown stays. */
export function toMarkdown(view: View, { id, title, created_at }: ConversationView): string {
  const head = `# ${toLine(title ?? "Conversation")}\n\n${toLine(id)}, started ${formatLocalTime(created_at)}`;
  const blocks = view.items.map(formatBlock).filter((text) => text !== "");
  return `${[head, ...blocks].join("\n\n")}\n`;
}

function formatBlock(item: Item): string {
  switch (item.kind) {
    case "message":
      return `## You\n\n${formatMessage(item)}`;
    case "notice":
      return quoteLines(toLine(item.text));
    case "text":
      return item.text.trim() === "" ? "" : `## kay\n\n${clean(item.text).trim()}`;
    case "reasoning":
    case "usage":
      return "";
    case "tool":
      return `- ${formatToolLine(item, 100)}`;
    case "receipt": {
      const { summary, url } = item.receipt;
      const notes = formatReceiptNotes(item.receipt).map((note) => ` (${note})`);
      return `- receipt: ${toLine(summary)}${notes.join("")}${url ? ` <${toLine(url)}>` : ""}`;
    }
    case "planned":
      return quoteLines(`${formatPlanned(item.planned)}\n\n${NOTHING_SENT_TEXT}`);
    case "card":
      return quoteLines(`${formatCard(item)}\n\n${formatEndLine(item)}`);
    case "end":
      return quoteLines(item.how === "cancelled" ? "Canceled." : `Error: ${clean(item.text)}`);
  }
}

function formatEndLine({ ended, type }: CardItem): string {
  return ended ? `Answer: ${formatEnd(ended, type)}` : "Waiting for an answer.";
}

function quoteLines(text: string): string {
  return text.replace(/^/gm, "> ");
}
