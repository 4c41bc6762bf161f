import stringWidth from "string-width";
import type { ClientPresence } from "#protocol/events";
import { toLine } from "../text/words.ts";
import type { View } from "../view/view.ts";
import type { Session } from "./state.ts";

/** How long it is told who came or left, in ms. */
const NEWS_MS = 5_000;

/** More names, or wider ones, are a number. */
const MOST_NAMES = 3;
const WIDEST_NAMES = 40;

/** Everybody else who follows a conversation. */
function getOthers({ presence }: View, client: string | undefined): ClientPresence[] {
  return presence.filter(({ client_id }) => client_id !== client);
}

/** What a client is called. */
export function formatClientName({ name, client_id }: ClientPresence): string {
  return toLine(name ?? client_id);
}

/** Whether it can be asked, in a word. */
export function getClientState({ interaction }: ClientPresence): "answers" | "reads" | "cannot answer" {
  const { supported = true, enabled = true } = interaction ?? {};
  return supported ? (enabled ? "answers" : "reads") : "cannot answer";
}

/** Who else is here, the fuller text first; none where nobody is. */
function formatOthers(view: View, client: string | undefined): string[] {
  const others = getOthers(view, client);
  const count = others.length + (view.present === undefined ? 0 : view.present - view.presence.length);
  if (count === 0) return [];
  const named = others.map(
    (each) => formatClientName(each) + (getClientState(each) === "answers" ? "" : ` (${getClientState(each)})`),
  );
  const names = `with ${named.join(", ")}`;
  const answering = others.filter((each) => getClientState(each) === "answers").length;
  const may = answering === others.length ? "" : answering === 0 ? ", who only read" : `, ${answering} may answer`;
  const counted = `${count} other${count === 1 ? "" : "s"} here`;
  const isShort = count <= MOST_NAMES && stringWidth(names) <= WIDEST_NAMES;
  return [...(isShort ? [names] : []), ...(may === "" ? [] : [counted + may]), counted];
}

/** Who came, left, or answers now and did not before; null where that is nobody, or all of them were here before this terminal. */
export function getPresenceNews({ view: before, status: { client }, now }: Session, view: View): Session["news"] {
  if (view.presence === before.presence || before.presence.length === 0) return null;
  const known = new Map(getOthers(before, client).map((each) => [each.client_id, each]));
  const others = getOthers(view, client);
  const here = new Set(others.map(({ client_id }) => client_id));
  const came = others.filter(({ client_id }) => !known.has(client_id)).map((each) => `${formatClientName(each)} came`);
  const left = [...known.values()]
    .filter(({ client_id }) => !here.has(client_id))
    .map((each) => `${formatClientName(each)} left`);
  const changed = others.flatMap((each) => {
    const one = known.get(each.client_id);
    return one && getClientState(one) !== getClientState(each)
      ? [`${formatClientName(each)} ${getClientState(each)} now`]
      : [];
  });
  const all = [...came, ...left, ...changed];
  if (all.length === 0) return null;
  const counts = [came.length > 0 ? `${came.length} came` : "", left.length > 0 ? `${left.length} left` : ""].filter(
    Boolean,
  );
  const text = all.length > 2 && counts.length > 0 ? counts.join(", ") : all.slice(0, 2).join(", ");
  return { text, until: now + NEWS_MS };
}

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
