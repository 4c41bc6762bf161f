import type { Receipt, Usage } from "#protocol/ask";
import type { Attachment } from "#protocol/attachments";
import type { ClientPresence, GenerationStatus } from "#protocol/events";
import type { AuthNeeded, InteractionRequest, Planned } from "#protocol/interactions";

/**
 * A conversation as shown by a session, a plain terminal or a replay. Items are in the order in which they began. All
 * text is raw; the renderer cleans it (`#protocol/clean`).
 */
export type View = {
  /** Number of the last part that was applied. */
  last: number;
  session_id?: string;
  /** ID of the newest generation. */
  generation_id?: string;
  /** Status of the newest generation; undefined before the first. */
  status?: GenerationStatus;
  /** Whether the newest generation answers with a JSON value, and its texts are intermediate. */
  structured?: true;
  /** The value of the newest generation. */
  output?: { value: unknown };
  /** Tokens of the newest generation, once it has ended. */
  usage?: Usage;
  /** Whether the newest generation only reports that it did not understand the request. */
  unanswered?: boolean;
  /** Whether the newest generation is a dry run, which sends nothing. */
  dryRun?: true;
  items: Item[];
  presence: ClientPresence[];
  /** Number of followers, if not all are listed. */
  present?: number;
};

/** One item of a conversation. */
export type Item = (
  | MessageItem
  | NoticeItem
  | TextItem
  | ToolItem
  | ReceiptItem
  | PlannedItem
  | CardItem
  | UsageItem
  | EndItem
) &
  Forgettable;

/** `forgotten` items are in the scrollback and have lost their texts, inputs and outputs. */
type Forgettable = { forgotten?: true };

/** A message by the user or on their behalf, such as a late answer or an action of a client. */
export type MessageItem = {
  kind: "message";
  text: string;
  source: "typed" | "late_answer" | "action";
  attachments?: Attachment[];
};

/** A sentence of the backend about the request, such as about a file that the model cannot read. */
type NoticeItem = { kind: "notice"; generation_id?: string; text: string };

/**
 * A Markdown text or the reasoning of the model. `done` if it is complete; `dropped` is how many of its first
 * characters were removed.
 */
export type TextItem = {
  kind: "text" | "reasoning";
  id: string;
  generation_id?: string;
  text: string;
  done: boolean;
  dropped?: number;
};

/** State of a call; `paused` waits for the user. */
type ToolState = "starting" | "working" | "paused" | "done" | "failed" | "denied" | "expired";

/** A tool call. `workedMs` excludes waiting for the user; absent if the parts have no times. */
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
  /** Why the call failed, its error code, and the planned action of the call. */
  error?: string;
  code?: string;
  access?: "read" | "write" | "destructive";
  /** When it last started to run, in ms since 1970. */
  since?: number;
  workedMs?: number;
};

/** Latest receipt of a write. `over` if its generation ended before the write was settled. */
export type ReceiptItem = { kind: "receipt"; generation_id?: string; receipt: Receipt; over?: true };

/** A call planned by a dry run; its receipt is not shown. */
type PlannedItem = { kind: "planned"; generation_id?: string; planned: Planned };

/** How a card ended. `client` is the client that answered. */
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
 * A request to the user; open while it has no `ended`. `kay answer` takes its `id`. `over` if its generation ended
 * without an answer.
 */
export type CardItem = {
  kind: "card";
  id: string;
  generation_id?: string;
  ended?: CardEnd;
  over?: true;
} /** `until` is a later deadline than that of the request. */ & (
  | { type: "approval" | "form"; request: InteractionRequest; until?: string }
  | { type: "auth"; auth: AuthNeeded }
);

/** Tokens of a generation. */
type UsageItem = { kind: "usage"; usage: Usage };

/** Why a generation ended without finishing. */
type EndItem = {
  kind: "end";
  how: "cancelled" | "error";
  text: string;
  code?: string;
  hint?: string;
  details?: Record<string, unknown>;
};

/** The view of an empty conversation. */
export const EMPTY_VIEW: View = { last: 0, items: [], presence: [] };

/** Returns the open cards, oldest first. */
export function listOpenCards(view: View): CardItem[] {
  return view.items.filter((item) => item.kind === "card").filter(({ ended }) => !ended);
}
