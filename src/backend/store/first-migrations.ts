/** Statements of the first migrations, in order; see `migrations.ts`. */

export const FIRST = [
  `create table installations (id text primary key, created_at timestamptz not null)`,
  `create table known_accounts (
     installation_id text not null references installations on delete cascade,
     provider text not null, account_id text not null, label text not null,
     primary key (installation_id, provider, account_id))`,
  `create table families (
     id text primary key, installation_id text not null references installations on delete cascade,
     created_at timestamptz not null, expires_at timestamptz not null, revoked_at timestamptz, revoked_reason text)`,
  `create index families_by_installation on families (installation_id)`,
  `create table refresh_tokens (
     hash bytea primary key, family_id text not null references families on delete cascade, sequence integer not null,
     issued_at timestamptz not null, expires_at timestamptz not null, spent_at timestamptz, unique (family_id, sequence))`,
  `create table states (
     hash bytea primary key, installation_id text not null references installations on delete cascade, service text not null,
     verifier bytea, code_challenge text, needs_tokens boolean not null, signed_in boolean not null, site text, status text not null, message text, code text,
     details jsonb, account_id text, created_at timestamptz not null, expires_at timestamptz not null, delivered_at timestamptz)`,
  `create index states_by_expiry on states (expires_at)`,
  `create table grants (
     installation_id text not null references installations on delete cascade, service text not null, provider text not null,
     status text not null, reason text, sealed bytea, access_expires_at timestamptz, scopes text not null, account_id text not null,
     "user" jsonb not null, metadata jsonb not null, version integer not null, updated_at timestamptz not null,
     primary key (installation_id, service))`,
  `create table conversations (
     id text primary key, installation_id text not null references installations on delete cascade, title text,
     interactive boolean not null, created_at timestamptz not null, updated_at timestamptz not null)`,
  `create index conversations_by_installation on conversations (installation_id, updated_at desc)`,
  `create table messages (
     conversation_id text not null references conversations on delete cascade, sequence integer not null, message jsonb not null,
     created_at timestamptz not null, primary key (conversation_id, sequence))`,
  `create table generations (
     id text primary key, conversation_id text not null references conversations on delete cascade, installation_id text not null,
     status text not null, created_at timestamptz not null, finished_at timestamptz)`,
  `create index generations_by_conversation on generations (conversation_id)`,
  `create table confirmations (
     hash bytea primary key, installation_id text not null references installations on delete cascade, generation_id text not null,
     conversation_id text not null, prompt text not null, context jsonb not null, plan jsonb, interactive boolean not null,
     created_at timestamptz not null, expires_at timestamptz not null, answered_at timestamptz, approved boolean)`,
  `create table effects (
     id text primary key, generation_id text not null, installation_id text not null references installations on delete cascade,
     tool_call_id text not null, tool text not null, input jsonb not null, state text not null, summary text not null, url text,
     created_at timestamptz not null, updated_at timestamptz not null)`,
  `create index effects_by_generation on effects (generation_id)`,
  `create table requests (
     installation_id text not null references installations on delete cascade, key text not null, fingerprint text not null,
     state text not null, status integer, answer jsonb, created_at timestamptz not null, primary key (installation_id, key))`,
];

export const SECOND = [
  `create sequence node_numbers as integer cycle`,
  `alter table conversations add column last_event integer not null default 0`,
  `create table events (
     conversation_id text not null references conversations on delete cascade, number integer not null, generation_id text,
     part jsonb not null, created_at timestamptz not null, primary key (conversation_id, number))`,
  `create index events_by_generation on events (generation_id)`,
  `alter table generations
     add column node integer, add column options jsonb not null default '{}', add column steps integer not null default 0, add column step jsonb,
     add column auth jsonb, add column wake_at timestamptz, add column paused_at timestamptz,
     add column cancel text`,
  `create index generations_open on generations (conversation_id, created_at) where finished_at is null`,
  `create table calls (
     generation_id text not null references generations on delete cascade, step integer not null, position integer not null,
     tool_call_id text not null, tool text not null, input jsonb not null, outcome jsonb, primary key (generation_id, step, position))`,
  `create table interactions (
     id text primary key, installation_id text not null references installations on delete cascade,
     conversation_id text not null references conversations on delete cascade,
     generation_id text not null references generations on delete cascade, tool_call_id text not null, ordinal integer not null,
     status text not null, late boolean not null default false, request jsonb not null, response jsonb, created_at timestamptz not null,
     expires_at timestamptz not null, answered_at timestamptz, unique (generation_id, tool_call_id, ordinal))`,
  `create index interactions_open on interactions (expires_at) where status = 'open'`,
  `create table approvals (
     id text primary key, installation_id text not null references installations on delete cascade,
     conversation_id text references conversations on delete cascade, key text not null, tool text not null, words text not null,
     account text, created_at timestamptz not null, expires_at timestamptz, last_used_at timestamptz)`,
  `create index approvals_by_installation on approvals (installation_id)`,
  `create table policies (
     installation_id text not null references installations on delete cascade, target text not null, mode text not null,
     updated_at timestamptz not null, primary key (installation_id, target))`,
  `create table clients (
     conversation_id text not null references conversations on delete cascade, client_id text not null, name text, supported boolean not null,
     enabled boolean not null, node integer, seen_at timestamptz not null, primary key (conversation_id, client_id))`,
  `alter table messages add column generation_id text`,
  `alter table effects add column node integer, add column result jsonb`,
  `alter table requests add column node integer, add column generation_id text`,
];

export const THIRD = [
  `create table described_services (
     installation_id text not null references installations on delete cascade, name text not null, source text not null,
     description json not null, sealed_client bytea, created_at timestamptz not null, updated_at timestamptz not null,
     primary key (installation_id, name))`,
];

/** Indexes for what every node checks once a second and at its start: over open rows only. */
export const LOOKS = [
  `create index effects_open on effects (node) where state in ('planned', 'sent')`,
  `create index requests_running on requests (node) where state = 'running'`,
  `create index requests_by_age on requests (created_at)`,
  `create index confirmations_by_expiry on confirmations (expires_at)`,
  `create index clients_by_node on clients (node)`,
  `create table followers (
     conversation_id text not null references conversations on delete cascade, node integer not null, primary key (conversation_id, node))`,
  `create index followers_by_node on followers (node)`,
  `create index generations_running on generations (status, created_at) where finished_at is null`,
  `create index generations_to_wake on generations (wake_at) where finished_at is null`,
  `create index generations_to_cancel on generations (id) where finished_at is null and cancel is not null`,
  `create index generations_of_installation on generations (installation_id, status) where finished_at is null`,
  `create index interactions_of_installation on interactions (installation_id, created_at) where status = 'open'`,
];

/** For generations whose work fails inside kay: the number of failures in a row, and the time of the next attempt. */
export const FAULTS = [
  `alter table generations add column failures integer not null default 0, add column retry_at timestamptz`,
];

/** For remote agent servers: the secret that signs their webhook tokens, and their reports, each once. */
export const AGENT_SERVERS = [
  `alter table conversations add column sealed_agent_secret bytea`,
  `create table agent_reports (
     number bigint generated always as identity, generation_id text not null references generations on delete cascade, key text not null,
     report jsonb not null, created_at timestamptz not null, primary key (generation_id, key))`,
];

/** Tables of the agent role: sessions that backends opened, their turns, and reports to the webhooks. */
export const AGENT_ROLE = [
  `create table agent_sessions (
     conversation_id text primary key references conversations on delete cascade, token_hash bytea, token_expires_at timestamptz not null,
     sealed_webhook bytea not null, webhook_expires_at timestamptz not null, generation_id text)`,
  `create table agent_turns (
     generation_id text primary key references generations on delete cascade, conversation_id text not null, installation_id text not null,
     prompt text not null, own boolean not null, node integer, steps integer not null default 0, step jsonb, messages jsonb not null default '[]',
     sealed_webhook bytea not null, expires_at timestamptz not null, finished_at timestamptz,
     courier integer, deliver_at timestamptz, tries integer not null default 0)`,
  `create index agent_turns_by_conversation on agent_turns (conversation_id)`,
  `create index agent_turns_open on agent_turns (node) where finished_at is null`,
  `create index agent_turns_to_deliver on agent_turns (deliver_at) where deliver_at is not null`,
  `create table agent_outbox (
     number bigint generated always as identity primary key, generation_id text not null references agent_turns on delete cascade,
     key text not null, report jsonb not null, created_at timestamptz not null, delivered_at timestamptz, unique (generation_id, key))`,
];

/** Index for lists of conversations: pages and counts read only this index. */
export const LOAD = [
  `create index conversations_listed on conversations (installation_id, updated_at desc, created_at desc, id)`,
];

/** Followers of a conversation: a row for each client and node. Older nodes keep using the table `clients`. */
export const CLIENTS = [
  `create table present_clients (
     conversation_id text not null references conversations on delete cascade, client_id text not null, node integer not null, name text,
     supported boolean not null, enabled boolean not null, seen_at timestamptz not null, primary key (conversation_id, client_id, node))`,
  `create index present_clients_by_node on present_clients (node)`,
];
