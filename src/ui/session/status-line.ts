import stringWidth from "string-width";
import { toLine } from "../text/words.ts";
import { formatOthers } from "./presence.ts";
import type { Session } from "./state.ts";

const CONNECTIONS = { here: "", lost: "○ reconnecting", "signed out": "○ not signed in" };

/**
 * One quiet line: whether the backend is there, whether this terminal only reads along, which model answers, which services are connected, who
 * else is here. What does not fit is left out from the end.
 */
export function formatStatusLine({ status, view, readOnly, news }: Session, width: number): string {
  const connected = status.services.map(toLine);
  const parts = [
    [CONNECTIONS[status.connection]],
    [readOnly ? "read-only" : ""],
    [toLine(status.model)],
    [connected.length > 0 ? `● ${connected.join(" ")}` : "nothing connected: /connect"],
    news ? [news.text, ...formatOthers(view, status.client)] : formatOthers(view, status.client),
    [status.profile === "default" ? "" : `profile ${toLine(status.profile)}`],
    [toLine(status.title)],
  ];
  const shown: string[] = [];
  for (const texts of parts) {
    const part = texts.find((text) => stringWidth([...shown, text].join(" · ")) <= width);
    if (part?.trim()) shown.push(part);
  }
  return shown.join(" · ");
}
