import type { AuthLinks } from "../cards/auth.ts";
import type { AnyCard, CardAction } from "../cards/update-card.ts";
import type { CompletionSources } from "../editor/complete.ts";
import type { Key } from "../keys/key.ts";
import type { TimedPart } from "../view/reduce.ts";
import type { ScrollbackState } from "./live-content.ts";
import type { Session, Status } from "./state.ts";

/** What happens to a session. `at` is ms since 1970. */
export type SessionEvent =
  | { type: "key"; key: Key }
  | { type: "parts"; parts: TimedPart[]; at: number }
  /** A frame is on the screen: the cards in it, and the one that was drawn with the focus. */
  | { type: "drawn"; frame: { cards: string[]; focused: string | null; cardRows: number; at: number } }
  /** So much of the conversation is in the scrollback: its texts are not kept any longer. */
  | { type: "committed"; blocks: ScrollbackState }
  | { type: "tick"; at: number }
  | { type: "size"; columns: number; rows: number }
  /** The backend has the prompt; or will not have it, then it comes `back` into the draft. */
  | { type: "sent"; back?: string }
  /** The backend did not take the answer of a card. */
  | { type: "refused"; card: string; told: string }
  /** The backend was told to cancel, and will not say more of it. */
  | { type: "cancelled" }
  /** A text comes back from the editor: of the draft, or of a card; `null` when there is none. */
  | { type: "edited"; of: string; text: string | null }
  | { type: "status"; status: Partial<Status> }
  | { type: "sources"; sources: Partial<CompletionSources> }
  | { type: "hint"; text: string; at: number }
  /** Whether what the conversation asks is answered here. */
  | { type: "interaction"; enabled: boolean }
  | { type: "history"; entries: readonly string[] }
  /** A card of this terminal alone opens, changes, or is gone. */
  | { type: "local"; card: AnyCard }
  | { type: "local-ended"; id: string }
  | { type: "links"; card: string; links: AuthLinks }
  /** Another conversation is shown from now on, or a new one. */
  | { type: "reset" };

/** The draft, among texts that come back from the editor; no card has this id. */
export const DRAFT_TARGET = "draft";

/** What a session wants to be done. */
export type SessionEffect =
  | { do: "send"; text: string }
  | { do: "slash"; line: string }
  /** Cancel what is under way. */
  | { do: "cancel"; generation: string }
  /** The person decided about a card. */
  | { do: "act"; card: AnyCard; act: CardAction }
  /** A card opened: what it needs is prepared, and the person is told where they look elsewhere. */
  | { do: "opened"; card: AnyCard; unseen: boolean }
  /** It is open no more. */
  | { do: "closed"; card: string }
  | { do: "edit"; of: string; text: string }
  | { do: "remember"; text: string }
  /** A tick when so many ms have gone by, after the keys that came meanwhile. */
  | { do: "wait"; ms: number }
  | { do: "suspend" }
  | { do: "redraw" }
  /** Print the whole log and result of the newest call. */
  | { do: "expand" }
  | { do: "leave" };

/** A session after an event, and what it wants to be done, in this order. */
export type SessionStep = { session: Session; effects: SessionEffect[] };

/** So long advice stands, in ms. */
const HINT_MS = 5_000;

/** A session with a line of advice. */
export function withHint(session: Session, text: string): Session {
  return { ...session, hint: { text, until: session.now + HINT_MS } };
}

/** A session that became this, and wants these things done. */
export function toStep(session: Session, ...effects: SessionEffect[]): SessionStep {
  return { session, effects };
}
