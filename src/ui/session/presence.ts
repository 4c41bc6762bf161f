import stringWidth from "string-width";
import type { ClientPresence } from "#protocol/events";
import { truncateCells } from "../screen/cells.ts";
import { toLine } from "../text/words.ts";
import type { View } from "../view/view.ts";
import type { Session } from "./state.ts";

/** How long arrivals and departures are shown, in ms. */
const NEWS_MS = 5_000;

/** Maximum number of shown names. With more or longer names, only their number is shown. */
const MAX_NAMES = 3;
const MAX_NAMES_CELLS = 40;

/** Returns all other clients that follow the conversation. */
function getOthers({ presence }: View, client: string | undefined): ClientPresence[] {
  return presence.filter(({ client_id }) => client_id !== client);
}

/** Formats the name of a client. */
export function formatClientName({ name, client_id }: ClientPresence): string {
  return toLine(name ?? client_id);
}

/** Returns a word for whether a client answers requests. */
export function getClientState({ interaction }: ClientPresence): "answers" | "reads" | "cannot answer" {
  const { supported = true, enabled = true } = interaction ?? {};
  return supported ? (enabled ? "answers" : "reads") : "cannot answer";
}

/** Formats the other clients, longest text first; empty without any. */
function formatOthers(view: View, client: string | undefined): string[] {
  const clients = getOthers(view, client);
  const count = clients.length + (view.present === undefined ? 0 : view.present - view.presence.length);
  if (count === 0) return [];
  const clientNames = clients.map(
    (client) => formatClientName(client) + (getClientState(client) === "answers" ? "" : ` (${getClientState(client)})`),
  );
  const names = `with ${clientNames.join(", ")}`;
  const answering = clients.filter((client) => getClientState(client) === "answers").length;
  const may = answering === clients.length ? "" : answering === 0 ? " (read-only)" : `, ${answering} can answer`;
  const counted = `${count} other${count === 1 ? "" : "s"} here`;
  const isShort = count <= MAX_NAMES && stringWidth(names) <= MAX_NAMES_CELLS;
  return [...(isShort ? [names] : []), ...(may === "" ? [] : [counted + may]), counted];
}

/**
 * Returns news about clients that joined, left or changed whether they answer; null if there is none or this is the
 * first list.
 */
export function getPresenceNews({ view: previousView, status: { client }, now }: Session, view: View): Session["news"] {
  if (view.presence === previousView.presence || previousView.presence.length === 0) return null;
  const previousClients = new Map(getOthers(previousView, client).map((client) => [client.client_id, client]));
  const clients = getOthers(view, client);
  const here = new Set(clients.map(({ client_id }) => client_id));
  const came = clients
    .filter(({ client_id }) => !previousClients.has(client_id))
    .map((client) => `${formatClientName(client)} joined`);
  const names = [...previousClients.values()]
    .filter(({ client_id }) => !here.has(client_id))
    .map((client) => `${formatClientName(client)} left`);
  const changed = clients.flatMap((client) => {
    const previous = previousClients.get(client.client_id);
    return previous && getClientState(previous) !== getClientState(client)
      ? [`${formatClientName(client)} ${getClientState(client)} now`]
      : [];
  });
  const all = [...came, ...names, ...changed];
  if (all.length === 0) return null;
  const counts = [
    came.length > 0 ? `${came.length} joined` : "",
    names.length > 0 ? `${names.length} left` : "",
  ].filter(Boolean);
  const text = all.length > 2 && counts.length > 0 ? counts.join(", ") : all.slice(0, 2).join(", ");
  return { text, until: now + NEWS_MS };
}

const CONNECTIONS = { here: "", lost: "○ reconnecting", "signed out": "○ not signed in" };

/**
 * Formats the status line: connection, read-only and plan mode, model, connected services, other clients. Parts that do
 * not fit are shortened or left out.
 */
export function formatStatusLine({ status, view, readOnly, news }: Session, width: number): string {
  const connected = status.services.map(toLine);
  const parts = [
    [CONNECTIONS[status.connection]],
    [readOnly ? "read-only" : ""],
    [status.plan ? "plan mode" : ""],
    [toLine(status.model)],
    connected.length > 0
      ? [`● ${connected.join(" ")}`, `● ${connected.length} connected`]
      : ["nothing connected: /connect"],
    news ? [news.text, ...formatOthers(view, status.client)] : formatOthers(view, status.client),
    [status.profile === "default" ? "" : `profile ${toLine(status.profile)}`],
  ];
  const names: string[] = [];
  for (const texts of parts) {
    const part = texts.find((text) => stringWidth([...names, text].join(" · ")) <= width);
    if (part?.trim()) names.push(part);
  }
  const title = toLine(status.title);
  const part = truncateCells(title, width - stringWidth(`${names.join(" · ")} · `));
  const isShown = title !== "" && (part === title || stringWidth(part) >= MIN_TITLE_CELLS);
  return [...names, ...(isShown ? [part] : [])].join(" · ");
}

/** Minimum room for a title, in cells. */
const MIN_TITLE_CELLS = 12;
