import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Migrations in order, run under Kysely's own lock by whichever process opens the database first. Only additive changes: an older
 * node may still run against the newer schema.
 */
export const MIGRATIONS: Record<string, Migration> = {
  "001_accounts_connections_asking": runEach(() => FIRST),
  "002_events_interactions_policies": runEach(() => SECOND),
  "003_described_services": runEach(() => THIRD),
  "004_looks": runEach(() => LOOKS),
  "006_faults": runEach(() => FAULTS),
  "007_agent_servers": runEach(() => AGENT_SERVERS),
  "008_agent_role": runEach(() => AGENT_ROLE),
  "009_mcp": runEach(() => MCP),
  "010_mcp_auth": runEach(() => MCP_AUTH),
  "011_clients": runEach(() => CLIENTS),
  "013_load_indexes": runEach(() => LOAD),
  "014_generation_state": runEach(() => GENERATION_STATE),
  "015_anonymous_and_browsers": runEach(() => BROWSERS),
  "016_writes": runEach(() => WRITES),
  "017_waiting": runEach(() => WAITING),
  "018_mcp_own_clients": runEach(() => MCP_OWN_CLIENTS),
  "019_detached": runEach(() => DETACHED),
  "020_notices": runEach(() => NOTICES),
  "021_answer_devices": runEach(() => ANSWER_DEVICES),
  "022_programs": runEach(() => PROGRAMS),
  "023_schedules": runEach(() => SCHEDULES),
  "024_attachments": runEach(() => ATTACHMENTS),
  "025_call_tasks": runEach(() => CALL_TASKS),
};

function runEach(list: () => string[]): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const statement of list()) await sql.raw(statement).execute(db);
    },
  };
}

const FIRST = [
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

const SECOND = [
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

const THIRD = [
  `create table described_services (
     installation_id text not null references installations on delete cascade, name text not null, source text not null,
     description json not null, sealed_client bytea, created_at timestamptz not null, updated_at timestamptz not null,
     primary key (installation_id, name))`,
];

/** For what every node looks after once a second, and at its start: by what is open, not by what there ever was. */
const LOOKS = [
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

/** For generations whose work fails inside kay: how often in a row, and before when they are left alone. */
const FAULTS = [
  `alter table generations add column failures integer not null default 0, add column retry_at timestamptz`,
];

/** For agent servers elsewhere: the secret that their webhook tokens are signed with, and what they reported, each report once. */
const AGENT_SERVERS = [
  `alter table conversations add column sealed_agent_secret bytea`,
  `create table agent_reports (
     number bigint generated always as identity, generation_id text not null references generations on delete cascade, key text not null,
     report jsonb not null, created_at timestamptz not null, primary key (generation_id, key))`,
];

/** Tables of the agent role: sessions that backends opened, their turns, and reports to the webhooks. */
const AGENT_ROLE = [
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

/** For lists of conversations, in their order: whatever is passed over on the way to a page, and all that is counted, is only looked up here. */
const LOAD = [
  `create index conversations_listed on conversations (installation_id, updated_at desc, created_at desc, id)`,
];

/** Followers of a conversation: a row for each client and node. Older nodes keep using the table `clients`. */
const CLIENTS = [
  `create table present_clients (
     conversation_id text not null references conversations on delete cascade, client_id text not null, node integer not null, name text,
     supported boolean not null, enabled boolean not null, seen_at timestamptz not null, primary key (conversation_id, client_id, node))`,
  `create index present_clients_by_node on present_clients (node)`,
];

/** MCP servers as services, in a table of their own: an older node takes every row of described_services for a description. */
const MCP = [
  `create table mcp_services (
     installation_id text not null references installations on delete cascade, name text not null, definition json not null, offered json,
     created_at timestamptz not null, updated_at timestamptz not null, primary key (installation_id, name))`,
];

/** For MCP servers: where their people sign in, as which client, and which node keeps a call open while a person is asked. */
const MCP_AUTH = [
  `alter table states add column "authorization" bytea`,
  `alter table grants add column "authorization" bytea, add column wanted_scopes text`,
  `create table mcp_clients (
     issuer text not null, redirect_uri text not null, sealed bytea, primary key (issuer, redirect_uri))`,
  `alter table generations add column kept_by integer`,
];

/**
 * Separate columns for the request and the progress. An older node changes only `options`; `progress` then becomes
 * null, so that `options` is read (`parseGenerationState`).
 */
const GENERATION_STATE = [
  `alter table generations add column request jsonb, add column progress jsonb`,
  `create function forget_generation_progress() returns trigger language plpgsql as $$ begin new.progress := null; return new; end $$`,
  `create trigger generations_changed_by_older_node before update on generations for each row
     when (new.options is distinct from old.options and new.progress is not distinct from old.progress)
     execute function forget_generation_progress()`,
];

/**
 * Installations that nobody signed in to, which have an end. An authorization knows the browser that began it, and what
 * its page shows.
 */
const BROWSERS = [
  `alter table installations add column anonymous boolean not null default false`,
  `create index installations_anonymous on installations (created_at) where anonymous`,
  `alter table states add column user_code text, add column requested_from text, add column browser_hash bytea`,
];

/** For the list of an installation's writes, newest first, and the account that each was sent as. */
const WRITES = [
  `alter table effects add column account text`,
  `create index effects_listed on effects (installation_id, created_at desc, id desc)`,
];

/**
 * For requests that wait long: the node that asked, and whether the request stays open while a client is attached. How
 * long the requests of an installation wait, in seconds.
 */
const WAITING = [
  `alter table interactions add column node integer, add column stays boolean not null default false`,
  `alter table installations add column approval_timeout integer`,
];

/** A client that a user registered for an MCP server: its secret, and the authorization server that it was first used at. */
const MCP_OWN_CLIENTS = [`alter table mcp_services add column sealed_client bytea, add column client_issuer text`];

/** Generations that run although no client follows them. */
const DETACHED = [`alter table generations add column detached boolean not null default false`];

/** When a notification of what waits was sent. */
const NOTICES = [
  `alter table interactions add column notified_at timestamptz`,
  `alter table generations add column notified_at timestamptz`,
];

/** For the page where requests are answered: links that sign a device in once, and the devices. Each ends with its sign-in. */
const ANSWER_DEVICES = [
  `create table answer_links (
     hash bytea primary key, family_id text not null references families on delete cascade, interaction_id text,
     expires_at timestamptz not null)`,
  `create index answer_links_by_family on answer_links (family_id)`,
  `create table answer_devices (
     hash bytea primary key, family_id text not null references families on delete cascade, expires_at timestamptz not null)`,
  `create index answer_devices_by_family on answer_devices (family_id)`,
];

/** For programs that use `/mcp`: their requests, which end after minutes, and those that a user let in. Each ends with its sign-in. */
const PROGRAMS = [
  `create table programs (
     id text primary key, family_id text not null references families on delete cascade, client_id text not null, name text not null,
     redirect_uri text not null, sequence integer not null, created_at timestamptz not null, used_at timestamptz not null)`,
  `create index programs_by_family on programs (family_id)`,
  `create table program_requests (
     user_code text primary key, client_id text not null, name text not null, redirect_uri text not null, state text,
     code_challenge text not null, requested_from text, created_at timestamptz not null, expires_at timestamptz not null,
     family_id text references families on delete cascade, code_hash bytea unique, program_id text)`,
  `create index program_requests_by_age on program_requests (created_at)`,
];

/** Requests that run at set times. `next_at` is null while one is paused. */
const SCHEDULES = [
  `create table schedules (
     id text primary key, installation_id text not null references installations on delete cascade, timing text not null,
     time_zone text not null, request jsonb not null, next_at timestamptz, last_at timestamptz, last_conversation_id text,
     last_generation_id text, missed integer not null default 0, missed_since timestamptz, missed_until timestamptz,
     missed_reason text, created_at timestamptz not null)`,
  `create index schedules_by_installation on schedules (installation_id, created_at)`,
  `create index schedules_due on schedules (next_at) where next_at is not null`,
];

/** Files that users gave in their requests. They are deleted with the conversation. */
const ATTACHMENTS = [
  `create table attachments (
     id text primary key, conversation_id text not null references conversations on delete cascade, generation_id text not null,
     position integer not null, name text not null, type text not null, size integer not null, sha256 text not null, content bytea not null)`,
  `create index attachments_by_conversation on attachments (conversation_id)`,
  // Pictures and PDFs are compressed already.
  `alter table attachments alter column content set storage external`,
];

/** For calls that a service goes on with as a task: its handle, by the ID of the call's effect. */
const CALL_TASKS = [
  `create table call_tasks (
     id text primary key, installation_id text not null references installations on delete cascade, handle text not null,
     created_at timestamptz not null)`,
  `create index call_tasks_by_installation on call_tasks (installation_id, created_at)`,
];
