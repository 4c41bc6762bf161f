import { clean } from "#protocol/clean";
import { renderMarkdown } from "../markdown/progressive.ts";
import { fitsRow, wrapLines } from "../markdown/wrap.ts";
import { normalizeWidth, truncateCells } from "../screen/cells.ts";
import type { Look } from "../style.ts";
import type { CardItem, Item, ToolItem } from "../view/view.ts";
import { formatEndedTool } from "./tool-row.ts";
import {
  formatCancellation,
  formatEnd,
  formatMessage,
  formatPlanned,
  formatReceiptNotes,
  formatReceiptSummary,
  formatUsage,
  NOTHING_SENT_TEXT,
  toLine,
} from "./words.ts";

/** Formats an item of a conversation for the scrollback; "" for an item that shows nothing. All text is cleaned. */
export function formatItem(item: Item, look: Look): string {
  switch (item.kind) {
    case "message":
      return wrapLines(formatMessage(item), Math.max(10, look.width - 2)).replace(/^/gm, "> ");
    case "notice":
      return look.paint("dim", wrapLines(toLine(item.text), look.width));
    case "text":
      return renderMarkdown(item.text, look);
    case "reasoning":
      return "";
    case "tool":
      return formatTool(item, look);
    case "receipt": {
      const { effect, summary, url } = item.receipt;
      const mark = effect === "settled" ? "✓" : effect === "planned" ? "-" : "?";
      const text = formatMarked(mark, `${formatReceiptSummary(summary)}${formatNotes(item.receipt)}`, look);
      return [text, ...(url ? [`  ${toLine(url)}`] : [])].join("\n");
    }
    case "planned":
      return wrapLines(`${formatPlanned(item.planned)}\n${NOTHING_SENT_TEXT}`, look.width);
    case "card":
      return formatCard(item, look);
    case "usage":
      return look.paint("dim", truncateCells(formatUsage(item.usage), look.width));
    case "end": {
      const hint = item.hint ? `\n${wrapLines(`  ${clean(item.hint)}`, look.width)}` : "";
      return formatMarked("✗", formatItemEnd(item, look), look) + hint;
    }
  }
}

/** Returns the separator between two items. Calls and their results form one block. */
export function getSeparator(above: Item["kind"], below: Item["kind"]): "\n" | "\n\n" {
  return ROWS.includes(above) && ROWS.includes(below) ? "\n" : "\n\n";
}

const ROWS: Item["kind"][] = ["tool", "receipt", "card"];

function formatTool(tool: ToolItem, look: Look): string {
  const row = formatEndedTool(tool, look.width);
  return look.paint(tool.state === "done" ? "green" : "red", row.slice(0, 1)) + row.slice(1);
}

function formatCard(card: CardItem, look: Look): string {
  const row = card.ended
    ? formatCardLine(card, look.width, { client: look.client })
    : truncateCells(`✗ ${getCardName(card)} was not answered`, look.width);
  return look.paint(row.startsWith("✓") ? "green" : "red", row.slice(0, 1)) + row.slice(1);
}

function formatNotes(receipt: Extract<Item, { kind: "receipt" }>["receipt"]): string {
  return formatReceiptNotes(receipt)
    .map((note) => ` (${note})`)
    .join("");
}

function formatItemEnd({ how, text }: Extract<Item, { kind: "end" }>, { client }: Look): string {
  if (how === "cancelled") return formatCancellation(text, client);
  return clean(text).trim() || "The request failed, and the backend gave no reason.";
}

function formatMarked(mark: string, text: string, look: Look): string {
  const style = mark === "✓" ? "green" : mark === "?" || mark === "-" ? "yellow" : "red";
  return look.paint(style, mark) + wrapLines(`${mark} ${text}`, look.width).slice(mark.length);
}

/** Name of this terminal's client, and a time zone if not the machine's. */
export type LineReader = { client?: string; timeZone?: string };

/** Formats a card for the scrollback: `✓ slack.send_message approved for this session by you, 14:02`. */
export function formatCardLine(card: CardItem, width: number, { client, timeZone }: LineReader = {}): string {
  const { ended } = card;
  const name = getCardName(card);
  if (!ended) return truncateCells(normalizeWidth(`○ ${name} is waiting for an answer`), width);
  const by = client !== undefined && ended.client === client ? "you" : ended.client;
  const isYes = ["approve", "submit", "connected"].includes(ended.action);
  const time = formatClockTime(ended.at, timeZone);
  // The end of the request gives the reason.
  const reason = card.type === "auth" && ended.reason?.includes(" declined to connect ") ? undefined : ended.reason;
  const ending = formatEnd({ ...ended, client: by, reason }, card.type);
  const line = normalizeWidth(`${isYes ? "✓" : "✗"} ${name} ${ending}`);
  const timed = time ? `${line}, ${time}` : line;
  return truncateCells(fitsRow(timed, width) ? timed : line, width);
}

/** Returns the tool or the services that a card is about. */
function getCardName(card: CardItem): string {
  return card.type === "auth" ? card.auth.integrations.map(toLine).join(", ") : toLine(card.request.tool_name);
}

/** Formats hours and minutes. */
function formatClockTime(time: string | undefined, timeZone: string | undefined): string {
  const date = new Date(time ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone });
}
