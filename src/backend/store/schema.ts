import type { ColumnType, Generated, Kysely, Transaction } from "kysely";
import type { Json, MaybeJson, MaybeTime, Time } from "./column-types.ts";
import type { Families, RefreshTokens, ScriptTokens } from "./schema-accounts.ts";
import type { AgentOutbox, AgentReports, AgentSessions, AgentTurns } from "./schema-agents.ts";
import type {
  Approvals,
  Attachments,
  Calls,
  Confirmations,
  Conversations,
  Effects,
  Events,
  Followers,
  Generations,
  Interactions,
  Messages,
  Policies,
  PresentClients,
  Requests,
  Schedules,
} from "./schema-work.ts";

/**
 * The tables, for Kysely; `migrations.ts` creates them. Times are `timestamptz` from the backend's clock (never `now()`
 * of the database), so that tests can control time. No column holds a secret in plain text: kay's tokens are stored as
 * SHA-256, services' tokens encrypted.
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
  attachments: Attachments;
  generations: Generations;
  confirmations: Confirmations;
  effects: Effects;
  requests: Requests;
  events: Events;
  calls: Calls;
  interactions: Interactions;
  approvals: Approvals;
  policies: Policies;
  present_clients: PresentClients;
  described_services: DescribedServices;
  mcp_services: McpServices;
  mcp_clients: McpClients;
  followers: Followers;
  answer_links: AnswerLinks;
  answer_devices: AnswerDevices;
  programs: Programs;
  program_requests: ProgramRequests;
  agent_reports: AgentReports;
  agent_sessions: AgentSessions;
  agent_turns: AgentTurns;
  agent_outbox: AgentOutbox;
  schedules: Schedules;
  call_tasks: CallTasks;
  script_tokens: ScriptTokens;
};

/**
 * One installed kay. `id` is derived from its session ID (`kaysession_…`) by a hash; rows of an older kay have the session ID
 * itself. Anonymous until a consent is completed.
 */
type Installations = {
  id: string;
  anonymous: Generated<boolean>;
  /** How long its approvals wait, in seconds, if the user chose that. */
  approval_timeout: ColumnType<number | null, undefined, number | null>;
  created_at: Time;
};

/** Accounts that have consented for an installation. Only these may restore lost tokens. */
export type KnownAccounts = { installation_id: string; provider: string; account_id: string; label: string };

/** A link that signs a device in, once. `hash` is SHA-256 of its token; `interaction_id` is the request that it shows first. */
type AnswerLinks = { hash: Buffer; family_id: string; interaction_id: string | null; expires_at: Time };

/** A device that may answer. `hash` is SHA-256 of its cookie. */
type AnswerDevices = { hash: Buffer; family_id: string; expires_at: Time };

/**
 * A program that may use `/mcp` as long as the sign-in that authorized it lasts. `sequence` is that of its last refresh
 * token.
 */
export type Programs = {
  id: string;
  family_id: string;
  client_id: string;
  name: string;
  redirect_uri: string;
  sequence: number;
  created_at: Time;
  /** When it last received tokens. */
  used_at: Time;
};

/**
 * A program that asks for access. `family_id` is the sign-in that authorized it, and `program_id` what its code was
 * exchanged for.
 */
export type ProgramRequests = {
  /** Code that the page and the terminal show. */
  user_code: string;
  client_id: string;
  name: string;
  redirect_uri: string;
  state: string | null;
  code_challenge: string;
  requested_from: string | null;
  created_at: Time;
  expires_at: Time;
  family_id: string | null;
  /** SHA-256 of the authorization code. */
  code_hash: Buffer | null;
  program_id: string | null;
};

/** A pending authorization. It is valid for 10 minutes, its callback counts once, and its tokens are delivered once. */
export type States = {
  /** SHA-256 of the state; the state itself is only in the authorization URL and in the client. */
  hash: Buffer;
  installation_id: string;
  service: string;
  /** Encrypted PKCE verifier for the provider. */
  verifier: Buffer | null;
  /** S256 challenge of the client, if it sent one. */
  code_challenge: string | null;
  needs_tokens: boolean;
  /** Whether the caller was signed in to the installation. Knowing its session ID alone proves little. */
  signed_in: boolean;
  site: string | null;
  /** Encrypted: the authorization server of an MCP server, as discovered at the start. */
  authorization: Buffer | null;
  status: "pending" | "exchanging" | "completed" | "denied" | "failed";
  message: string | null;
  code: string | null;
  details: MaybeJson;
  account_id: string | null;
  created_at: Time;
  expires_at: Time;
  delivered_at: MaybeTime;
  /** Code that the page and the terminal show. Set if the browser must begin on that page. */
  user_code: string | null;
  /** Address that asked for it, for the page. */
  requested_from: string | null;
  /** SHA-256 of the cookie of the browser that began it. */
  browser_hash: Buffer | null;
};

/**
 * The access that a service gave to an installation. `sealed` holds the service's access and refresh token
 * (AES-256-GCM).
 */
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
  /** Encrypted: where tokens of an MCP server are refreshed and revoked, and as which client. */
  authorization: Buffer | null;
  /** Scopes that an MCP server requires besides the granted ones. */
  wanted_scopes: string | null;
  updated_at: Time;
};

/** A custom service. */
export type DescribedServices = {
  installation_id: string;
  name: string;
  /** The YAML as given, with comments. */
  source: string;
  /** The parsed description, with its keys in order. */
  description: Json;
  /** Encrypted secret of its OAuth client, if one was pasted. */
  sealed_client: Buffer | null;
  created_at: Time;
  updated_at: Time;
};

/** An MCP server that a user added. */
export type McpServices = {
  installation_id: string;
  name: string;
  /** Its address, its sign-in, and the approved tools (`connectors/mcp/definition.ts`). */
  definition: Json;
  /** The tools that it listed last, if they differ from the approved ones. */
  offered: MaybeJson;
  /** Encrypted secret of a client that the user registered, and the issuer of its authorization server. */
  sealed_client: Buffer | null;
  client_issuer: string | null;
  created_at: Time;
  updated_at: Time;
};

/** This backend's registrations at the authorization servers of MCP servers (RFC 7591). */
export type McpClients = {
  issuer: string;
  redirect_uri: string;
  /** Encrypted ID and secret; null during the first registration, or when the server forgot the client. */
  sealed: Buffer | null;
};

/** Where a query runs: alone or inside a transaction. */
export type DbConnection = Kysely<Database> | Transaction<Database>;

/** Handle of a call that its service runs as a task. `id` is that of the call's effect. */
type CallTasks = { id: string; installation_id: string; handle: string; created_at: Time };
