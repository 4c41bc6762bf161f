import type { AuthLinks } from "../cards/auth.ts";
import type { AnyCard, CardAction } from "../cards/update-card.ts";
import type { CompletionSources } from "../editor/complete.ts";
import type { Key } from "../keys/key.ts";
import type { Picker } from "../picker/picker.ts";
import type { TimedPart } from "../view/reduce.ts";
import type { ScrollbackState } from "./live-content.ts";
import type { Session, Status } from "./state.ts";

/** An event of a session. `at` is in ms since 1970. */
export type SessionEvent =
  | { type: "key"; key: Key }
  | { type: "parts"; parts: TimedPart[]; at: number }
  /** A frame is on the screen, with these cards, one of them drawn with the focus. */
  | { type: "drawn"; frame: { cards: string[]; focused: string | null; cardRows: number; at: number } }
  /** This much of the conversation is in the scrollback, so its texts can be dropped. */
  | { type: "committed"; blocks: ScrollbackState }
  | { type: "tick"; at: number }
  | { type: "size"; columns: number; rows: number }
  /** The backend accepted the prompt; or rejected it, which returns it to the draft (`back`). */
  | { type: "sent"; back?: string }
  /** The backend rejected a card's answer. */
  | { type: "refused"; card: string; error: string }
  /** The cancellation was sent, and no more events follow for it. */
  | { type: "cancelled" }
  /** The editor returned a text for the draft or a card; `null` if it could not be opened. */
  | { type: "edited"; of: string; text: string | null }
  | { type: "status"; status: Partial<Status> }
  | { type: "sources"; sources: Partial<CompletionSources> }
  | { type: "hint"; text: string; at: number }
  /** Whether this client answers the conversation's requests. */
  | { type: "interaction"; enabled: boolean }
  | { type: "history"; entries: readonly string[] }
  /** A card that only this terminal has was opened, changed or closed. */
  | { type: "local"; card: AnyCard }
  | { type: "local-ended"; id: string }
  /** A slash command lets the user choose from a list. */
  | { type: "pick"; id: string; picker: Picker }
  | { type: "links"; card: string; links: AuthLinks }
  /** Another conversation is shown from now on. */
  | { type: "reset" };

/** ID of the draft among texts in the editor. No card has this ID. */
export const DRAFT_TARGET = "draft";

/** An action that a session requests. */
export type SessionEffect =
  | { do: "send"; text: string }
  | { do: "slash"; line: string }
  /** Cancel the running turn. */
  | { do: "cancel"; generation: string }
  /** The user chose an action on a card. */
  | { do: "act"; card: AnyCard; act: CardAction }
  /** A card opened: prepare it, and notify the user if the window has no focus. */
  | { do: "opened"; card: AnyCard; unseen: boolean }
  /** A card was closed. */
  | { do: "closed"; card: string }
  | { do: "edit"; of: string; text: string }
  /** The user chose from a list; null if they chose nothing. */
  | { do: "picked"; id: string; values: string[] | null }
  | { do: "remember"; text: string }
  /** Move the deadline of a card that the user is at work on. */
  | { do: "extend"; card: string }
  /** Print a finished text into the scrollback. */
  | { do: "say"; text: string }
  /** Send a tick after this many ms, after the keys that arrive until then. */
  | { do: "wait"; ms: number }
  | { do: "suspend" }
  | { do: "clearWindow" }
  /** Print the whole log and result of the newest call. */
  | { do: "expand" }
  /** Print the keys of the session. */
  | { do: "help" }
  /** Open the link of the newest receipt. */
  | { do: "visit" }
  | { do: "leave" };

/** The session after an event, and the actions it requests, in this order. */
export type SessionStep = { session: Session; effects: SessionEffect[] };

/** How long a hint is shown, in ms. */
const HINT_MS = 5_000;

/** Adds a hint above the status line. */
export function withHint(session: Session, text: string): Session {
  return { ...session, hint: { text, until: session.now + HINT_MS } };
}

/** Pairs a session with the actions it requests. */
export function toStep(session: Session, ...effects: SessionEffect[]): SessionStep {
  return { session, effects };
}
