import stringWidth from "string-width";
import type { View } from "../view.ts";
import { line } from "../words.ts";
import type { Status } from "./state.ts";

const CONNECTIONS = { here: "", lost: "○ reconnecting", "signed out": "○ not signed in" };

/**
 * One quiet line: whether the backend is there, which model answers, which services are connected, who else is here. What does not fit is
 * left out from the end.
 */
export function statusLine(status: Status, view: View, width: number): string {
  const connected = status.services.map(line);
  // A terminal has a connection of its own for each prompt that it sends, all by one name.
  const others = new Set(view.presence.map(({ name, client_id }) => name ?? client_id)).size - 1;
  const parts = [
    CONNECTIONS[status.connection],
    line(status.model),
    connected.length > 0 ? `● ${connected.join(" ")}` : "nothing connected: /connect",
    others > 0 ? `${others} other${others === 1 ? "" : "s"} here` : "",
    status.profile === "default" ? "" : `profile ${line(status.profile)}`,
    line(status.title),
  ].filter((part) => part.trim() !== "");
  const shown: string[] = [];
  for (const part of parts) if (stringWidth([...shown, part].join(" · ")) <= width) shown.push(part);
  return shown.join(" · ");
}
