import type { AuthLinks } from "../cards/auth.ts";
import type { CardUi } from "../cards/card-state.ts";
import type { Focus } from "../cards/focus.ts";
import type { AnyCard } from "../cards/update-card.ts";
import type { Completion, CompletionSources } from "../editor/complete.ts";
import type { Draft } from "../editor/draft.ts";
import type { History } from "../editor/history.ts";
import type { HistorySearch } from "../editor/search.ts";
import type { Key } from "../keys/key.ts";
import type { View } from "../view/view.ts";

/**
 * All that a session on a terminal is, between two events. Nothing of it is a promise, a timer or a stream: what happens comes in as an
 * `Event`, what is to be done goes out as an `Effect` (`events.ts`), and what is shown is a function of this.
 */
export type Session = {
  size: { columns: number; rows: number };
  /** ms since 1970, as of the last event. */
  now: number;
  view: View;
  draft: Draft;
  history: History;
  /** Ctrl+R. */
  search: HistorySearch | null;
  /** What Tab found for the draft as it is, and which of it is chosen. */
  offer: { completion: Completion; at: number } | null;
  sources: CompletionSources;
  /** Lines that wait until what is under way has ended, oldest first. */
  queue: string[];
  /** A prompt that was sent and of which nothing came back yet. */
  sending: string | null;
  /** A prompt was sent after this generation, and what it begins has not come yet; `until` (ms since 1970) it is waited for. */
  arriving: { after: string | undefined; until: number } | null;
  /** The turn was cancelled here, and its end has not come yet; or its beginning, since it was cancelled before that. */
  cancelling: boolean;
  /** What the person is doing with each open card, by its id. */
  cards: Record<string, CardUi>;
  /** Cards of this terminal alone: questions of slash commands, services that `/connect` connects, confirmations. */
  local: AnyCard[];
  /** What the conversation asks is only shown here; others answer it. */
  readOnly: boolean;
  /** Who came or left, told in the status line until then. */
  news: { text: string; until: number } | null;
  /** How the services of auth cards stand, by the card's id. */
  links: Record<string, AuthLinks>;
  focus: Focus;
  /** A letter that a card acts on when it stays alone; `at` is when it, or its newest repetition, was pressed. */
  held: { card: string; key: Key; at: number } | null;
  /** Rows that the card had in the last frame, which is what scrolling goes by. */
  cardRows: number;
  /** Ctrl+C leaves until then (ms since 1970). */
  exitArmedUntil: number;
  /** One line of advice above the status line, until then. */
  hint: { text: string; until: number } | null;
  status: Status;
  windowFocused: boolean;
};

/** What the status line says. */
export type Status = {
  model: string;
  connection: "here" | "lost" | "signed out";
  /** Of the services that are connected. */
  services: string[];
  title: string;
  profile: string;
  /** This terminal's id among those that follow the conversation. */
  client?: string;
};

/** What stands before the first row of what is being typed. */
export const PROMPT = "> ";
