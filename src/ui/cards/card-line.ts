import { cut, steady } from "../cells.ts";
import type { CardItem } from "../view.ts";
import { endText, line } from "../words.ts";

/** Whose terminal this is, and its time zone where it is not the machine's. */
export type Reader = { client?: string; timeZone?: string };

/** How an answered card stays in the scrollback: `✓ slack.send_message approved for this session by you, 14:02`. */
export function cardLine(card: CardItem, width: number, { client, timeZone }: Reader = {}): string {
  const { ended } = card;
  const name = card.type === "auth" ? card.auth.integrations.map(line).join(", ") : line(card.request.tool_name);
  if (!ended) return cut(steady(`○ ${name} waits for an answer`), width);
  const by = client !== undefined && ended.client === client ? "you" : ended.client;
  const isYes = ["approve", "submit", "connected"].includes(ended.action);
  const time = timeOf(ended.at, timeZone);
  const said = endText({ ...ended, client: by }, card.type);
  return cut(steady(`${isYes ? "✓" : "✗"} ${name} ${said}${time ? `, ${time}` : ""}`), width);
}

/** Hours and minutes, as a clock on the wall has them. */
function timeOf(at: string | undefined, timeZone: string | undefined): string {
  const date = new Date(at ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit", timeZone });
}
