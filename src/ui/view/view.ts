import type { Receipt } from "#protocol/ask";
import type { AuthNeeded, ClientPresence, GenerationStatus, InteractionRequest, Planned } from "#protocol/events";

/**
 * A conversation as it is shown, by whatever shows it: the session, a plain terminal, a replay. Items stand in the order in which they
 * began. Every text is raw; what shows one cleans it (`#protocol/clean`).
 */
export type View = {
  /** Number of the last part that counted. */
  last: number;
  session_id?: string;
  /** Of the newest generation. */
  generation_id?: string;
  /** Of the newest generation; undefined before the first. */
  status?: GenerationStatus;
  /** The newest generation is to come to a value; its texts are on the way to it. */
  structured?: true;
  /** That value. */
  output?: { value: unknown };
  /** The newest generation is a dry run: nothing of it is sent. */
  dryRun?: true;
  items: Item[];
  presence: ClientPresence[];
  /** How many follow, where not all of them are named. */
  present?: number;
};

/** One thing that is shown. */
export type Item = (MessageItem | TextItem | ToolItem | ReceiptItem | PlannedItem | CardItem | EndItem) & Forgettable;

/** What stays in the scrollback need not be kept here: `forgotten` items have lost their texts and what calls were given and brought. */
type Forgettable = { forgotten?: true };

/** What a person said, or what was said in their name: an answer that came late, an action of a client. */
type MessageItem = { kind: "message"; text: string; source: "typed" | "late_answer" | "action" };

/** A text of the model, in Markdown, or what it thought. `done` once it is whole. So many of its first characters are `dropped`. */
export type TextItem = {
  kind: "text" | "reasoning";
  id: string;
  generation_id?: string;
  text: string;
  done: boolean;
  dropped?: number;
};

/** Where a call stands; `paused` waits for a person. */
type ToolState = "starting" | "working" | "paused" | "done" | "failed" | "denied";

/** A call of a tool. `workedMs` leaves out what it waited for a person, and is absent where the parts have no times. */
export type ToolItem = {
  kind: "tool";
  call: string;
  name: string;
  generation_id?: string;
  title?: string;
  input?: unknown;
  state: ToolState;
  log: string[];
  output?: unknown;
  /** Why it failed. */
  error?: string;
  /** ms since 1970 of when it last began to work. */
  since?: number;
  workedMs?: number;
};

/** What a write did, or may have done; the newest word on it. `over` where its generation ended before it was settled. */
export type ReceiptItem = { kind: "receipt"; generation_id?: string; receipt: Receipt; over?: true };

/** What a dry run would have done; its receipt says no more. */
type PlannedItem = { kind: "planned"; generation_id?: string; planned: Planned };

/** How a card ended: the answer, or what became of it without one. `client` is who answered. */
export type CardEnd = {
  action: "approve" | "deny" | "submit" | "cancel" | "expire" | "connected";
  scope?: string;
  reason?: string;
  input?: Record<string, unknown>;
  edited?: boolean;
  client?: string;
  at?: string;
};

/**
 * Something that a person is asked; open as long as it has no `ended`. `id` is what `kay answer` takes. `over` where its generation ended
 * without an answer.
 */
export type CardItem = { kind: "card"; id: string; generation_id?: string; ended?: CardEnd; over?: true } & (
  | { type: "approval" | "form"; request: InteractionRequest }
  | { type: "auth"; auth: AuthNeeded }
);

/** Why a generation ended otherwise than by finishing. */
type EndItem = {
  kind: "end";
  how: "cancelled" | "error";
  text: string;
  code?: string;
  hint?: string;
  details?: Record<string, unknown>;
};

/** The view before anything was said. */
export const EMPTY_VIEW: View = { last: 0, items: [], presence: [] };

/** The cards that wait for a person, oldest first. */
export function listOpenCards(view: View): CardItem[] {
  return view.items.filter((item) => item.kind === "card").filter(({ ended }) => !ended);
}
