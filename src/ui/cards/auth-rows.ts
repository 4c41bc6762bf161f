import type { AuthNeeded } from "#protocol/interactions";
import type { Style } from "../style.ts";
import { toLine } from "../text/words.ts";
import { type AuthLink, type AuthLinks, isLocalAuth, listAuthServices } from "./auth.ts";
import type { CardUi } from "./card-state.ts";
import { type CardContent, layOutError, layOutKeys } from "./content.ts";
import { BORDER_CELLS } from "./frame.ts";
import { type Row, wrapRows } from "./row.ts";

type Props = { width: number; links?: AuthLinks };

/** Lays out a connection card: the reason, and one line per service. */
export function layOutAuth(auth: AuthNeeded, ui: CardUi, { width, links = {} }: Props): CardContent {
  const room = width - BORDER_CELLS;
  const services = listAuthServices(auth);
  const names = Math.max(0, ...services.map((service) => toLine(service).length));
  const isChoice = services.length > 1;
  const rows = services.flatMap((service, index) => {
    const link = Object.hasOwn(links, service) ? links[service] : undefined;
    const isConnected = auth.connected.includes(service);
    const number = isChoice && index < 9 ? `${index + 1} ` : "";
    return toServiceRows(service, isConnected ? { ...link, state: "connected" } : link, { number, names, width: room });
  });
  const reason = auth.reason ? wrapRows(toLine(auth.reason), room) : [];
  return {
    title: isLocalAuth(auth) ? "Connect" : "Connect to continue",
    tone: "cyan",
    until: auth.expires_at,
    body: { rows: [...layOutError(ui.error, room), ...reason, ...rows] },
    keys: layOutKeys(ui, listKeys(auth, isChoice), room),
  };
}

function listKeys(auth: AuthNeeded, isChoice: boolean) {
  const keys = isLocalAuth(auth) ? OWN_KEYS : KEYS;
  const [connect, ...rest] = keys;
  return isChoice && connect ? [{ ...connect, words: "connect all" }, { key: "[1-9]", words: "one" }, ...rest] : keys;
}

const KEYS = [
  { key: "[enter]", words: "connect" },
  { key: "[o]", words: "open again" },
  { key: "[c]", words: "copy" },
  { key: "[q]", words: "QR" },
  { key: "[s]", words: "continue without" },
  { key: "[esc]", words: "cancel the request" },
];

/** Keys of a card that `/connect` opened. No generation waits for it, so it cannot be skipped. */
const OWN_KEYS = [...KEYS.filter(({ key }) => !["[s]", "[esc]"].includes(key)), { key: "[esc]", words: "cancel" }];

const STATES: Record<AuthLink["state"], { mark: string; word: string; style?: Style }> = {
  waiting: { mark: "○", word: "waiting" },
  opening: { mark: "…", word: "opening" },
  connected: { mark: "●", word: "connected", style: "green" },
  failed: { mark: "✗", word: "failed", style: "red" },
};

function toServiceRows(
  service: string,
  link: AuthLink | undefined,
  { number, names, width }: { number: string; names: number; width: number },
): Row[] {
  const { state = "waiting", host, message } = link ?? {};
  const { mark, word, style } = STATES[state];
  const detail = state === "failed" || state === "connected" ? message : host;
  const text = `  ${number}${mark} ${toLine(service).padEnd(names)}  ${word}${detail ? `  ${toLine(detail)}` : ""}`;
  return wrapRows(text, width, style);
}
