import type { ColumnType, Generated } from "kysely";
import type { PolicyMode } from "#protocol/conversations";
import type { GenerationStatus, StreamPart } from "#protocol/events";
import type { AuthNeeded, InteractionRequest, InteractionResponse } from "#protocol/interactions";
import type { Json, JsonOf, MaybeJson, MaybeJsonOf, MaybeTime, Time } from "./column-types.ts";

/** Tables of conversations, their generations, and approvals. See `schema.ts`. */

/** A conversation, `session_…`. */
export type Conversations = {
  id: string;
  installation_id: string;
  title: string | null;
  interactive: boolean;
  /** Encrypted secret that signs the tokens of an agent server's reports; created with its first turn. */
  sealed_agent_secret: ColumnType<Buffer | null, Buffer | null | undefined, Buffer | null>;
  /** Number of the latest event. It increases under the row's lock, so numbers are unique and without gaps. */
  last_event: Generated<number>;
  created_at: Time;
  updated_at: Time;
};

/** Messages of a conversation in order, as the AI SDK's `ModelMessage`. */
export type Messages = {
  conversation_id: string;
  sequence: number;
  message: Json;
  /** The generation that wrote it, or whose request it is. */
  generation_id: string | null;
  created_at: Time;
};

/** A file that the user gave with a request, `att_…`. `sha256` is in hexadecimal. */
export type Attachments = {
  id: string;
  conversation_id: string;
  generation_id: string;
  /** Position among the files of its request. */
  position: number;
  name: string;
  type: string;
  size: number;
  sha256: string;
  content: Buffer;
};

/** A generation. A paused one consists of this row and those of its calls and interactions, with nothing in memory. */
export type Generations = {
  id: string;
  conversation_id: string;
  installation_id: string;
  status: GenerationStatus;
  /** Number of the node that runs it; null while it waits. */
  node: number | null;
  /** A `GenerationRequest`. Null in rows of older nodes. */
  request: MaybeJson;
  /** Its `GenerationProgress`. Null in rows that an older node wrote last. */
  progress: MaybeJson;
  /** Both, as older nodes read and write them. */
  options: MaybeJson;
  /** Model steps begun. */
  steps: Generated<number>;
  /** The message of the step whose calls are running. */
  step: MaybeJson;
  /** The node that keeps a call open while its user is asked. While it lives, only this node continues. */
  kept_by: number | null;
  /** Services that are waited for. */
  auth: MaybeJsonOf<AuthNeeded>;
  /** The earliest deadline of its waits. */
  wake_at: MaybeTime;
  /** When the last node released it. */
  paused_at: MaybeTime;
  /** Number of internal errors in a row; reset with each completed step. */
  failures: Generated<number>;
  /** Time of the next attempt after a failure. No node runs it before. */
  retry_at: MaybeTime;
  /** Why it must stop, if it must. */
  cancel: string | null;
  /** Whether it runs without a follower. */
  detached: Generated<boolean>;
  /** When a notification of its latest wait for a connection was sent. */
  notified_at: MaybeTime;
  created_at: Time;
  finished_at: MaybeTime;
};

/** A held request. Its token is stored as SHA-256 and is valid once, within 5 minutes. */
export type Confirmations = {
  hash: Buffer;
  installation_id: string;
  generation_id: string;
  conversation_id: string;
  prompt: string;
  context: Json;
  /** The plan that was shown: the first step, in the form that the loop continues from. */
  plan: MaybeJson;
  interactive: boolean;
  created_at: Time;
  expires_at: Time;
  answered_at: MaybeTime;
  approved: boolean | null;
};

/** A write: planned before it is sent, settled after. `id` is the idempotency key. */
export type Effects = {
  id: string;
  generation_id: string;
  installation_id: string;
  tool_call_id: string;
  tool: string;
  input: Json;
  state: "planned" | "sent" | "settled" | "failed" | "unknown";
  summary: string;
  url: string | null;
  /** The tool's result once settled, or the refusal once failed. A call that resumes after a crash reads it here. */
  result: MaybeJson;
  /** The node that sends it. */
  node: number | null;
  /** Name of the account that it was sent as. */
  account: string | null;
  created_at: Time;
  updated_at: Time;
};

/** First answers of writes by `Idempotency-Key`. `fingerprint` is SHA-256 over method, path and body. */
export type Requests = {
  installation_id: string;
  key: string;
  fingerprint: string;
  state: "running" | "done" | "interrupted";
  status: number | null;
  answer: MaybeJson;
  /** The node that answers it. */
  node: number | null;
  /** The generation that answers it. */
  generation_id: string | null;
  created_at: Time;
};

/** The log of a conversation: every part of its streams, numbered without gaps. */
export type Events = {
  conversation_id: string;
  number: number;
  generation_id: string | null;
  part: JsonOf<StreamPart>;
  created_at: Time;
};

/** An event as read. */
export type StoredEvent = { number: number; generationId: string | null; part: StreamPart; at: Date };

/** Calls of a generation's steps. `outcome` is set once and for all when a call is over. */
export type Calls = {
  generation_id: string;
  step: number;
  /** Position among the calls of the step. */
  position: number;
  tool_call_id: string;
  tool: string;
  input: MaybeJson;
  outcome: MaybeJson;
};

/**
 * A request to the user. `ordinal` is its position among those of one call, so that a resumed call finds its answers.
 */
export type Interactions = {
  id: string;
  installation_id: string;
  conversation_id: string;
  generation_id: string;
  tool_call_id: string;
  ordinal: number;
  status: "open" | "answered" | "expired" | "cancelled";
  /** Its call does not wait for it; an answer becomes a message of a new turn. */
  late: Generated<boolean>;
  request: JsonOf<InteractionRequest>;
  response: MaybeJsonOf<InteractionResponse>;
  /** The node that asked. Null in rows of older nodes. */
  node: number | null;
  /** It does not expire while a client that can answer is attached. */
  stays: Generated<boolean>;
  created_at: Time;
  expires_at: Time;
  answered_at: MaybeTime;
  /** When a notification of it was sent. */
  notified_at: MaybeTime;
};

/** An approval for longer than once. With a conversation it lasts as long as that, without one until it expires or is revoked. */
export type Approvals = {
  id: string;
  installation_id: string;
  conversation_id: string | null;
  /** Canonical text of tool, account and resource or arguments. */
  key: string;
  tool: string;
  words: string;
  account: string | null;
  /** IDs of the call's target at the approval, if a name stands for them. Null also for those of an older node. */
  target: ColumnType<string | null, string | null | undefined, never>;
  created_at: Time;
  expires_at: MaybeTime;
  last_used_at: MaybeTime;
};

/** A policy for a service, a tool, or everything (`*`). */
export type Policies = { installation_id: string; target: string; mode: PolicyMode; updated_at: Time };

/** The followers of a conversation and whether they can answer, once per node with a stream. */
export type PresentClients = {
  conversation_id: string;
  client_id: string;
  /** 0 for a client without a stream that only reported its abilities. */
  node: number;
  name: string | null;
  supported: boolean;
  enabled: boolean;
  /** When it connected, or last reported its abilities. */
  seen_at: Time;
};

/** The nodes at which a conversation has readers, identified or not. */
export type Followers = { conversation_id: string; node: number };

/** A request that runs at set times. */
export type Schedules = {
  id: string;
  installation_id: string;
  /** As `formatTiming` writes it. */
  timing: string;
  time_zone: string;
  /** A `ScheduledRequest`. */
  request: Json;
  /** Null while it is paused. */
  next_at: MaybeTime;
  /** Its latest run. The conversation may be deleted. */
  last_at: MaybeTime;
  last_conversation_id: string | null;
  last_generation_id: string | null;
  /** The latest series of runs that did not start: their number, the first and last time, and the last reason. */
  missed: Generated<number>;
  missed_since: MaybeTime;
  missed_until: MaybeTime;
  missed_reason: "backend_off" | "signed_out" | "still_running" | null;
  created_at: Time;
};
