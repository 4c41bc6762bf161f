import type { AuthNeeded } from "#protocol/events";
import type { Style } from "../look.ts";
import { line } from "../words.ts";
import { type AuthLink, type AuthLinks, isOwn } from "./auth.ts";
import type { CardUi } from "./card-ui.ts";
import { SIDES } from "./frame.ts";
import { keysOf, type Pieces, toldRows } from "./pieces.ts";
import { type Row, rowsOf } from "./row.ts";

type Props = { width: number; links?: AuthLinks };

/** What a card of services that have to be connected consists of: why, and a line for each service. */
export function authPieces(auth: AuthNeeded, ui: CardUi, { width, links = {} }: Props): Pieces {
  const room = width - SIDES;
  const services = [...new Set(auth.integrations)];
  const names = Math.max(0, ...services.map((service) => line(service).length));
  const rows = services.flatMap((service) => {
    const link = Object.hasOwn(links, service) ? links[service] : undefined;
    const isConnected = auth.connected.includes(service);
    return serviceRows(service, isConnected ? { ...link, state: "connected" } : link, names, room);
  });
  const why = auth.reason ? rowsOf(line(auth.reason), room) : [];
  return {
    title: isOwn(auth) ? "Connect" : "Connect to go on",
    tone: "cyan",
    until: auth.expires_at,
    body: { rows: [...toldRows(ui.told, room), ...why, ...rows] },
    keys: keysOf(ui, isOwn(auth) ? OWN_KEYS : KEYS, room),
  };
}

const KEYS = [
  { key: "[enter]", words: "connect" },
  { key: "[o]", words: "open again" },
  { key: "[c]", words: "copy" },
  { key: "[q]", words: "QR" },
  { key: "[s]", words: "continue without" },
  { key: "[esc]", words: "cancel the request" },
];

/** Nothing waits for what `/connect` connects. */
const OWN_KEYS = [...KEYS.filter(({ key }) => !["[s]", "[esc]"].includes(key)), { key: "[esc]", words: "cancel" }];

const STATES: Record<AuthLink["state"], { mark: string; word: string; style?: Style }> = {
  waiting: { mark: "○", word: "waiting" },
  opening: { mark: "…", word: "opening" },
  connected: { mark: "●", word: "connected", style: "green" },
  failed: { mark: "✗", word: "failed", style: "red" },
};

function serviceRows(service: string, link: AuthLink | undefined, names: number, width: number): Row[] {
  const { state = "waiting", host, message } = link ?? {};
  const { mark, word, style } = STATES[state];
  const said = state === "failed" || state === "connected" ? message : host;
  const text = `  ${mark} ${line(service).padEnd(names)}  ${word}${said ? `  ${line(said)}` : ""}`;
  return rowsOf(text, width, style);
}
