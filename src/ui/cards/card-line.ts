import { normalizeWidth, truncateCells } from "../screen/cells.ts";
import { formatEnd, toLine } from "../text/words.ts";
import type { CardItem } from "../view/view.ts";

/** ID of this terminal's client, and a time zone if not the machine's. */
export type LineReader = { client?: string; timeZone?: string };

/** Formats a card for the scrollback: `✓ slack.send_message approved for this session by you, 14:02`. */
export function formatCardLine(card: CardItem, width: number, { client, timeZone }: LineReader = {}): string {
  const { ended } = card;
  const name = getCardName(card);
  if (!ended) return truncateCells(normalizeWidth(`○ ${name} is waiting for an answer`), width);
  const by = client !== undefined && ended.client === client ? "you" : ended.client;
  const isYes = ["approve", "submit", "connected"].includes(ended.action);
  const time = formatClockTime(ended.at, timeZone);
  const ending = formatEnd({ ...ended, client: by }, card.type);
  return truncateCells(normalizeWidth(`${isYes ? "✓" : "✗"} ${name} ${ending}${time ? `, ${time}` : ""}`), width);
}

/** Returns the tool or the services that a card is about. */
export function getCardName(card: CardItem): string {
  return card.type === "auth" ? card.auth.integrations.map(toLine).join(", ") : toLine(card.request.tool_name);
}

/** Formats hours and minutes. */
function formatClockTime(at: string | undefined, timeZone: string | undefined): string {
  const date = new Date(at ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone });
}
