import type { AuthLinks } from "../cards/auth.ts";
import type { CardUi } from "../cards/card-state.ts";
import type { Focus } from "../cards/focus.ts";
import type { AnyCard } from "../cards/update-card.ts";
import type { Completion, CompletionSources } from "../editor/complete.ts";
import type { Draft } from "../editor/draft.ts";
import type { History, HistorySearch } from "../editor/history.ts";
import type { Key } from "../keys/key.ts";
import type { Picker } from "../picker/picker.ts";
import type { View } from "../view/view.ts";

/**
 * Complete state of a terminal session between two events. It has no promises, timers or streams: events come in,
 * effects go out (`events.ts`), and the screen is a function of this state.
 */
export type Session = {
  size: { columns: number; rows: number };
  /** Time of the last event, in ms since 1970. */
  now: number;
  view: View;
  draft: Draft;
  history: History;
  /** History search (Ctrl+R). */
  search: HistorySearch | null;
  /** Completions for the current draft, and the chosen one. `live` ones follow what is typed; others are from Tab. */
  offer: { completion: Completion; at: number; live?: true } | null;
  sources: CompletionSources;
  /** A list that a slash command lets the user choose from. It takes all keys. */
  picking: { id: string; picker: Picker } | null;
  /** Lines that wait for the running turn to end, oldest first. */
  queue: string[];
  /** A prompt that was sent and has no response yet. */
  sending: string | null;
  /** Set after a prompt was accepted: the generation before it, and until when (ms since 1970) its own is expected. */
  arriving: { after: string | undefined; until: number } | null;
  /** Whether the turn was canceled here and has not ended yet. It may not even have started. */
  cancelling: boolean;
  /** State of each open card, by its ID. */
  cards: Record<string, CardUi>;
  /**
   * Cards that only this terminal has: questions of slash commands, services that `/connect` connects, confirmations.
   */
  local: AnyCard[];
  /** Whether requests of the conversation are only shown here, and other clients answer them. */
  readOnly: boolean;
  /** News about other clients, shown in the status line until `until`. */
  news: { text: string; until: number } | null;
  /** State of the services of connection cards, by the card's ID. */
  links: Record<string, AuthLinks>;
  focus: Focus;
  /** A letter that a card acts on if no other follows. `at` is the time of the letter or its latest repeat. */
  held: { card: string; key: Key; at: number } | null;
  /** The latest request to extend this card; `at` is in ms since 1970. */
  extending: { card: string; at: number } | null;
  /** Set while keys are ignored, because their card has ended. `since` is the time of the latest one. */
  ignoring: { since: number } | null;
  /** Rows of the card in the last frame, for scrolling. */
  cardRows: number;
  /** Until when Ctrl+C exits, in ms since 1970. */
  exitArmedUntil: number;
  /** One line above the status line, shown until `until`. */
  hint: { text: string; until: number } | null;
  status: Status;
  windowFocused: boolean;
};

/** Content of the status line. */
export type Status = {
  model: string;
  connection: "here" | "lost" | "signed out";
  /** Names of the connected services. */
  services: string[];
  title: string;
  profile: string;
  /** Plan mode: reads run, and every other call needs approval. */
  plan?: boolean;
  /** ID of this terminal's client. */
  client?: string;
};

/** Prompt before the first row of the draft. */
export const PROMPT = "> ";
