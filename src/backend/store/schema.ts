import type { ColumnType, Generated, JSONColumnType } from "kysely";
import type { PolicyMode } from "#protocol/conversations";
import type { GenerationStatus } from "#protocol/events";

/**
 * The tables, as Kysely sees them; `migrations.ts` makes them. Times are `timestamptz` given by the backend's clock (never `now()` of the
 * database), so that tests can move time. No column holds a secret in the clear: tokens of kay are stored as SHA-256, tokens of services sealed.
 */
export type Database = {
  installations: Installations;
  known_accounts: KnownAccounts;
  families: Families;
  refresh_tokens: RefreshTokens;
  states: States;
  grants: Grants;
  conversations: Conversations;
  messages: Messages;
  generations: Generations;
  confirmations: Confirmations;
  effects: Effects;
  requests: Requests;
  events: Events;
  calls: Calls;
  interactions: Interactions;
  approvals: Approvals;
  policies: Policies;
  clients: Clients;
  described_services: DescribedServices;
  followers: Followers;
};

type Time = ColumnType<Date, Date, Date>;
type MaybeTime = ColumnType<Date | null, Date | null | undefined, Date | null>;
type Json = JSONColumnType<Record<string, unknown>>;
type MaybeJson = ColumnType<unknown, string | null | undefined, string | null>;

/** One installed kay, `kaysession_…`, kept for life. */
type Installations = { id: string; created_at: Time };

/** Accounts that ever consented for an installation; only these may bring lost tokens back. */
export type KnownAccounts = { installation_id: string; provider: string; account_id: string; label: string };

/** One sign-in: the chain of refresh tokens that rotate into each other. `expires_at` is the 30-day end no rotation moves. */
export type Families = {
  id: string;
  installation_id: string;
  created_at: Time;
  expires_at: Time;
  revoked_at: MaybeTime;
  revoked_reason: string | null;
};

/** `hash` is SHA-256 of the token. `spent_at` is set by its rotation; the successor is derived, not stored (`accounts/rotation.ts`). */
export type RefreshTokens = {
  hash: Buffer;
  family_id: string;
  sequence: number;
  issued_at: Time;
  expires_at: Time;
  spent_at: MaybeTime;
};

/** One authorization under way; lives 10 minutes, its callback counts once, its tokens are handed out once. */
export type States = {
  /** SHA-256 of the state; the state itself is only in the authorization URL and in the client. */
  hash: Buffer;
  installation_id: string;
  service: string;
  /** Sealed PKCE verifier towards the provider. */
  verifier: Buffer | null;
  /** S256 challenge of the client, if it sent one. */
  code_challenge: string | null;
  needs_tokens: boolean;
  /** Whether whoever began it was signed in to the installation; knowing its session id alone proves little. */
  signed_in: boolean;
  site: string | null;
  status: "pending" | "exchanging" | "completed" | "denied" | "failed";
  message: string | null;
  code: string | null;
  details: MaybeJson;
  account_id: string | null;
  created_at: Time;
  expires_at: Time;
  delivered_at: MaybeTime;
};

/** What a service allowed an installation to do. `sealed` holds access and refresh token of the service (AES-256-GCM). */
export type Grants = {
  installation_id: string;
  service: string;
  provider: string;
  status: "connected" | "disconnected";
  reason: string | null;
  sealed: Buffer | null;
  access_expires_at: MaybeTime;
  scopes: string;
  account_id: string;
  user: Json;
  metadata: Json;
  version: number;
  updated_at: Time;
};

/** A conversation, `session_…`. */
type Conversations = {
  id: string;
  installation_id: string;
  title: string | null;
  interactive: boolean;
  /** Number of the newest event; raised under the row's lock, so that no number is given twice and none is passed over. */
  last_event: Generated<number>;
  created_at: Time;
  updated_at: Time;
};

/** Messages of a conversation in order, as the AI SDK's `ModelMessage`. */
type Messages = {
  conversation_id: string;
  sequence: number;
  message: Json;
  /** The generation that said it, or whose request it is. */
  generation_id: string | null;
  created_at: Time;
};

/** One answer being made. A paused one is this row and those of its calls and interactions, and nothing in memory. */
export type Generations = {
  id: string;
  conversation_id: string;
  installation_id: string;
  status: GenerationStatus;
  /** Number of the node that works on it; nobody does while it waits. */
  node: number | null;
  /** What was asked and how; `generations/options.ts`. */
  options: MaybeJson;
  /** Model steps begun. */
  steps: Generated<number>;
  /** The message of the step whose calls are under way. */
  step: MaybeJson;
  /** Services that are waited for. */
  auth: MaybeJson;
  /** When the earliest thing it waits for ends. */
  wake_at: MaybeTime;
  /** When the last node left it waiting. */
  paused_at: MaybeTime;
  /** Why it is to be stopped, once somebody wants that. */
  cancel: string | null;
  created_at: Time;
  finished_at: MaybeTime;
};

/** A held-back ask; the token is stored as SHA-256 and answers once, within 5 minutes. */
type Confirmations = {
  hash: Buffer;
  installation_id: string;
  generation_id: string;
  conversation_id: string;
  prompt: string;
  context: Json;
  /** What was shown: the first step, as the loop needs it to go on. */
  plan: MaybeJson;
  interactive: boolean;
  created_at: Time;
  expires_at: Time;
  answered_at: MaybeTime;
  approved: boolean | null;
};

/** A write: planned before it is sent, settled after. `id` is the idempotency key. */
type Effects = {
  id: string;
  generation_id: string;
  installation_id: string;
  tool_call_id: string;
  tool: string;
  input: Json;
  state: "planned" | "sent" | "settled" | "failed" | "unknown";
  summary: string;
  url: string | null;
  /** What the tool answered, once settled: a call that is resumed after a crash takes it from here. */
  result: MaybeJson;
  /** The node that sends it. */
  node: number | null;
  created_at: Time;
  updated_at: Time;
};

/** First answers of writes by `Idempotency-Key`. `fingerprint` is SHA-256 over method, path and body. */
type Requests = {
  installation_id: string;
  key: string;
  fingerprint: string;
  state: "running" | "done" | "interrupted";
  status: number | null;
  answer: MaybeJson;
  /** The node that answers it. */
  node: number | null;
  /** The generation whose end is its answer. */
  generation_id: string | null;
  created_at: Time;
};

/** The log of a conversation: every part of its streams, numbered without gaps. */
type Events = {
  conversation_id: string;
  number: number;
  generation_id: string | null;
  part: Json;
  created_at: Time;
};

/** Calls of a generation's steps. `outcome` is set once and for all when a call is over. */
type Calls = {
  generation_id: string;
  step: number;
  /** Place among the calls of the step. */
  position: number;
  tool_call_id: string;
  tool: string;
  input: MaybeJson;
  outcome: MaybeJson;
};

/** A request to a person: `ordinal` is its place among those of one call, so that a resumed call finds the answers it got. */
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
  request: Json;
  response: MaybeJson;
  created_at: Time;
  expires_at: Time;
  answered_at: MaybeTime;
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
  created_at: Time;
  expires_at: MaybeTime;
  last_used_at: MaybeTime;
};

/** What kay may do by itself with a service, a tool, or everything (`*`). */
type Policies = { installation_id: string; target: string; mode: PolicyMode; updated_at: Time };

/** Who follows a conversation, and whether they can answer. */
type Clients = {
  conversation_id: string;
  client_id: string;
  name: string | null;
  supported: boolean;
  enabled: boolean;
  /** The node its stream is connected to; none when it is not connected. */
  node: number | null;
  seen_at: Time;
};

/** At which nodes somebody reads a conversation, whether they said who they are or not. */
type Followers = { conversation_id: string; node: number };
/** A service that an installation's person described. */
export type DescribedServices = {
  installation_id: string;
  name: string;
  /** As it was given, comments and all. */
  source: string;
  /** As it was read, its keys in their order: `services/described/shape.ts`. */
  description: Json;
  /** Sealed secret of its OAuth client, where one was pasted. */
  sealed_client: Buffer | null;
  created_at: Time;
  updated_at: Time;
};
