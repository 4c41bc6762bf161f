import type { ColumnType, JSONColumnType } from "kysely";

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
  created_at: Time;
  updated_at: Time;
};

/** Messages of a conversation in order, as the AI SDK's `ModelMessage`. */
type Messages = { conversation_id: string; sequence: number; message: Json; created_at: Time };

/** One answer being made. */
export type Generations = {
  id: string;
  conversation_id: string;
  installation_id: string;
  status: "running" | "awaiting_approval" | "awaiting_auth" | "completed" | "cancelled" | "error";
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
  created_at: Time;
};
